import { type CnStore, hakeeperCnStores } from '@coxswain/operator-matrixone';
import { workState } from '@coxswain/operator-matrixone/mo';
import { systemClock } from '@coxswain/runtime/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cnToml, eventually, logToml, proxyToml, TestPrograms, tnToml } from './test-program.ts';
import { SqlClient } from './test-sql-client.ts';

const { signal } = new AbortController();
const stores = hakeeperCnStores({ clock: systemClock });
let programs: TestPrograms;
let log = '';
let sql = '';
let proxy = '';
const storeOf = (uuid: string): CnStore => ({
  logSet: { namespace: 'default', name: 'mo' },
  haKeeper: log,
  uuid,
  podName: uuid,
  podIP: '127.0.0.1',
});

beforeAll(async () => {
  programs = await TestPrograms.make();
  log = (await programs.start('log-0', logToml())).addresses['service'] ?? '';
  const [, node, through] = await Promise.all([
    programs.start('tn-0', tnToml(log)),
    programs.start('cn-0', cnToml(log, 'cn-0', 'Draining')),
    programs.start('proxy', proxyToml(log)),
  ]);
  sql = node.addresses['sqlAddress'] ?? '';
  proxy = through.addresses['listenAddress'] ?? '';
});
afterAll(async () => {
  stores.close();
  await programs.close();
});

test('over TCP a node is put into service, drained of sessions and locks, and forgotten', async () => {
  const node = storeOf('cn-0');
  await eventually(async () => expect(await stores.describe?.(node, signal)).toMatchObject({ sqlAddress: sql }));
  expect(await stores.describe?.(node, signal)).toMatchObject({ workState: workState.draining });
  await stores.serve(node, [{ key: 'account', values: ['acc'] }], signal);
  const details = await programs.haKeeper(log).clusterDetails();
  expect(details.cnStores[0]).toMatchObject({ workState: workState.working });
  expect(details.cnStores[0]?.labels.get('account')).toEqual({ labels: ['acc'] });

  const client = await eventually(() => SqlClient.connect(proxy, 'acc:adm'));
  await client.query('begin');
  await stores.drain(node, signal);
  expect(await stores.load(node, signal)).toEqual({ sessions: 1, pipelines: 0, replicas: 0 });
  expect(await stores.handOverLocks?.(node, false, signal)).toEqual({ released: false, asked: true, transactions: 1 });
  await client.query('commit');
  expect(await stores.handOverLocks?.(node, true, signal)).toEqual({ released: true, asked: true });
  client.quit();
  await eventually(async () => expect(await stores.load(node, signal)).toMatchObject({ sessions: 0 }));
});

test('a node that is stopped is forgotten, and one that nobody knows is not known', async () => {
  const extra = await programs.start('cn-1', cnToml(log, 'cn-1'));
  const node = storeOf('cn-1');
  await eventually(async () => expect(await stores.describe?.(node, signal)).toBeDefined());
  await extra.stop();
  await expect(stores.load(node, signal)).rejects.toMatchObject({ name: 'CallError' });
  await stores.forget(node, signal);
  expect(await stores.load(node, signal)).toBeUndefined();
  const { cnStores } = await programs.haKeeper(log).clusterDetails();
  expect(cnStores.map(({ uuid }) => uuid)).toEqual(['cn-0']);
});
