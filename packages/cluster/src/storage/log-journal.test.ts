import { silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { DataDirError } from './errors.ts';
import type { LogSink } from './log-file.ts';
import { LogJournal } from './log-journal.ts';
import type { StorageOptions } from './options.ts';
import type { StorageEvent } from './types.ts';

/** A disk whose moods the test decides. */
class FakeLog implements LogSink {
  readonly path = '/data/log-1';
  size = 0;
  text = '';
  syncs = 0;
  writes = 0;
  failWrite: string | undefined;
  failSync = false;
  /** Syncs wait for `release` when set. */
  hold: Promise<void> | undefined;

  append(bytes: Buffer): void {
    this.writes++;
    if (this.failWrite) throw Object.assign(new Error(this.failWrite), { code: this.failWrite });
    this.text += bytes.toString('latin1');
    this.size += bytes.length;
  }

  async sync(): Promise<void> {
    this.syncs++;
    await this.hold;
    if (this.failSync) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
  }

  close(): void {}
}

function newJournal(fsync: StorageOptions['fsync']) {
  const clock = new VirtualClock();
  const file = new FakeLog();
  const journal = new LogJournal({
    fsync,
    clock,
    log: silentLogger,
    dir: '/data',
    file,
    lastSnapshotBytes: 0,
    revision: 1,
    snapshot: () => ({ revision: 1, entries: [] }),
    release() {},
  });
  return { clock, file, journal };
}

const event = (revision: number): StorageEvent => {
  const key = { resource: '/pods', namespace: '', name: `p${revision}` };
  const object = { metadata: { name: key.name } };
  const state = { key, revision, object, json: Buffer.from(JSON.stringify(object)) };
  return { type: 'created', key, revision, state, before: undefined, object, previous: undefined };
};

test('commits that wait for the disk share its syncs', async () => {
  const { file, journal } = newJournal('always');
  const { promise, resolve } = Promise.withResolvers<void>();
  file.hold = promise;
  journal.append(event(2));
  const first = journal.flushed();
  await Promise.resolve().then(() => {});
  expect([file.writes, file.syncs]).toEqual([1, 1]);
  for (let revision = 3; revision < 50; revision++) journal.append(event(revision));
  const others = journal.flushed();
  let done = false;
  void others.then(() => {
    done = true;
  });
  resolve();
  await first;
  expect(done).toBe(false);
  await others;
  expect([file.writes, file.syncs]).toEqual([2, 2]);
  await journal.flushed();
});

test('interval syncs a second later, once; off never does before the end', async () => {
  const interval = newJournal('interval');
  interval.journal.append(event(2));
  await interval.journal.flushed();
  interval.journal.append(event(3));
  await interval.journal.flushed();
  expect(interval.file.syncs).toBe(0);
  await interval.clock.advance(1000);
  expect(interval.file.syncs).toBe(1);
  await interval.clock.advance(5000);
  expect(interval.file.syncs).toBe(1);
  const off = newJournal('off');
  off.journal.append(event(2));
  await off.journal.flushed();
  await off.clock.advance(5000);
  expect(off.file.syncs).toBe(0);
  await off.journal.close();
  expect(off.file.syncs).toBe(1);
});

test('a full disk acknowledges nothing, refuses writes, and goes on when there is space again', async () => {
  const { clock, file, journal } = newJournal('always');
  file.failWrite = 'ENOSPC';
  journal.append(event(2));
  await expect(journal.flushed()).rejects.toThrow(
    /the disk is full \(ENOSPC\). Nothing is stored until there is space/,
  );
  expect(() => journal.check()).toThrow(DataDirError);
  await clock.advance(3000);
  expect(file.text).toBe('');
  expect(() => journal.check()).toThrow(/disk is full/);
  file.failWrite = undefined;
  await clock.advance(1000);
  journal.check();
  await journal.flushed();
  expect(file.text).toContain('{"rv":2,');
  journal.append(event(3));
  await journal.flushed();
  expect(file.text.indexOf('{"rv":3,')).toBeGreaterThan(file.text.indexOf('{"rv":2,'));
});

test('after a failed sync nothing is believed any more', async () => {
  const { clock, file, journal } = newJournal('always');
  file.failSync = true;
  journal.append(event(2));
  await expect(journal.flushed()).rejects.toThrow(/cannot be synced \(i\/o error\).*check the disk, then start again/);
  file.failSync = false;
  await clock.advance(10_000);
  expect(() => journal.check()).toThrow(DataDirError);
  await expect(journal.flushed()).rejects.toThrow(DataDirError);
  await expect(journal.close()).rejects.toThrow(DataDirError);
});

test('closing writes what is still pending, and fails when it cannot', async () => {
  const fine = newJournal('off');
  fine.journal.append(event(2));
  await fine.journal.close();
  expect(fine.file.text).toContain('{"rv":2,');
  const full = newJournal('off');
  full.file.failWrite = 'ENOSPC';
  full.journal.append(event(2));
  await expect(full.journal.close()).rejects.toThrow(/disk is full/);
});
