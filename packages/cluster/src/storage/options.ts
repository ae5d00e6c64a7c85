import type { Clock, Logger } from '@coxswain/runtime/core';

/** How much of the past is kept, per resource. What is older answers 410 Expired. */
export interface HistoryOptions {
  /** Milliseconds for which lists at an old revision, continue tokens and watches keep working; default 5 minutes. */
  readonly age?: number;
  /** Events kept for watches even when they are older than `age`; default 10 000. */
  readonly minEvents?: number;
  /** Events kept at most, even when they are younger than `age`; default 100 000. */
  readonly maxEvents?: number;
}

export interface StorageOptions {
  /** Directory that keeps the state; made when missing. Absent: memory only. */
  readonly dir?: string;
  /**
   * `always`: `flushed()` waits until the disk has it. `interval`: until the operating system has it, and the disk within a second.
   * `off`: until the operating system has it. Without effect in memory. A killed process loses nothing with any of them; when the
   * machine loses power, the last two may lose acknowledged commits, whose revisions are then given out again.
   */
  readonly fsync: 'always' | 'interval' | 'off';
  readonly clock: Clock;
  readonly log: Logger;
  readonly history?: HistoryOptions;
  /** Bytes of text of the objects that are kept in memory as objects too, because they were used lately; default 16 MiB. */
  readonly recentBytes?: number;
  /** Log bytes after which a new snapshot is worth writing; default 64 MiB (and at least twice the last snapshot). */
  readonly snapshotBytes?: number;
}

export const historyDefaults: Required<HistoryOptions> = { age: 300_000, minEvents: 10_000, maxEvents: 100_000 };
