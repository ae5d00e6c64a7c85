import { copyObjects, type ObjectStore } from '../storage/index.ts';
import { SqlError } from '../wire/mysql.ts';
import type { Run, StatementContext } from './statement.ts';

/** What a backup consists of, below where it goes. The mark is written last: without it there is no backup. */
export const backupLayout = { data: 'tae/', list: 'tae_list', haKeeper: 'hakeeper/hk_data', mark: 'mo_meta' } as const;

function targetOf(directory: string | undefined, options: string, { openStore }: StatementContext): ObjectStore {
  if (directory !== undefined) return openStore({ kind: 'folder', path: directory });
  const given = new Map(
    [...options.matchAll(/'([^']*)'\s*=\s*'([^']*)'/g)].map(([, key = '', value = '']) => [key, value]),
  );
  const { endpoint = '', bucket = '', filepath = '' } = Object.fromEntries(given);
  if (bucket === '') throw new SqlError(20101, 'the bucket of the backup is not given');
  return openStore(
    { kind: 's3', endpoint, bucket, prefix: filepath },
    {
      accessKeyId: given.get('access_key_id'),
      secretAccessKey: given.get('secret_access_key'),
      region: given.get('region'),
    },
  );
}

const backup: Run = async ([, id = '', directory, options = ''], session, context) => {
  if (session.account !== 'sys') throw new SqlError(20101, 'only the sys account takes backups');
  const { storage } = context;
  if (!storage) throw new SqlError(20101, 'there is no file service S3 or SHARED, so there is nothing to back up');
  const target = targetOf(directory, options, context);
  try {
    const { keys } = await copyObjects(storage, '', target, backupLayout.data);
    await target.put(`${backupLayout.data}${backupLayout.list}`, keys.join('\n'));
    await target.put(backupLayout.haKeeper, JSON.stringify({ backup: id }));
    await target.put(backupLayout.mark, JSON.stringify({ id, objects: keys.length }));
  } catch (error) {
    throw new SqlError(20101, `the backup failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  return undefined;
};

/** `BACKUP 'id' FILESYSTEM 'dir'` and `BACKUP 'id' S3OPTION {…}`: the node that is asked copies what all nodes share. */
export const backupStatements: readonly (readonly [RegExp, Run])[] = [
  [/^backup\s+'([\w-]+)'\s+(?:filesystem\s+'([^']*)'|s3option\s*\{(.*?)\})(?:\s+parallelism\s+'\d*')?$/is, backup],
];
