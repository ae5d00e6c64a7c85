import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type HaKeeper, queryCn } from '@coxswain/operator-matrixone/mo';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseFaults } from './nodes/faults.ts';
import { cnToml, eventually, freePorts, logToml, TestPrograms, tnToml } from './test-program.ts';
import { SqlClient } from './test-sql-client.ts';

let programs: TestPrograms;
beforeEach(async () => {
  programs = await TestPrograms.make();
});
afterEach(() => programs.close());

const main = join(import.meta.dirname, 'main.ts');
const spawned = (...args: readonly string[]) =>
  spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });

test('as a process: SIGTERM ends it with 0 and its last line, and what it cannot do with 2', async () => {
  await programs.writeFaults('log.toml', logToml().replaceAll('DIR', programs.folder));
  const process = spawned('-cfg', join(programs.folder, 'log.toml'));
  const exit = once(process, 'exit');
  let said = '';
  for await (const chunk of process.stderr.setEncoding('utf8')) {
    said += chunk;
    if (/log service is open/.test(said)) process.kill('SIGTERM');
  }
  expect(await exit).toEqual([0, null]);
  expect(JSON.parse(said.trim().split('\n').at(-1) ?? '')).toMatchObject({ message: 'Shutdown complete' });

  const without = spawned();
  expect(await once(without, 'exit')).toEqual([2, null]);
});

test('-version says so and ends', async () => {
  const process = spawned('-version');
  let said = '';
  process.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  expect(await once(process, 'close')).toEqual([0, null]);
  expect(said).toContain('v4.2.0');
});

test('metrics are served where they are asked for', async () => {
  const [port = 0] = await freePorts(1);
  const toml = `${logToml()}[observability]\nenableMetricToProm = true\nstatus-port = ${port}\n`;
  await programs.start('log-0', toml, { POD_IP: '127.0.0.1' });
  expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toBe('mo_up{type="LOG"} 1\n');
});

test('told to by a file, it misbehaves, and behaves again', async () => {
  const file = join(programs.folder, 'faults');
  const log = (await programs.start('log-0', logToml())).addresses['service'] ?? '';
  const [cn] = await Promise.all([
    programs.start('cn-0', cnToml(log, 'cn-0'), { MO_FAULTS_FILE: file }),
    programs.start('tn-0', tnToml(log)),
  ]);
  const sql = cn.addresses['sqlAddress'] ?? '';
  const query = cn.addresses['queryAddress'] ?? '';

  await programs.writeFaults('faults', 'hang-queries');
  const hanging = await SqlClient.connect(sql);
  const never = hanging.query('select 1');
  await eventually(async () => {
    const { sessions } = await queryCn(programs.client, query, 'showProcessList', { sysTenant: true });
    expect(sessions).toMatchObject([{ command: 'Query', info: 'select 1' }]);
  });
  await programs.writeFaults('faults', 'stuck-sessions nonsense');
  const other = await SqlClient.connect(sql);
  expect(await other.query('select 1')).toHaveLength(1);
  await eventually(async () => expect(cn.lines.join('')).toContain('nonsense'));
  await programs.writeFaults('faults', 'stuck-sessions');
  await expect(queryCn(programs.client, query, 'migrateConnFrom', { connId: 1 })).rejects.toThrow('stuck');
  await programs.writeFaults('faults', 'mute');
  const muted = queryCn(programs.client, query, 'getPipelineInfo', {}, { timeout: 200 });
  await expect(muted).rejects.toMatchObject({ failure: 'timeout' });
  await programs.writeFaults('faults', '');
  expect(await queryCn(programs.client, query, 'getPipelineInfo', {})).toEqual({ count: 0n });

  await programs.writeFaults('faults', 'crash');
  expect(await cn.exit).toBe(2);
  await expect(never).rejects.toThrow('the connection ended');
});

test('a store that is lost serves, and nobody hears of it', async () => {
  const store = await programs.start('log-0', logToml(), { MO_FAULTS: 'lost-store slow-start=1' });
  const keeper: HaKeeper = programs.haKeeper(store.addresses['service'] ?? '');
  await eventually(async () => expect((await keeper.clusterState()).tick).toBeGreaterThan(10n));
  expect((await keeper.clusterState()).state).toBe(1);
  expect(await keeper.clusterDetails()).toMatchObject({ logStores: [] });
});

test('what is no fault is said', () => {
  expect(parseFaults('slow-start=5000, crash')).toEqual(
    new Map([
      ['slow-start', '5000'],
      ['crash', ''],
    ]),
  );
  expect(() => parseFaults('burn')).toThrow('"burn" is no fault');
});
