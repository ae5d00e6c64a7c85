import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { systemClock } from '@coxswain/runtime/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cnToml, eventually, logToml, TestPrograms, tnToml } from '../matrixone/test-program.ts';
import { SqlClient } from '../matrixone/test-sql-client.ts';
import { backupStatement } from './backup.ts';
import { runProgram } from './run.ts';
import { serveStatus } from './serve-status.ts';

const fileService = (name: string, folder: string) =>
  `[[fileservice]]\nname = "${name}"\nbackend = "DISK"\ndata-dir = "DIR/${folder}"\n`;
const restore = '[logservice.BootstrapConfig.restore]\nfile-path = "BACKUP://hk_data"\n';

let programs: TestPrograms;
beforeAll(async () => {
  programs = await TestPrograms.make();
});
afterAll(() => programs.close());

/** A log store, a transaction node and a compute node over one storage. @returns where SQL is spoken */
async function startCluster(name: string, index: number, log: string): Promise<string> {
  const keeper = (await programs.start(`${name}-log`, logToml(index, [0, 0], [`log-${index}`]) + log)).addresses;
  const service = keeper['service'] ?? '';
  const storage = fileService('S3', name);
  const tn = tnToml(service).replaceAll('DIR/tn', `DIR/${name}-tn`);
  const [, cn] = await Promise.all([
    programs.start(`${name}-tn`, tn + storage),
    programs.start(`${name}-cn`, cnToml(service, `${name}-cn`) + storage),
  ]);
  return cn.addresses['sqlAddress'] ?? '';
}

async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  let said = '';
  const note = (text: string) => {
    said += text;
  };
  const { folder } = programs;
  const code = await runProgram(args, {
    clock: systemClock,
    env: {},
    folder,
    newId: () => '0192-aaaa',
    say: note,
    complain: note,
  });
  return { code, said };
}

test('a cluster that is backed up and restored has its rows, and is restored once', { timeout: 60_000 }, async () => {
  const address = await startCluster('old', 0, '');
  const client = await eventually(() => SqlClient.connect(address));
  await client.query('create table notes (body text)');
  await client.query("insert into notes values ('it''s here'), ('two')");
  await expect(client.query('create table notes (body text)')).rejects.toThrow('already exists');
  await expect(client.query('select * from other')).rejects.toThrow('does not exist');
  await client.query('create table if not exists notes (body text)');
  await expect(client.query('drop table notes')).rejects.toThrow('it has no storage engine and knows: ');
  await client.query('create table more (body text)');
  await client.query('insert into more values ("in ""other"" quotes")');
  expect(await client.query('select * from more')).toEqual([{ body: 'in "other" quotes' }]);
  expect(await client.query('show tables')).toEqual([{ Tables: 'more' }, { Tables: 'notes' }]);

  const [host = '', port = ''] = address.split(':');
  const login = ['--host', host, `--port=${port}`, '--user=root'];
  const backup = ['--backup_dir=filesystem', `--path=${programs.folder}/backup`];
  expect(await run('backup', ...login, '--password=no', ...backup)).toMatchObject({ code: 1 });
  expect(await run('backup', ...login, '--password=111', ...backup)).toMatchObject({ code: 0 });
  await client.query("insert into notes values ('later')");
  const meta = await readFile(join(programs.folder, 'mo_br.meta'), 'utf8');
  expect(meta).toMatch(/^0192-aaaa,,BackupDir: filesystem Path: \S+,\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,/);

  const target = ['--restore_dir', 'filesystem', `--restore_path=${programs.folder}/new`];
  expect((await run('restore', '0192-aaaa', ...target)).said).toContain('mo_br.meta.sha256');
  const checksum = createHash('sha256').update(meta).digest('hex');
  await writeFile(join(programs.folder, 'mo_br.meta.sha256'), checksum);
  expect((await run('restore', '0193', ...target)).said).toContain('has no backup 0193');
  expect(await run('restore', '0192-aaaa', ...target)).toMatchObject({ code: 0 });
  expect((await run('restore', '0192-aaaa', ...target)).said).toContain('there is a cluster already');

  const external = ['--backup_dir', 'filesystem', `--backup_path=${programs.folder}/backup`];
  const other = ['--restore_dir', 'filesystem', `--restore_path=${programs.folder}/other`];
  expect((await run('restore', ...other)).said).toContain('--backup_dir, must be given');
  expect((await run('restore', ...external.slice(0, 2), '--backup_path=/nowhere', ...other)).code).toBe(1);
  expect(await run('restore', ...external, ...other)).toMatchObject({ code: 0 });
  const bytes = (name: string) => readFile(join(programs.folder, name, 'hk_data'));
  expect(await bytes('other')).toEqual(await bytes('new'));

  const restored = await startCluster('new', 1, restore + fileService('BACKUP', 'new'));
  const again = await eventually(() => SqlClient.connect(restored));
  expect(await again.query('select * from notes')).toEqual([{ body: "it's here" }, { body: 'two' }]);
  expect(await client.query('select * from notes')).toHaveLength(3);
});

test('a log store that is to begin with a backup does not begin without', async () => {
  const toml = logToml(2, [0, 0, 0], ['log-2']) + restore + fileService('BACKUP', 'nothing');
  await expect(programs.start('empty-log', toml)).rejects.toThrow('ended with 2: panic: HAKeeper cannot be restored');
});

test('what a statement cannot hold is refused', () => {
  const place = { kind: 's3', endpoint: 'http://s3', bucket: 'lake', prefix: 'a/b' } as const;
  const keys = { accessKeyId: 'key', secretAccessKey: 'secret' };
  expect(backupStatement('1', place, keys)).toBe(
    "backup '1' s3option {'endpoint'='http://s3', 'access_key_id'='key', 'secret_access_key'='secret', 'bucket'='lake', 'filepath'='a/b'}",
  );
  expect(() => backupStatement('1', { ...place, prefix: "a'b" }, keys)).toThrow('cannot hold');
});

test('a command is told of while it runs and after its end', async () => {
  const line = 'echo one; echo two >&2; exit 3';
  const status = await serveStatus(line, { host: '127.0.0.1', port: 0, echo: new PassThrough() });
  try {
    const ask = async (path: string) => fetch(`http://127.0.0.1:${status.port}/${path}`);
    const over = await eventually(async () => {
      const report: unknown = await (await ask('status')).json();
      expect(report).toMatchObject({ completed: true });
      return report;
    });
    expect(over).toEqual({ command: line, completed: true, stdout: 'one\n', stderr: 'two\n', exitCode: 3 });
    expect((await ask('else')).status).toBe(404);
  } finally {
    status.close();
  }
});
