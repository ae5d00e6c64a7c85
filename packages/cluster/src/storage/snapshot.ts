import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DataDirError, messageOf } from './errors.ts';
import { snapshotMark, snapshotPath, syncDirectory } from './files.ts';
import { pushFrame, readFrames } from './frames.ts';
import { splitObject } from './record.ts';
import type { StorageKey } from './types.ts';

/** All objects at one revision. */
export interface Snapshot {
  readonly revision: number;
  /** Keys and texts. */
  readonly entries: readonly (readonly [StorageKey, Buffer])[];
}

interface Head {
  readonly revision: number;
  readonly count: number;
}

const batchBytes = 1024 * 1024;

/**
 * Writes a snapshot beside the others: under another name first, so that a snapshot with a right name is whole.
 * Lets other work go on in between. Answers its size in bytes.
 */
export async function writeSnapshot(dir: string, snapshot: Snapshot): Promise<number> {
  const path = snapshotPath(dir, snapshot.revision);
  const temporary = `${path}.tmp`;
  try {
    const size = await writeEntries(temporary, snapshot);
    await rename(temporary, path);
    syncDirectory(dir);
    return size;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeEntries(path: string, snapshot: Snapshot): Promise<number> {
  const file = await open(path, 'w', 0o600);
  try {
    const head: Head = { revision: snapshot.revision, count: snapshot.entries.length };
    let parts: Buffer[] = [Buffer.from(snapshotMark)];
    let bytes = snapshotMark.length + pushFrame(parts, [Buffer.from(JSON.stringify(head))]);
    let size = 0;
    const flush = async () => {
      await file.writeFile(Buffer.concat(parts));
      size += bytes;
      parts = [];
      bytes = 0;
    };
    for (const [{ resource, namespace, name }, json] of snapshot.entries) {
      const key = Buffer.from(`{"key":${JSON.stringify({ resource, namespace, name })},"object":`);
      bytes += pushFrame(parts, [key, json, close]);
      if (bytes >= batchBytes) await flush();
    }
    await flush();
    await file.sync();
    return size;
  } finally {
    await file.close();
  }
}

const close = Buffer.from('}');

/** @throws SyntaxError or TypeError */
function entryOf(payload: Buffer): [StorageKey, Buffer] {
  const { head, json } = splitObject(payload);
  if (!json) throw new TypeError('an entry without an object');
  return [(head as { readonly key: StorageKey }).key, json];
}

/** @throws DataDirError when the file is not a whole snapshot */
export function readSnapshot(path: string): Snapshot {
  let head: Head | undefined;
  const entries: [StorageKey, Buffer][] = [];
  const fault = (offset: number, why: string) =>
    new DataDirError(
      path,
      `snapshot ${path} is damaged at offset ${offset} (${why}): restore ${dirname(path)} from a copy, or start with an empty directory`,
    );
  const { end, size } = readFrames(path, snapshotMark, (payload, offset) => {
    try {
      if (!head) head = JSON.parse(payload.toString('utf8')) as Head;
      else entries.push(entryOf(payload));
    } catch (error) {
      throw fault(offset, messageOf(error));
    }
  });
  if (end < size) throw fault(end, 'a record that does not match its checksum');
  if (head?.count !== entries.length)
    throw fault(size, `it ends after ${entries.length} of ${head?.count ?? '?'} objects`);
  return { revision: head.revision, entries };
}
