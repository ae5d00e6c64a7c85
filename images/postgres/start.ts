/**
 * PostgreSQL in a pod of a StatefulSet: the pod with ordinal 0 is the primary, the others copy it once and follow it from then on.
 *
 * | variable | |
 * | --- | --- |
 * | `PGDATA` | where the data is; on a volume of the pod |
 * | `POD_NAME` | `NAME-ORDINAL` |
 * | `POD_IP` | the address to listen on |
 * | `PRIMARY` | host name of the pod with ordinal 0, such as `pg-0.pg` |
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, appendFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { baseBackup } from './base-backup.ts';
import { findPrograms, type Programs } from './programs.ts';

const user = 'postgres';

function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`the variable ${name} is not set`);
  return value;
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const [code] = (await once(spawn(program, args, { env, stdio: 'inherit' }), 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

/** A new database. It appears whole under its name or not at all, so that a start that was cut off begins anew. */
async function initialise({ initdb, env }: Programs, data: string): Promise<void> {
  const aside = `${data}.new`;
  await rm(aside, { recursive: true, force: true });
  await run(initdb, ['-D', aside, '-U', user, '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C.UTF-8'], env);
  const hosts = `host all all 0.0.0.0/0 trust\nhost replication all 0.0.0.0/0 trust\n`;
  await appendFile(join(aside, 'pg_hba.conf'), hosts);
  await rename(aside, data);
}

/** A copy of the primary that follows it. */
async function copyPrimary(primary: string, data: string): Promise<void> {
  const aside = `${data}.new`;
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { mode: 0o700 });
  await baseBackup({ host: primary, user }, aside);
  await writeFile(join(aside, 'standby.signal'), '');
  await rename(aside, data);
}

/** Kubernetes asks with SIGTERM; PostgreSQL takes that as "when the last client has left", and SIGINT as "now". */
function passSignals(server: ChildProcess): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => server.kill('SIGINT'));
}

async function main(): Promise<void> {
  const data = variable('PGDATA');
  const name = variable('POD_NAME');
  const primary = variable('PRIMARY');
  const isPrimary = /-0$/.test(name);
  const scratch = await mkdtemp(join(tmpdir(), 'postgres-'));
  const programs = await findPrograms(join(scratch, 'lib'));
  await mkdir(dirname(data), { recursive: true });
  if (!(await isThere(join(data, 'PG_VERSION')))) {
    console.log(isPrimary ? 'makes a new database' : `copies ${primary}`);
    await (isPrimary ? initialise(programs, data) : copyPrimary(primary, data));
  }
  const settings = {
    listen_addresses: variable('POD_IP'),
    unix_socket_directories: scratch,
    cluster_name: name,
    wal_keep_size: '256MB',
    ...(isPrimary ? {} : { primary_conninfo: `host=${primary} user=${user} application_name=${name}` }),
  };
  const args = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const server = spawn(programs.postgres, ['-D', data, ...args], { env: programs.env, stdio: 'inherit' });
  passSignals(server);
  const [code, signal] = (await once(server, 'exit')) as [number | null, string | null];
  await rm(scratch, { recursive: true, force: true });
  process.exitCode = code ?? (signal === 'SIGKILL' ? 137 : 1);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
