import { beforeEach, expect, test } from 'vitest';
import type { LogOptions } from '../apiserver/index.ts';
import { ContainerLog } from './container-log.ts';
import { readLog } from './read-log.ts';

let now: number;
let log: ContainerLog;

beforeEach(() => {
  now = Date.parse('2026-01-02T03:04:05.006Z');
  log = new ContainerLog(() => now);
});

const signal = new AbortController().signal;
const plain: LogOptions = { follow: false, previous: false, timestamps: false };

async function read(options: Partial<LogOptions> = {}, until = signal): Promise<string> {
  let text = '';
  for await (const bytes of readLog(log, { ...plain, ...options }, until)) text += Buffer.from(bytes).toString();
  return text;
}

test('lines are made of what is written, however it is cut', async () => {
  log.write('one\ntw');
  log.write('wrong\n', 'stderr');
  log.write('o\n\nthree');
  expect(await read()).toBe('one\nwrong\ntwo\n\n');
  log.end();
  log.write('too late\n');
  expect(await read()).toBe('one\nwrong\ntwo\n\nthree\n');
});

test('parts of a log', async () => {
  log.write('one\ntwo\n');
  now += 10_000;
  log.write('three\nfour\n');
  expect(await read({ tailLines: 3 })).toBe('two\nthree\nfour\n');
  expect(await read({ tailLines: 0 })).toBe('');
  expect(await read({ tailLines: 99 })).toBe('one\ntwo\nthree\nfour\n');
  expect(await read({ since: now })).toBe('three\nfour\n');
  expect(await read({ since: now, tailLines: 3 })).toBe('three\nfour\n');
  expect(await read({ limitBytes: 6 })).toBe('one\ntw');
  expect(await read({ limitBytes: 6, follow: true })).toBe('one\ntw');
  expect(await read({ tailLines: 1, timestamps: true })).toBe('2026-01-02T03:04:15.006000000Z four\n');
  expect(await read({ tailLines: 1, timestamps: true, limitBytes: 35 })).toBe('2026-01-02T03:04:15.006000000Z four');
});

test('a reader that follows gets what comes, and leaves with the end or when it wants', async () => {
  log.write('one\n');
  const all = read({ follow: true });
  const later = read({ follow: true, tailLines: 0 });
  const leaver = new AbortController();
  const left = read({ follow: true }, leaver.signal);
  await Promise.resolve();
  log.write('two\nthree');
  await new Promise<void>((resolve) => process.nextTick(resolve));
  leaver.abort();
  log.end();
  expect(await all).toBe('one\ntwo\nthree\n');
  expect(await later).toBe('two\nthree\n');
  expect(await left).toMatch(/^one\n/);
});

test('the oldest lines of a long log go', async () => {
  const line = 'x'.repeat(1023);
  for (let i = 0; i < 2000; i++) log.write(`${line}\n`);
  log.write('last\n');
  const text = await read();
  expect(text.length).toBeLessThan(1_100_000);
  expect(text.endsWith('x\nlast\n')).toBe(true);
  expect(await read({ tailLines: 1 })).toBe('last\n');
});
