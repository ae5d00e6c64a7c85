import { expect, test } from 'vitest';
import { recordIn, timesOf } from './backup-record.ts';
import { backupLine, restoreExternalLine, restoreLine, shellWord } from './program-line.ts';
import { decodeReport } from './report.ts';

const at = { host: 'h', port: 1 };

test.each([
  ['plain-1.x/y:8,z', 'plain-1.x/y:8,z'],
  ['a b', "'a b'"],
  ['$(MO_PASSWORD)', "'$$(MO_PASSWORD)'"],
  ['x;reboot', "'x;reboot'"],
  ["it's", "'it'\\''s'"],
])('the text %s is one word for the shell and nothing for Kubernetes: %s', (text, word) => {
  expect(shellWord(text)).toBe(word);
});

test('a file system is a path for the program', () => {
  const disk = { fileSystem: { path: '/mnt/a b' } };
  expect(backupLine(at, disk)).toContain("--backup_dir=filesystem --path='/mnt/a b' &&");
  expect(restoreLine('id', disk, disk)).toMatch(
    / \/mo_br restore id --restore_dir filesystem --restore_path='\/mnt\/a b'$/,
  );
});

test('of a backup that nobody has a record of the place is told, with keys of its own', () => {
  const minio = { type: 'minio', endpoint: 'http://s3', secretRef: { name: 'keys' } };
  const source = { s3: { ...minio, path: 'lake/old backup', region: 'eu-central-1' } };
  expect(restoreExternalLine(source, { s3: { ...minio, path: 'lake/new' } })).toBe(
    [
      '/mo_br restore --backup_dir s3 --backup_endpoint=http://s3 --backup_bucket=lake',
      "--backup_filepath='old backup' --backup_region=eu-central-1",
      '--backup_access_key_id=$AWS_ACCESS_KEY_ID --backup_secret_access_key=$AWS_SECRET_ACCESS_KEY --backup_is_minio',
      '--restore_dir s3 --restore_endpoint=http://s3 --restore_bucket=lake --restore_filepath=new',
      '--restore_access_key_id=$RESTORE_ACCESS_KEY_ID --restore_secret_access_key=$RESTORE_SECRET_ACCESS_KEY',
      '--restore_is_minio',
    ].join(' '),
  );
  const disk = (path: string) => ({ fileSystem: { path } });
  expect(restoreExternalLine(disk('/old'), disk('/new'))).toBe(
    '/mo_br restore --backup_dir filesystem --backup_path=/old --restore_dir filesystem --restore_path=/new',
  );
});

test('slashes around an S3 path name no folder', () => {
  expect(backupLine(at, { s3: { path: '/lake/' } })).toContain('--endpoint= --bucket=lake &&');
});

test('the region of a target is told where there is one', () => {
  const target = { s3: { path: 'lake/a', region: 'eu-central-1', endpoint: 'http://s3' } };
  expect(backupLine(at, target)).toContain('--bucket=lake --filepath=a --region=eu-central-1 &&');
  expect(restoreLine('id', target, target)).toMatch(/--restore_filepath=a --restore_region=eu-central-1$/);
  expect(backupLine(at, { s3: { path: 'lake/a' } })).not.toContain('region');
});

test.each([
  ['x META_DELIMITER\n id-1,2\n', { id: 'id-1', raw: 'id-1,2' }],
  ['META_DELIMITER a,b META_DELIMITER c', { id: 'c', raw: 'c' }],
])('the record in %j', (stdout, record) => {
  expect(recordIn(stdout)).toEqual(record);
});

test.each(['', 'META_DELIMITER', 'META_DELIMITER ,x', 'META_DELIMITER -x,y', 'META_DELIMITER a b,c'])(
  'in %j there is no record, and why is said',
  (stdout) => expect(recordIn(stdout)).toMatch(/record/),
);

test.each([
  ['a,1,p,2026-01-02 03:04:05,1s,2026-01-02 04:00:00.5', '2026-01-02T03:04:05Z', '2026-01-02T04:00:00Z'],
  ['a,1,p,2026-01-02T03:04:05.7+08:00,1s,2026-01-02 04:00:00 +0800', '2026-01-01T19:04:05Z', '2026-01-01T20:00:00Z'],
  ['a,2026-13-45 99:99:99', '2026-05-05T00:00:00Z', '2026-06-06T00:00:00Z'],
  ['a,1,p', '2026-05-05T00:00:00Z', '2026-06-06T00:00:00Z'],
])('the times in %s', (raw, shows, end) => {
  const job = { metadata: { name: 'a' }, status: { startTime: '2026-05-05T00:00:00Z' } };
  const now = Date.parse('2026-06-06T00:00:00Z');
  expect(timesOf({ id: 'a', raw }, job, now)).toEqual({ at: shows, done: end });
});

test('a report may leave out what it has nothing to say about, and may be nothing else', () => {
  expect(decodeReport('{"command":"x","completed":true,"exitCode":2}')).toEqual({
    completed: true,
    exitCode: 2,
    stdout: '',
    stderr: '',
  });
  for (const text of ['', '[]', 'null', '<html>', '{"completed":1}', '{"exitCode":"0"}', '{"stdout":[]}'])
    expect(() => decodeReport(text), text).toThrow('the answer is no report');
});
