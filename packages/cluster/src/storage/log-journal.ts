import { rmSync } from 'node:fs';
import type { Timer } from '@coxswain/runtime/core';
import { codeOf, DataDirError, messageOf } from './errors.ts';
import { logPath, numberedFiles } from './files.ts';
import { pushFrame } from './frames.ts';
import type { Journal } from './journal.ts';
import { LogFile, type LogSink } from './log-file.ts';
import type { StorageOptions } from './options.ts';
import { recordParts } from './record.ts';
import { type Snapshot, writeSnapshot } from './snapshot.ts';
import type { StorageEvent } from './types.ts';

export interface LogJournalOptions extends Pick<StorageOptions, 'fsync' | 'clock' | 'log' | 'snapshotBytes'> {
  readonly dir: string;
  readonly file: LogSink;
  /** Size of the last snapshot; 0 when there is none. */
  readonly lastSnapshotBytes: number;
  /** Newest revision that is in the file. */
  readonly revision: number;
  /** All objects now. */
  snapshot(): Snapshot;
  /** Called when all is written and closed. */
  release(): void;
}

interface Waiter {
  readonly revision: number;
  resolve(): void;
  reject(error: Error): void;
}

const defaultSnapshotBytes = 64 * 1024 * 1024;
/** Milliseconds between syncs with `interval`, and between tries while the disk is full. */
const second = 1000;

/**
 * The log as a journal. All commits of one turn, and all that come while the disk syncs, are written and synced together.
 *
 *   writing  ──write fails: disk full──▶  full  ──a second later, space again──▶  writing
 *      └─────write or sync fails otherwise────▶  broken (for good: what a failed sync did to the file is unknown)
 */
export class LogJournal implements Journal {
  readonly #options: LogJournalOptions;
  #file: LogSink;
  #pending: StorageEvent[] = [];
  #waiters: Waiter[] = [];
  #appended: number;
  #acknowledged: number;
  #failure: { readonly error: DataDirError; readonly full: boolean } | undefined;
  #running: Promise<void> | undefined;
  #syncTimer: Timer | undefined;
  #syncing: Promise<void> | undefined;
  #retryTimer: Timer | undefined;
  #lastSnapshotBytes: number;
  #snapshotting: Promise<void> | undefined;

  constructor(options: LogJournalOptions) {
    this.#options = options;
    this.#file = options.file;
    this.#lastSnapshotBytes = options.lastSnapshotBytes;
    this.#appended = options.revision;
    this.#acknowledged = options.revision;
  }

  check(): void {
    if (this.#failure) throw this.#failure.error;
  }

  append(event: StorageEvent): void {
    this.#pending.push(event);
    this.#appended = event.revision;
    this.#wake();
  }

  flushed(): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    if (this.#acknowledged >= this.#appended) return Promise.resolve();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiters.push({ revision: this.#appended, resolve, reject });
    return promise;
  }

  async close(): Promise<void> {
    if (this.#failure?.full) this.#retry();
    await this.#running;
    await this.#snapshotting;
    this.#syncTimer?.cancel();
    this.#retryTimer?.cancel();
    await this.#syncing;
    if (!this.#failure) await this.#sync();
    this.#file.close();
    this.#options.release();
    if (this.#failure) throw this.#failure.error;
  }

  #wake(): void {
    // One promise turn later, so that commits made together are written together.
    this.#running ??= Promise.resolve().then(() => this.#run());
  }

  async #run(): Promise<void> {
    while (this.#pending.length > 0 && !this.#failure) {
      const batch = this.#pending;
      this.#pending = [];
      if (!this.#write(batch)) break;
      const newest = batch.at(-1)?.revision ?? this.#acknowledged;
      if (this.#options.fsync === 'always') await this.#sync();
      else if (this.#options.fsync === 'interval') this.#syncLater();
      if (this.#failure) break;
      this.#acknowledge(newest);
      if (this.#snapshotIsDue()) await this.#rotate(newest);
    }
    this.#running = undefined;
  }

  #write(batch: StorageEvent[]): boolean {
    try {
      const parts: Buffer[] = [];
      for (const event of batch) pushFrame(parts, recordParts(event));
      this.#file.append(Buffer.concat(parts));
      return true;
    } catch (error) {
      this.#pending = [...batch, ...this.#pending];
      this.#fail(error);
      return false;
    }
  }

  async #sync(): Promise<void> {
    try {
      await this.#file.sync();
    } catch (error) {
      this.#break(error, 'synced');
    }
  }

  #syncLater(): void {
    this.#syncTimer ??= this.#options.clock.after(second, () => {
      this.#syncTimer = undefined;
      this.#syncing = this.#sync();
    });
  }

  #acknowledge(revision: number): void {
    this.#acknowledged = revision;
    const ready = this.#waiters.filter((waiter) => waiter.revision <= revision);
    this.#waiters = this.#waiters.filter((waiter) => waiter.revision > revision);
    for (const waiter of ready) waiter.resolve();
  }

  #fail(error: unknown): void {
    const code = codeOf(error);
    if (code !== 'ENOSPC' && code !== 'EDQUOT') {
      this.#break(error, 'written');
      return;
    }
    const { path } = this.#file;
    const text = `${path} cannot be written: the disk is full (${code}). Nothing is stored until there is space again`;
    this.#setFailure({ error: new DataDirError(path, text, { cause: error }), full: true });
    this.#retryTimer = this.#options.clock.after(second, () => this.#retry());
  }

  #break(error: unknown, what: 'written' | 'synced'): void {
    const { path } = this.#file;
    const text = `${path} cannot be ${what} (${messageOf(error)}). Nothing is stored any more: check the disk, then start again`;
    this.#setFailure({ error: new DataDirError(path, text, { cause: error }), full: false });
  }

  #setFailure(failure: { error: DataDirError; full: boolean }): void {
    if (!this.#failure)
      this.#options.log.error({ error: failure.error.message }, 'the data directory cannot be written');
    this.#failure = failure;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.reject(failure.error);
  }

  /** Tries again what a full disk refused; commits stay refused until it is written. */
  #retry(): void {
    this.#retryTimer?.cancel();
    const batch = this.#pending;
    this.#pending = [];
    if (!this.#write(batch)) return;
    this.#failure = undefined;
    this.#options.log.info({ file: this.#file.path }, 'the data directory can be written again');
    this.#running ??= this.#afterRetry(batch.at(-1)?.revision ?? this.#acknowledged);
  }

  async #afterRetry(newest: number): Promise<void> {
    if (this.#options.fsync !== 'off') await this.#sync();
    if (!this.#failure) this.#acknowledge(newest);
    await this.#run();
  }

  #snapshotIsDue(): boolean {
    const limit = Math.max(this.#options.snapshotBytes ?? defaultSnapshotBytes, 2 * this.#lastSnapshotBytes);
    return this.#file.size > limit && !this.#snapshotting;
  }

  /** Goes on in a new log, and writes a snapshot that makes the older ones superfluous. */
  async #rotate(newest: number): Promise<void> {
    await this.#sync();
    if (this.#failure) return;
    const old = this.#file;
    try {
      this.#file = new LogFile(logPath(this.#options.dir, newest + 1));
    } catch (error) {
      this.#options.log.warn({ error: messageOf(error) }, 'no new log could be started; the old one is used on');
      return;
    }
    await this.#syncing;
    old.close();
    const { path } = this.#file;
    this.#snapshotting = this.#snapshot(path).finally(() => {
      this.#snapshotting = undefined;
    });
  }

  async #snapshot(currentLog: string): Promise<void> {
    const { dir, log } = this.#options;
    try {
      const snapshot = this.#options.snapshot();
      this.#lastSnapshotBytes = await writeSnapshot(dir, snapshot);
      for (const file of numberedFiles(dir, 'snapshot')) if (file.revision < snapshot.revision) rmSync(file.path);
      for (const file of numberedFiles(dir, 'log')) if (file.path < currentLog) rmSync(file.path);
      log.debug({ dir, revision: snapshot.revision, bytes: this.#lastSnapshotBytes }, 'a snapshot is written');
    } catch (error) {
      log.warn({ error: messageOf(error), dir }, 'no snapshot could be written; all logs are kept');
    }
  }
}
