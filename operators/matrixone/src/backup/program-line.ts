import type { SharedStorage } from '../api/index.ts';
import { splitS3Path } from '../config/index.ts';

/** Stands between what the program says and its record of the backup. */
export const META_DELIMITER = 'META_DELIMITER';

const plain = /^[\w@%+=:,./-]*$/;

/**
 * A text as one word of a shell line within a container's command. Words of plain characters stay as they are, which keeps
 * the lines of the upstream operator; all others are quoted, and what Kubernetes would take for a variable is escaped.
 */
export function shellWord(text: string): string {
  const word = plain.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  return literal(word);
}

/** A text in which Kubernetes, that replaces `$(NAME)` in commands and variables, finds nothing to replace. */
export function literal(text: string): string {
  return text.replaceAll('$', () => '$$');
}

/** Where SQL clients reach what is backed up. */
export interface SqlAddress {
  readonly host: string;
  readonly port: number;
}

/** The shell line that takes a backup; user, password and keys are in the environment. */
export function backupLine({ host, port }: SqlAddress, target: SharedStorage): string {
  const words = [
    '/mo_br backup',
    `--host=${shellWord(host)}`,
    `--port=${port}`,
    '--user=$MO_USER',
    '--password=$MO_PASSWORD',
    ...targetWords(target),
  ];
  return `${words.join(' ')} && echo ${META_DELIMITER} && cat /mo_br.meta`;
}

function targetWords({ s3, fileSystem }: SharedStorage): readonly string[] {
  if (!s3) return ['--backup_dir=filesystem', `--path=${shellWord(fileSystem?.path ?? '')}`];
  const { bucket, prefix } = splitS3Path(s3.path);
  return [
    '--backup_dir=s3',
    `--endpoint=${shellWord(s3.endpoint ?? '')}`,
    `--bucket=${shellWord(bucket)}`,
    ...(prefix === '' ? [] : [`--filepath=${shellWord(prefix)}`]),
    ...(s3.region ? [`--region=${shellWord(s3.region)}`] : []),
    ...(s3.type === 'minio' ? ['--is_minio'] : []),
    ...(s3.secretRef ? ['--access_key_id=$AWS_ACCESS_KEY_ID', '--secret_access_key=$AWS_SECRET_ACCESS_KEY'] : []),
  ];
}

/** The shell line that restores a backup; its record, and the keys of both sides, are in the environment. */
export function restoreLine(id: string, source: SharedStorage, target: SharedStorage): string {
  const meta = `echo $RAW_META > /mo_br.meta && sha256sum mo_br.meta | awk '{printf "%s",$1}' > mo_br.meta.sha256`;
  const words = [
    `/mo_br restore ${shellWord(id)}`,
    `--restore_dir ${target.s3 ? 's3' : 'filesystem'}`,
    ...(source.s3?.secretRef
      ? ['--backup_access_key_id=$AWS_ACCESS_KEY_ID', '--backup_secret_access_key=$AWS_SECRET_ACCESS_KEY']
      : []),
    ...restoreTargetWords(target),
  ];
  return `${meta} && ${words.join(' ')}`;
}

function restoreTargetWords({ s3, fileSystem }: SharedStorage): readonly string[] {
  if (!s3) return [`--restore_path=${shellWord(fileSystem?.path ?? '')}`];
  const { bucket, prefix } = splitS3Path(s3.path);
  return [
    `--restore_endpoint=${shellWord(s3.endpoint ?? '')}`,
    `--restore_bucket=${shellWord(bucket)}`,
    ...(prefix === '' ? [] : [`--restore_filepath=${shellWord(prefix)}`]),
    ...(s3.region ? [`--restore_region=${shellWord(s3.region)}`] : []),
    ...(s3.secretRef
      ? ['--restore_access_key_id=$RESTORE_ACCESS_KEY_ID', '--restore_secret_access_key=$RESTORE_SECRET_ACCESS_KEY']
      : []),
    ...(s3.type === 'minio' ? ['--restore_is_minio'] : []),
  ];
}
