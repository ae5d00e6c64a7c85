import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock } from '@coxswain/runtime/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LogOptions } from '../../../apiserver/index.ts';
import { readLog } from '../../read-log.ts';
import { longestPiece } from './cri-line.ts';
import { LogFile } from './log-file.ts';

let folder: string;
let now = Date.parse('2026-01-02T03:04:05.006Z');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coxswain-log-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function read(log: LogFile, options: Partial<LogOptions> = {}): Promise<string> {
  const parts: Uint8Array[] = [];
  const all = { follow: false, previous: false, timestamps: false, ...options };
  for await (const part of readLog(log, all, AbortSignal.timeout(10_000))) parts.push(part);
  return Buffer.concat(parts).toString();
}

const text = (words: string) => Buffer.from(words);

test('lines are in the file as the container runtime interface has them, and are found again by a later process', async () => {
  const path = join(folder, '0.log');
  const log = await LogFile.create(path, () => now);
  await log.write('stdout', text('one\ntw'));
  now += 1000;
  await log.write('stderr', text('wrong\n'));
  await log.write('stdout', text('o\nrest'));
  await log.end();
  expect(await readFile(path, 'utf8')).toBe(
    [
      '2026-01-02T03:04:05.006000000Z stdout F one',
      '2026-01-02T03:04:06.006000000Z stderr F wrong',
      '2026-01-02T03:04:06.006000000Z stdout F two',
      '2026-01-02T03:04:06.006000000Z stdout F rest',
      '',
    ].join('\n'),
  );
  const found = await LogFile.find(path);
  if (!found) throw new Error('the log is not there');
  expect(await read(found, { follow: true })).toBe('one\nwrong\ntwo\nrest\n');
  expect(await read(found, { tailLines: 2, timestamps: true })).toBe(
    '2026-01-02T03:04:06.006000000Z two\n2026-01-02T03:04:06.006000000Z rest\n',
  );
  expect(await read(found, { since: now, limitBytes: 8 })).toBe('wrong\ntw');
  expect(await LogFile.find(join(folder, '1.log'))).toBeUndefined();
});

test('a line that is too long is cut in the file, and whole for who reads it', async () => {
  const log = await LogFile.create(join(folder, '0.log'), () => now);
  const long = 'x'.repeat(3 * longestPiece - 7);
  await log.write('stdout', text(`${long}\nshort\n`));
  expect((await readFile(join(folder, '0.log'), 'utf8')).split('\n').map((line) => line.split(' ')[2])).toEqual([
    'P',
    'P',
    'F',
    'F',
    undefined,
  ]);
  expect(await read(log)).toBe(`${long}\nshort\n`);
  await log.end();
});

test('a full file is put aside, and the one before goes; who follows misses nothing of what is kept', async () => {
  const path = join(folder, '0.log');
  const log = await LogFile.create(path, () => now);
  const line = `${'y'.repeat(997)}\n`;
  const write = async (from: number, to: number) => {
    for (let batch = from; batch < to; batch++) await log.write('stdout', text(`${batch}${line}`.repeat(1000)));
  };
  const following = new AbortController();
  const parts: Uint8Array[] = [];
  const reading = (async () => {
    const all = { follow: true, previous: false, timestamps: false };
    for await (const part of readLog(log, all, following.signal)) parts.push(part);
  })();
  await write(10, 25);
  await log.write('stdout', text('last\n'));
  while (
    !Buffer.from(parts.at(-1) ?? [])
      .toString()
      .endsWith('last\n')
  )
    await sleep(systemClock, 5);
  following.abort();
  await write(25, 40);
  await log.end();
  await reading;
  expect(Buffer.concat(parts).toString().split('\n')).toHaveLength(15_000 + 2);
  expect((await stat(path)).size + (await stat(`${path}.1`)).size).toBeLessThan(23 * 1024 * 1024);
  const kept = await read(log);
  expect(kept.startsWith('10')).toBe(false);
  expect(kept.endsWith(`39${line}`)).toBe(true);
  expect(await read(log, { tailLines: 2 })).toBe(`39${line}`.repeat(2));
});
