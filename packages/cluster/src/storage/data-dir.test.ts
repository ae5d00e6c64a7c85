import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { KubeObject } from '@coxswain/k8s';
import { type Logger, seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataDirError } from './errors.ts';
import { openStorage } from './open-storage.ts';
import type { StorageOptions } from './options.ts';
import type { Storage } from './types.ts';

const clock = new VirtualClock();
let dir = '';
let warnings: string[] = [];
const log: Logger = { ...silentLogger, warn: (_, message) => void warnings.push(message) };
const open = (options: Partial<StorageOptions> = {}) => openStorage({ dir, fsync: 'off', clock, log, ...options });
const put = (storage: Storage, name: string, extra: object = {}): KubeObject =>
  storage.put({ resource: '/pods', namespace: 'n', name }, {
    metadata: { name, namespace: 'n' },
    ...extra,
  } as KubeObject);
const remove = (storage: Storage, name: string) => storage.delete({ resource: '/pods', namespace: 'n', name });
const state = (storage: Storage) => [storage.revision, storage.list('/pods').objects, storage.list('/nodes').objects];
const logFile = () => join(dir, readdirSync(dir).find((name) => name.startsWith('log-')) ?? 'none');

beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'cox-dir-')), 'deep', 'data');
  warnings = [];
});
afterEach(() => rmSync(join(dir, '..', '..'), { recursive: true }));

test.each(['always', 'interval', 'off'] as const)(
  'objects and revision outlive the process, fsync %s',
  async (fsync) => {
    const first = await open({ fsync });
    put(first, 'a', { data: { text: 'ünïcode "quoted" \n' } });
    put(first, 'b');
    first.put({ resource: '/nodes', namespace: '', name: 'n1' }, { metadata: { name: 'n1' } });
    remove(first, 'b');
    await first.flushed();
    const before = state(first);
    await first.close();
    const second = await open({ fsync });
    expect(state(second)).toEqual(before);
    expect(second.compacted).toBe(second.revision);
    expect(Object.isFrozen(second.list('/pods').objects[0]?.metadata)).toBe(true);
    expect(put(second, 'c').metadata.resourceVersion).toBe('6');
    await second.close();
    expect(warnings).toEqual([]);
  },
);

test('logs are replaced by snapshots on the way, and nothing is lost or repeated', async () => {
  const random = seededRandom(11);
  let storage = await open({ snapshotBytes: 4096 });
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 200; i++) {
      const name = `p${Math.floor(random.next() * 30)}`;
      if (random.next() < 0.3 && storage.get({ resource: '/pods', namespace: 'n', name })) remove(storage, name);
      else put(storage, name, { data: i });
      if (random.next() < 0.1) await storage.flushed();
    }
    const before = state(storage);
    await storage.close();
    expect(readdirSync(dir).filter((name) => name.startsWith('snapshot-'))).toHaveLength(1);
    storage = await open({ snapshotBytes: 4096 });
    expect(state(storage)).toEqual(before);
  }
  await storage.close();
});

test('a torn end is cut off and said, at whatever byte it was torn', async () => {
  const storage = await open();
  put(storage, 'a');
  await storage.flushed();
  const whole = statSync(logFile()).size;
  put(storage, 'b');
  await storage.close();
  const bytes = readFileSync(logFile());
  for (let size = whole + 1; size < bytes.length; size += 5) {
    writeFileSync(logFile(), bytes.subarray(0, size));
    warnings = [];
    const again = await open();
    expect(again.list('/pods').objects.map((o) => o.metadata.name)).toEqual(['a']);
    expect(warnings).toEqual(['the log ends in the middle of a record; the torn end is cut off']);
    put(again, 'c');
    await again.close();
    const third = await open();
    expect(third.list('/pods').objects.map((o) => o.metadata.name)).toEqual(['a', 'c']);
    await third.close();
  }
});

test('zeros after a power cut, and a log that was only begun, are torn ends too', async () => {
  const storage = await open();
  put(storage, 'a');
  await storage.close();
  appendFileSync(logFile(), Buffer.alloc(4096));
  const again = await open();
  expect(again.list('/pods').objects).toHaveLength(1);
  await again.close();
  truncateSync(logFile(), 3);
  const empty = await open();
  expect(empty.revision).toBe(1);
  put(empty, 'b');
  await empty.close();
  const last = await open();
  expect(last.list('/pods').objects).toHaveLength(1);
  await last.close();
});

test('damage in the middle is an error that names the file and the place', async () => {
  const storage = await open();
  const places: number[] = [];
  for (const name of ['a', 'b', 'c']) {
    put(storage, name);
    await storage.flushed();
    places.push(statSync(logFile()).size);
  }
  await storage.close();
  const fd = openSync(logFile(), 'r+');
  writeSync(fd, Buffer.from('x'), 0, 1, (places[0] ?? 0) + 20);
  closeSync(fd);
  const error = await open().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DataDirError);
  expect((error as Error).message).toContain(`${logFile()} is damaged at offset ${places[0]}`);
  expect(existsSync(join(dir, 'lock'))).toBe(false);
});

test('a damaged snapshot and a missing log are errors', async () => {
  const storage = await open({ snapshotBytes: 512 });
  for (let i = 0; i < 40; i++) {
    put(storage, `p${i}`);
    await storage.flushed();
  }
  await storage.close();
  const snapshot = join(dir, readdirSync(dir).find((name) => name.startsWith('snapshot-')) ?? '');
  const bytes = readFileSync(snapshot);
  writeFileSync(snapshot, bytes.subarray(0, bytes.length - 20));
  await expect(open()).rejects.toThrow(/snapshot .* is damaged at offset \d+/);
  rmSync(snapshot);
  await expect(open()).rejects.toThrow(/a file is missing/);
  writeFileSync(snapshot, 'something else entirely');
  await expect(open()).rejects.toThrow(/snapshot .* is damaged at offset 0/);
});

test('a directory serves one living process', async () => {
  const storage = await open();
  await expect(open()).rejects.toThrow(/is in use by this process: stop it first/);
  await storage.close();
  const other = spawn('sleep', ['60']);
  writeFileSync(join(dir, 'lock'), JSON.stringify({ pid: other.pid }));
  await expect(open()).rejects.toThrow(`in use by process ${other.pid}: stop it first`);
  other.kill('SIGKILL');
  await once(other, 'close');
  const again = await open();
  expect(warnings).toEqual(['the last process with this data directory did not close it; it is taken over']);
  await again.close();
});

test.skipIf(process.platform !== 'linux')('a lock whose pid belongs to another process by now is stale', async () => {
  await (await open()).close();
  for (const lock of [JSON.stringify({ pid: process.pid, started: 'another-boot/1' }), '{"pid":', '']) {
    writeFileSync(join(dir, 'lock'), lock);
    writeFileSync(join(dir, 'lock.takeover'), lock);
    await (await open()).close();
  }
  expect(readdirSync(dir).filter((name) => name.startsWith('lock'))).toEqual([]);
});

test.skipIf(process.platform !== 'linux')(
  'a process that is dead but not yet waited for has no directory',
  async () => {
    // the shell starts a child and becomes a program that never waits for it
    const parent = spawn('sh', ['-c', 'sh -c "read line" <&3 & echo $!; exec tail -f /dev/null'], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    try {
      const [line] = (await once(parent.stdio[1] as Readable, 'data')) as [Buffer];
      const pid = Number(line.toString());
      await (await open()).close();
      writeFileSync(join(dir, 'lock'), JSON.stringify({ pid }));
      await expect(open()).rejects.toThrow(`in use by process ${pid}`);
      (parent.stdio[3] as Writable).write('\n');
      while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
      await (await open()).close();
    } finally {
      parent.kill('SIGKILL');
    }
  },
);

test('a copy of a directory that is in use is a directory of its own', async () => {
  const first = await open();
  put(first, 'a');
  await first.flushed();
  const copy = `${dir}-copy`;
  cpSync(dir, copy, { recursive: true });
  const second = await open({ dir: copy });
  expect(state(second)).toEqual(state(first));
  await second.close();
  await first.close();
});

test('a log that is removed while it is written takes no more writes', async () => {
  const storage = await open({ fsync: 'always' });
  put(storage, 'a');
  await storage.flushed();
  rmSync(logFile());
  put(storage, 'b');
  await expect(storage.flushed()).rejects.toThrow(/cannot be synced \(the file was removed\)/);
  expect(() => put(storage, 'c')).toThrow(DataDirError);
  await expect(storage.close()).rejects.toThrow(DataDirError);
});

test('a directory that cannot be written is refused with the reason', async () => {
  await expect(open({ dir: '/proc/nowhere' })).rejects.toThrow(
    /data directory \/proc\/nowhere cannot be written \(.*\): check/,
  );
  writeFileSync(join(dir, '..', '..', 'file'), '');
  await expect(open({ dir: join(dir, '..', '..', 'file', 'data') })).rejects.toThrow(DataDirError);
});
