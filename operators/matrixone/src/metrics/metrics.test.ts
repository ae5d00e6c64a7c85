import { prometheusMetrics } from '@coxswain/runtime/metrics';
import { expect, test } from 'vitest';
import { MatrixOneCluster } from '../api/index.ts';
import { askLogService } from '../mo/ask.ts';
import { MorpcClient } from '../morpc/index.ts';
import { World } from '../scenario/test-world.ts';
import { rpcMetrics, withConditions } from './index.ts';
import { logSetAt } from './rpc-metrics.ts';

const call = { service: 'query service', address: '10.0.0.1:6004', method: 'showProcessList', milliseconds: 150 };

test('calls are counted under upstream’s names, with buckets that tell a slow answer from a quick one', async () => {
  const registry = await prometheusMetrics();
  const told = rpcMetrics(registry);
  told({ ...call, answered: true });
  told({ ...call, answered: false, milliseconds: 10_000 });
  const address = 'mo-log-0.mo-log-headless.prod.svc:32001';
  told({ service: 'log service', address, method: 'GET_CLUSTER_DETAILS', milliseconds: 50, answered: true });
  told({ service: 'lock service', address, method: 'canRestartService', milliseconds: 50, answered: true });
  const text = await registry.text();
  const node = 'type="ShowProcessList",pod="10.0.0.1:6004"';
  expect(text).toContain(`mo_operator_cn_rpc_duration_bucket{le="0.1",${node},response="ok"} 0`);
  expect(text).toContain(`mo_operator_cn_rpc_duration_bucket{le="0.2",${node},response="ok"} 1`);
  expect(text).toContain(`mo_operator_cn_rpc_duration_sum{${node},response="error"} 10`);
  const keeper = 'type="GET_CLUSTER_DETAILS",logset="prod/mo",response="ok"';
  expect(text).toContain(`mo_operator_hakeeper_rpc_duration_bucket{le="0.1",${keeper}} 1`);
  expect(text).not.toContain('canRestartService');
});

test('a log service is named by its set, and one of others by its address', () => {
  expect(logSetAt('mo-log-discovery.ns.svc:32001')).toBe('ns/mo');
  expect(logSetAt('my-mo-log-2.my-mo-log-headless.ns.svc:32001')).toBe('ns/my-mo');
  expect(logSetAt('hakeeper.example.com:32001')).toBe('hakeeper.example.com:32001');
});

test('pods that come and go do not make series without end', async () => {
  const registry = await prometheusMetrics();
  const told = rpcMetrics(registry);
  for (let i = 0; i < 1_010; i++) told({ ...call, address: `10.0.${i}:6004`, answered: true });
  const text = await registry.text();
  expect(text).toContain('mo_operator_cn_rpc_duration_count{type="ShowProcessList",pod="other",response="ok"} 10');
});

test('a client tells of each call, also of one without an answer', async () => {
  const calls: unknown[] = [];
  await using world = await World.start();
  const { clock } = world;
  const dial = () => Promise.reject(new Error('refused'));
  const client = new MorpcClient({ clock, dial, onCall: (one) => calls.push(one) });
  await expect(world.drive(askLogService(client, 'x:1', 'GET_CLUSTER_DETAILS', {}))).rejects.toThrow();
  expect(calls).toMatchObject([
    { service: 'log service', address: 'x:1', method: 'GET_CLUSTER_DETAILS', answered: false },
  ]);
  client.close();
});

test('conditions are those of the moment, and those of what is gone are gone', async () => {
  await using world = await World.start();
  const registry = withConditions(await prometheusMetrics(), world.cache);
  expect(await registry.text()).not.toContain('matrixone_');
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  const text = await registry.text();
  for (const [kind, name] of [
    ['matrixonecluster', 'mo'],
    ['logset', 'mo'],
    ['dnset', 'mo'],
    ['cnset', 'mo-tp'],
    ['proxyset', 'mo'],
  ]) {
    expect(text).toContain(`# TYPE matrixone_${kind}_condition gauge`);
    for (const type of ['Ready', 'Synced'])
      expect(text).toContain(`matrixone_${kind}_condition{namespace="default",name="${name}",type="${type}"} 1\n`);
  }
  await world.drive(world.client.of(MatrixOneCluster).delete({ namespace: 'default', name: 'mo' }));
  await world.until('the cluster is gone', async () => (await world.cluster()) === undefined);
  expect(await registry.text()).not.toContain('matrixone_');
});
