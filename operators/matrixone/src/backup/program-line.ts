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

/** The shell line that restores what is at a place and of which nothing else is known; the keys of both sides are in the environment. */
export function restoreExternalLine(source: SharedStorage, target: SharedStorage): string {
  const from = placeWords(source, 'backup_', '$AWS_');
  const words = ['/mo_br restore', `--backup_dir ${source.s3 ? 's3' : 'filesystem'}`, ...from];
  return [...words, `--restore_dir ${target.s3 ? 's3' : 'filesystem'}`, ...restoreTargetWords(target)].join(' ');
}

function restoreTargetWords(target: SharedStorage): readonly string[] {
  return placeWords(target, 'restore_', '$RESTORE_');
}

/** @param prefix of the flags @param keys prefix of the variables with the keys */
function placeWords({ s3, fileSystem }: SharedStorage, prefix: string, keys: string): readonly string[] {
  if (!s3) return [`--${prefix}path=${shellWord(fileSystem?.path ?? '')}`];
  const { bucket, prefix: folder } = splitS3Path(s3.path);
  return [
    `--${prefix}endpoint=${shellWord(s3.endpoint ?? '')}`,
    `--${prefix}bucket=${shellWord(bucket)}`,
    ...(folder === '' ? [] : [`--${prefix}filepath=${shellWord(folder)}`]),
    ...(s3.region ? [`--${prefix}region=${shellWord(s3.region)}`] : []),
    ...(s3.secretRef
      ? [`--${prefix}access_key_id=${keys}ACCESS_KEY_ID`, `--${prefix}secret_access_key=${keys}SECRET_ACCESS_KEY`]
      : []),
    ...(s3.type === 'minio' ? [`--${prefix}is_minio`] : []),
  ];
}
