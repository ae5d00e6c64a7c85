import { statSync, truncateSync } from 'node:fs';
import type { Logger } from '@coxswain/runtime/core';
import { DataDirError, messageOf } from './errors.ts';
import { logMark, numberedFiles } from './files.ts';
import { markBytes, readFrames, soundFrameAfter } from './frames.ts';
import { type LogRecord, parseRecord, recordStart } from './record.ts';
import { readSnapshot } from './snapshot.ts';
import { firstRevision } from './store.ts';
import type { StorageKey } from './types.ts';

/** What a data directory holds. */
export interface Recovered {
  /** Of the newest commit. */
  readonly revision: number;
  readonly entries: Iterable<readonly [StorageKey, Buffer]>;
  /** The newest log and its size: where to go on writing. */
  readonly log?: { readonly path: string; readonly size: number };
  readonly snapshotBytes: number;
}

interface State {
  revision: number;
  readonly entries: Map<string, readonly [StorageKey, Buffer]>;
}

const keyText = (key: StorageKey) => `${key.resource}\0${key.namespace}\0${key.name}`;

/**
 * Reads the newest snapshot and the logs after it. A torn end of the newest log, left by a process or machine that died while
 * writing, is cut off and said in the log: it was never acknowledged as durable.
 * @throws DataDirError when a file is damaged anywhere else, or one is missing
 */
export function recover(dir: string, log: Logger): Recovered {
  const newest = numberedFiles(dir, 'snapshot').at(-1);
  const snapshot = newest && readSnapshot(newest.path);
  const state: State = { revision: snapshot?.revision ?? firstRevision, entries: new Map() };
  for (const entry of snapshot?.entries ?? []) state.entries.set(keyText(entry[0]), entry);
  const logs = numberedFiles(dir, 'log');
  let size = 0;
  for (const [index, { path }] of logs.entries()) {
    size = replayLog(path, state, index === logs.length - 1 ? log : undefined);
  }
  const last = logs.at(-1);
  return {
    revision: state.revision,
    entries: state.entries.values(),
    ...(last ? { log: { path: last.path, size } } : {}),
    snapshotBytes: newest ? statSync(newest.path).size : 0,
  };
}

/** @param log given for the newest log only, whose end may be torn. Answers the sound size. */
function replayLog(path: string, state: State, log: Logger | undefined): number {
  const { end, size } = readFrames(path, logMark, (payload, offset) => {
    const record = recordAt(path, payload, offset);
    if (record.rv <= state.revision) return;
    if (record.rv !== state.revision + 1) {
      throw damaged(path, offset, `revision ${record.rv} follows ${state.revision}: a file is missing`);
    }
    apply(state, record);
  });
  if (end === size) return size;
  if (end === 0 && size >= markBytes) throw damaged(path, 0, 'it does not begin like a log of this version');
  if (!log || soundFrameAfter(path, end, recordStart))
    throw damaged(path, end, 'a record that does not match its checksum');
  log.warn(
    { file: path, offset: end, dropped: size - end },
    'the log ends in the middle of a record; the torn end is cut off',
  );
  truncateSync(path, end);
  return end;
}

function recordAt(path: string, payload: Buffer, offset: number): LogRecord {
  try {
    return parseRecord(payload);
  } catch (error) {
    throw damaged(path, offset, messageOf(error));
  }
}

function apply(state: State, { rv, key, json }: LogRecord): void {
  if (json) state.entries.set(keyText(key), [key, json]);
  else state.entries.delete(keyText(key));
  state.revision = rv;
}

function damaged(path: string, offset: number, why: string): DataDirError {
  return new DataDirError(
    path,
    `log ${path} is damaged at offset ${offset} (${why}): restore the data directory from a copy, or give up everything written ` +
      `after that point by cutting the file to ${offset} bytes and removing newer logs`,
  );
}
