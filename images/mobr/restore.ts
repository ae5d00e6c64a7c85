import { backupLayout } from '../matrixone/sql/backup.ts';
import { copyObjects, openStore } from '../matrixone/storage/index.ts';
import { accessIn, parseFlags, placeOf } from './flags.ts';
import { placeOfBackup } from './record.ts';
import type { Surroundings } from './run.ts';

const ofPlace = ['endpoint', 'access_key_id', 'secret_access_key', 'bucket', 'filepath', 'region', 'path', 'dir'];
const known = [...ofPlace.flatMap((name) => [`restore_${name}`, `backup_${name}`]), 'meta_path', 'parallelism'];
/** Where log stores look for what HAKeeper knew, and nodes for the data of tables. */
const haKeeper = 'hk_data';
const dataFolder = { s3: 'data/', folder: '' };

/**
 * `mo_br restore ID`, or `mo_br restore` with the place of the backup: brings a backup to where a new cluster looks for its data.
 * @throws Error when there is data already
 */
export async function restoreBackup(args: readonly string[], { env, folder, say }: Surroundings): Promise<void> {
  const flags = parseFlags(args, known, ['restore_is_minio', 'backup_is_minio']);
  const [id] = flags.words;
  const { meta_path: metaFolder = folder, restore_dir: kind = '', backup_dir: backupKind } = flags.values;
  if (!id && !backupKind) throw new Error('the ID of the backup, or --backup_dir, must be given');
  const region = env['AWS_REGION'];
  const source = id ? await placeOfBackup(metaFolder, id) : placeOf(flags, backupKind ?? '', 'backup_');
  const from = openStore(source, accessIn(flags, 'backup_', region));
  const place = placeOf(flags, kind, 'restore_');
  const to = openStore(place, accessIn(flags, 'restore_', region));
  const told = id ? `backup ${id}` : 'the backup';
  const mark = await from.get(backupLayout.mark);
  const state = await from.get(backupLayout.haKeeper);
  if (mark === undefined || state === undefined) throw new Error(`${told} is not where it is said to be, or not whole`);
  if ((await to.get(haKeeper)) !== undefined) throw new Error('there is a cluster already where the backup is to go');
  const { keys } = await copyObjects(from, backupLayout.data, to, dataFolder[place.kind]);
  await to.put(haKeeper, state);
  say(`${told} is restored: ${keys.length} objects\n`);
}
