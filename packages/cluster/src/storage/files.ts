import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const logMark = 'coxlog1\n';
export const snapshotMark = 'coxsnp1\n';

/** One numbered file of a data directory. */
export interface NumberedFile {
  readonly path: string;
  /** Of a log: the first revision it may hold. Of a snapshot: the revision it shows. */
  readonly revision: number;
}

const padded = (revision: number) => String(revision).padStart(16, '0');

export const logPath = (dir: string, firstRevision: number): string => join(dir, `log-${padded(firstRevision)}`);
export const snapshotPath = (dir: string, revision: number): string => join(dir, `snapshot-${padded(revision)}`);

/** Logs or snapshots of a directory, oldest first. */
export function numberedFiles(dir: string, kind: 'log' | 'snapshot'): NumberedFile[] {
  const files: NumberedFile[] = [];
  for (const name of readdirSync(dir)) {
    const match = /^(log|snapshot)-(\d{16})$/.exec(name);
    if (match?.[1] === kind) files.push({ path: join(dir, name), revision: Number(match[2]) });
  }
  return files.sort((a, b) => a.revision - b.revision);
}

/** Half-written files of a process that died. */
export function leftovers(dir: string): string[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith('.tmp'))
    .map((name) => join(dir, name));
}

/** Makes creations, renames and removals in a directory survive a power cut. */
export function syncDirectory(dir: string): void {
  const fd = openSync(dir, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
