import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from '../matrixone/storage/index.ts';

/** What is written down about a backup. */
export interface BackupRecord {
  readonly id: string;
  readonly place: Place;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly done: number;
}

const fileName = 'mo_br.meta';
const timeOf = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

function placeText(place: Place): string {
  if (place.kind === 'folder') return `BackupDir: filesystem Path: ${place.path}`;
  return `BackupDir: s3 Endpoint: ${place.endpoint} Bucket: ${place.bucket} Filepath: ${place.prefix}`;
}

/** Records go through a shell without quotes: nothing in them may depend on how many blanks there are. */
function lineOf({ id, place, at, done }: BackupRecord): string {
  return `${[id, '', placeText(place), timeOf(at), `${(done - at) / 1000}s`, timeOf(done)].join(',')}\n`;
}

function parsePlace(text: string): Place | undefined {
  const [, path] = /^BackupDir: filesystem Path: (.+)$/.exec(text) ?? [];
  if (path) return { kind: 'folder', path };
  const [, endpoint = '', bucket, prefix = ''] =
    /^BackupDir: s3 Endpoint: (.*) Bucket: (\S+) Filepath: ?(.*)$/.exec(text) ?? [];
  return bucket ? { kind: 's3', endpoint, bucket, prefix } : undefined;
}

/** Writes the file of records, with one. */
export async function writeRecord(folder: string, record: BackupRecord): Promise<void> {
  await writeFile(join(folder, fileName), lineOf(record));
}

/** Where the backup of that id is. @throws Error when the file does not say, or is not the one that its checksum was made of */
export async function placeOfBackup(folder: string, id: string): Promise<Place> {
  const file = join(folder, fileName);
  const text = await readFile(file, 'utf8');
  const checksum = (await readFile(`${file}.sha256`, 'utf8')).trim();
  if (createHash('sha256').update(text).digest('hex') !== checksum)
    throw new Error(`${file} and its checksum do not agree`);
  const found = text.split('\n').find((line) => line.split(',', 1)[0] === id);
  const place = found && parsePlace(found.split(',').slice(2, -3).join(','));
  if (!place) throw new Error(`${file} has no backup ${id}`);
  return place;
}
