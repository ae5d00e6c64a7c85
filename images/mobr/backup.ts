import { createConnection } from 'mysql2/promise';
import type { Place, S3Access } from '../matrixone/storage/index.ts';
import { accessIn, parseFlags, placeOf } from './flags.ts';
import { writeRecord } from './record.ts';
import type { Surroundings } from './run.ts';

const login = ['host', 'port', 'user', 'password'];
const s3 = ['endpoint', 'access_key_id', 'secret_access_key', 'bucket', 'filepath', 'region'];
const known = [...login, ...s3, 'backup_dir', 'path', 'parallelism', 'meta_path'];
/** Milliseconds until a connection must be there. */
const connectTimeout = 10_000;

/** The statement that has the cluster copy its data. @throws Error for what cannot be said in it */
export function backupStatement(id: string, place: Place, access: S3Access): string {
  const quoted = (text: string) => {
    if (/['\\]/.test(text)) throw new Error(`${JSON.stringify(text)} has characters that the statement cannot hold`);
    return `'${text}'`;
  };
  if (place.kind === 'folder') return `backup '${id}' filesystem ${quoted(place.path)} parallelism '1'`;
  const { accessKeyId = '', secretAccessKey = '', region = '' } = access;
  const options = {
    endpoint: place.endpoint,
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    bucket: place.bucket,
    filepath: place.prefix,
    region,
  };
  const given = Object.entries(options).filter(([, value]) => value !== '');
  return `backup '${id}' s3option {${given.map(([key, value]) => `'${key}'=${quoted(value)}`).join(', ')}}`;
}

/** `mo_br backup`: the cluster does it, told by SQL; the record goes to the file of records. */
export async function takeBackup(
  args: readonly string[],
  { clock, env, folder, newId, say }: Surroundings,
): Promise<void> {
  const flags = parseFlags(args, known, ['is_minio']);
  const { host, port = '6001', user, password, backup_dir: kind = '', meta_path: metaFolder = folder } = flags.values;
  if (!host || !user) throw new Error('--host and --user must be set');
  const place = placeOf(flags, kind);
  const id = newId();
  const at = clock.now();
  const connection = await createConnection({
    host,
    port: Number(port),
    user,
    password: password ?? '',
    connectTimeout,
  });
  try {
    await connection.query(backupStatement(id, place, accessIn(flags, '', env['AWS_REGION'])));
  } finally {
    connection.destroy();
  }
  await writeRecord(metaFolder, { id, place, at, done: clock.now() });
  say(`Backup ${id} is done\n`);
}
