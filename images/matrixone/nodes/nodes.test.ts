import { cnLoad, queryCn, tnLocks, usersSessions, workState } from '@coxswain/operator-matrixone/mo';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cnToml, eventually, logToml, type TestProcess, TestPrograms, tnToml } from '../test-program.ts';
import { SqlClient } from '../test-sql-client.ts';

let programs: TestPrograms;
let log = '';
let tn: TestProcess;
let cn: TestProcess;
const addressOf = (process: TestProcess, name: string) => process.addresses[name] ?? '';

beforeAll(async () => {
  programs = await TestPrograms.make();
  // In no order at all: the nodes wait for each other.
  const store = await programs.start('log-0', logToml());
  log = addressOf(store, 'service');
  [cn, tn] = await Promise.all([programs.start('cn-0', cnToml(log, 'cn-0')), programs.start('tn-0', tnToml(log))]);
});
afterAll(() => programs.close());

test('nodes report themselves with the addresses they serve at', async () => {
  const details = await eventually(async () => {
    const found = await programs.haKeeper(log).clusterDetails();
    expect(found.cnStores).toHaveLength(1);
    return found;
  });
  expect(details.cnStores).toMatchObject([{ uuid: 'cn-0', workState: workState.working, ...cn.addresses }]);
  expect(details.tnStores).toMatchObject([{ uuid: 'tn-0', ...tn.addresses, shards: [{ shardId: 1n }] }]);
});

test('SQL: who may log in, what is answered, what is not known', async () => {
  const sql = addressOf(cn, 'sqlAddress');
  const client = await SqlClient.connect(sql);
  expect(client.version).toBe('8.0.30-MatrixOne-v4.2.0');
  expect(await client.query('select 1')).toEqual([{ 1: '1' }]);
  expect(await client.query("SELECT 'a, b' AS x, null as n, connection_id() as id;")).toEqual([
    { x: 'a, b', n: null, id: String(client.connectionId) },
  ]);
  expect(await client.query('use mo_catalog')).toEqual([]);
  expect(await client.query('select database()')).toEqual([{ 'database()': 'mo_catalog' }]);
  expect(await client.ping()).toBe(true);
  await expect(client.query('select * from t')).rejects.toMatchObject({ code: 1149 });
  await expect(client.query('drop table t')).rejects.toMatchObject({ code: 20105 });
  expect(await client.query('show backend servers')).toEqual([
    { UUID: 'cn-0', Address: sql, 'Work State': 'Working', Labels: '' },
  ]);
  const other = await SqlClient.connect(sql, 'acc:adm', '111', 'caching_sha2_password');
  const seen = (await client.query('show processlist')).map(({ account, command }) => [account, command]);
  expect(seen).toEqual([
    ['sys', 'Query'],
    ['acc', 'Sleep'],
  ]);
  expect(await other.query('show processlist')).toHaveLength(1);
  await expect(SqlClient.connect(sql, 'root', 'wrong')).rejects.toMatchObject({ code: 1045, sqlState: '28000' });
  await expect(SqlClient.connect(sql, 'nobody')).rejects.toMatchObject({ code: 1045 });
  client.quit();
  other.quit();
});

test('a node tells of its sessions, and counts those that proxies can move, or all where there are none', async () => {
  const [query, sql] = [addressOf(cn, 'queryAddress'), addressOf(cn, 'sqlAddress')];
  const direct = async () => {
    const { sessions } = await queryCn(programs.client, query, 'showProcessList', { sysTenant: true });
    return usersSessions(sessions, { proxies: false, sourced: true }).length;
  };
  await eventually(async () => expect(await direct()).toBe(0));
  const client = await SqlClient.connect(sql, 'acc#adm');
  expect(await direct()).toBe(1);
  expect(await cnLoad(programs.client, query, true)).toEqual({ sessions: 0, pipelines: 0, replicas: 0 });
  expect(await cnLoad(programs.client, query, false)).toEqual({ sessions: 1, pipelines: 0, replicas: 0 });
  client.quit();
  await eventually(async () => expect(await direct()).toBe(0));
});

test('a node with a transaction can go once it was told to and the transaction is over', async () => {
  const locks = tnLocks(programs.client);
  const lock = addressOf(tn, 'lockServiceAddress');
  expect(await locks.canRestart(lock, 'stranger')).toBe(true);
  expect(await locks.remainingTransactions(lock, 'stranger')).toBeUndefined();
  const client = await SqlClient.connect(addressOf(cn, 'sqlAddress'));
  await client.query('begin');
  expect(await locks.canRestart(lock, 'cn-0')).toBe(false);
  expect(await locks.remainingTransactions(lock, 'cn-0')).toBeUndefined();
  expect(await locks.setRestart(lock, 'cn-0')).toBe(true);
  expect(await locks.remainingTransactions(lock, 'cn-0')).toBe(1);
  expect(await locks.canRestart(lock, 'cn-0')).toBe(false);
  await client.query('commit');
  expect(await locks.canRestart(lock, 'cn-0')).toBe(true);
  expect(await locks.remainingTransactions(lock, 'cn-0')).toBe(0);
  client.quit();
});

test('a node that is asked to stop cuts its sessions and ends with 0', async () => {
  const extra = await programs.start('cn-1', cnToml(log, 'cn-1', 'Draining'));
  const details = () => programs.haKeeper(log).clusterDetails();
  await eventually(async () =>
    expect((await details()).cnStores).toMatchObject([{}, { workState: workState.draining }]),
  );
  const client = await SqlClient.connect(addressOf(extra, 'sqlAddress'));
  const hanging = client.query('select sleep(60)');
  expect(await extra.stop()).toBe(0);
  await expect(hanging).rejects.toThrow('the connection ended');
});
