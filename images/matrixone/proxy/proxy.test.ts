import { cnLoad, workState } from '@coxswain/operator-matrixone/mo';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cnToml, eventually, logToml, proxyToml, type TestProcess, TestPrograms, tnToml } from '../test-program.ts';
import { SqlClient } from '../test-sql-client.ts';

let programs: TestPrograms;
let log = '';
let proxy = '';
const nodes = new Map<string, TestProcess>();
const addressOf = (process: TestProcess | undefined, name: string) => process?.addresses[name] ?? '';

beforeAll(async () => {
  programs = await TestPrograms.make();
  const store = await programs.start('log-0', logToml());
  log = addressOf(store, 'service');
  const start = async (uuid: string) => nodes.set(uuid, await programs.start(uuid, cnToml(log, uuid)));
  const [, , , started] = await Promise.all([
    programs.start('tn-0', tnToml(log)),
    start('cn-0'),
    start('cn-1'),
    programs.start('proxy', proxyToml(log)),
  ]);
  proxy = addressOf(started, 'listenAddress');
});
afterAll(() => programs.close());

const sessionsOf = async (uuid: string) =>
  (await cnLoad(programs.client, addressOf(nodes.get(uuid), 'queryAddress'), true)).sessions;

const nodeOf = async (client: SqlClient) => (await client.query('show processlist'))[0]?.['node_id'] ?? '';

test('sessions are spread, and leave a node that is drained without being cut', async () => {
  const keeper = programs.haKeeper(log);
  const first = await eventually(() => SqlClient.connect(proxy, 'acc:adm'));
  await first.query('use mo_catalog');
  const from = await nodeOf(first);
  const second = await eventually(async () => {
    const client = await SqlClient.connect(proxy, 'acc:adm');
    if ((await nodeOf(client)) !== from) return client;
    client.quit();
    throw new Error('the proxy has not yet heard of the second node');
  });
  const to = await nodeOf(second);
  await keeper.patchCnStore(from, workState.draining);
  await eventually(async () => expect(await nodeOf(first)).toBe(to));
  expect(await first.query('select database() as db')).toEqual([{ db: 'mo_catalog' }]);
  expect([await sessionsOf(from), await sessionsOf(to)]).toEqual([0, 2]);

  await second.query('begin');
  await keeper.patchCnStore(from, workState.working);
  await keeper.patchCnStore(to, workState.draining);
  await eventually(async () => expect(await nodeOf(first)).toBe(from));
  expect(await nodeOf(second)).toBe(to);
  await second.query('commit');
  // Not at some later time: whoever begins one transaction after the other would never be moved.
  await second.query('begin');
  expect(await nodeOf(second)).toBe(from);
  expect(await sessionsOf(to)).toBe(0);
  await second.query('commit');
  await keeper.patchCnStore(to, workState.working);
  for (const client of [first, second]) client.quit();
});

test('logins are refused as by the node, and when there is none', async () => {
  await expect(SqlClient.connect(proxy, 'root', 'wrong')).rejects.toMatchObject({ code: 1045 });
  const keeper = programs.haKeeper(log);
  for (const uuid of nodes.keys()) await keeper.patchCnStore(uuid, workState.draining);
  await eventually(() =>
    expect(SqlClient.connect(proxy, 'acc:adm')).rejects.toMatchObject({
      code: 20101,
      message: 'no available CN server',
    }),
  );
});

test('a proxy reports itself', async () => {
  const { proxyStores } = await programs.haKeeper(log).clusterDetails();
  expect(proxyStores).toMatchObject([{ uuid: 'proxy-0', listenAddress: proxy }]);
});
