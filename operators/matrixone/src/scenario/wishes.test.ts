// What users of the upstream operator asked for, where no other test here is about it.
import { ConfigMap, Pod } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { json, merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { MatrixOneCluster } from '../api/index.ts';
import type { CnStoreService } from '../cnstore/index.ts';
import { World, type WorldOptions } from './test-world.ts';

const namespace = 'default';
const group = { name: 'tp', replicas: 2, serviceType: 'ClusterIP' as const };

async function settledWorld(change: Partial<MatrixOneCluster['spec']>, options: WorldOptions = {}): Promise<World> {
  const world = await World.start(options);
  await world.applyExample((cluster) => ({ ...cluster, spec: { ...cluster.spec, cnGroups: [group], ...change } }));
  return world;
}

async function patch(world: World, spec: object): Promise<void> {
  await world.drive(world.client.of(MatrixOneCluster).patch({ namespace, name: 'mo' }, merge({ spec })));
}

async function pods(world: World, component: string): Promise<readonly Pod[]> {
  const labels = `matrixorigin.io/component=${component}`;
  return (await world.drive(world.client.of(Pod).list({ namespace, labels }))).items;
}

const namesOf = (list: readonly Pod[]) => list.map(({ metadata }) => metadata.name).sort();

/** The log service of the example, whose stores are replaced after 20 seconds. */
async function quickFailover(world: World): Promise<void> {
  await world.until('the cluster is settled', () => world.settled());
  await patch(world, { logService: { storeFailureTimeout: '20s' } });
  await world.until('the cluster is settled', () => world.settled());
}

test('nodes of a version without discovery are told which log stores there are after one was replaced', {
  timeout: 240_000,
}, async () => {
  await using world = await settledWorld({ version: '1.2.3' });
  await quickFailover(world);
  const told = async (name: string) => {
    const { data } = await world.drive(world.client.of(ConfigMap).get({ namespace, name }));
    const texts = Object.entries(data ?? {}).filter(([key]) => key.startsWith('config.toml'));
    return texts.map(([, text]) =>
      /service-addresses = .*/
        .exec(text)?.[0]
        .match(/mo-log-\d+/g)
        ?.join(' '),
    );
  };
  for (const name of ['mo-dn-config', 'mo-tp-cn-config'])
    expect(await told(name)).toEqual(['mo-log-0 mo-log-1 mo-log-2']);
  const broken = json([{ op: 'replace', path: '/spec/containers/0/image', value: 'invalid.example/broken:1' }]);
  await world.drive(world.client.of(Pod).patch({ namespace, name: 'mo-log-1' }, broken));
  await world.clock.advance(40_000);
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(60_000);
  for (const name of ['mo-dn-config', 'mo-tp-cn-config'])
    expect(await told(name)).toEqual(['mo-log-0 mo-log-2 mo-log-3']);
});

test('a log store whose pod does not end is replaced all the same', async () => {
  await using world = await settledWorld({});
  await quickFailover(world);
  const at = { namespace, name: 'mo-log-1' };
  await world.drive(world.client.of(Pod).patch(at, merge({ metadata: { finalizers: ['test.dev/stuck'] } })));
  await world.drive(world.client.of(Pod).delete(at));
  await world.clock.advance(40_000);
  await world.until('a store in its place', async () => namesOf(await pods(world, 'LogSet')).includes('mo-log-3'));
  const workload = await world.drive(world.client.of(KruiseStatefulSet).get({ namespace, name: 'mo-log' }));
  expect(workload.spec.reserveOrdinals).toEqual([1]);
  expect((await world.drive(world.client.of(Pod).get(at))).metadata.deletionTimestamp).toBeDefined();
  await world.drive(world.client.of(Pod).patch(at, merge({ metadata: { finalizers: null } })));
  await world.until('the cluster is settled', () => world.settled());
  expect(namesOf(await pods(world, 'LogSet'))).toEqual(['mo-log-0', 'mo-log-2', 'mo-log-3']);
});

test('nodes with other resources come first; the old ones run until their sessions and pipelines are over', {
  timeout: 240_000,
}, async () => {
  let load = { sessions: 2, pipelines: 1, replicas: 0 };
  const cnStores: CnStoreService = {
    serve: async () => undefined,
    drain: async () => undefined,
    load: async () => load,
    forget: async () => undefined,
  };
  const drained = { ...group, scalingConfig: { storeDrainEnabled: true, storeDrainTimeout: '1h' } };
  await using world = await settledWorld({ cnGroups: [drained] }, { cnStores });
  await world.until('the cluster is settled', () => world.settled());
  const before = namesOf(await pods(world, 'CNSet'));
  await patch(world, { cnGroups: [{ ...drained, resources: { requests: { cpu: '200m', memory: '1Gi' } } }] });
  await world.clock.advance(120_000);
  const during = await pods(world, 'CNSet');
  expect(namesOf(during)).toEqual(expect.arrayContaining([...before]));
  expect(during).toHaveLength(3);
  expect(during.every(({ metadata }) => metadata.deletionTimestamp === undefined)).toBe(true);
  load = { sessions: 0, pipelines: 0, replicas: 0 };
  const isOld = ({ metadata }: Pod) => before.includes(metadata.name);
  await world.until('the old nodes are gone', async () => !(await pods(world, 'CNSet')).some(isOld));
  await world.until('the cluster is settled', () => world.settled());
  const wanted = { cpu: '200m', memory: '1Gi' };
  const after = (await pods(world, 'CNSet')).map(({ spec }) => spec?.containers[0]?.resources?.requests);
  expect(after).toEqual([wanted, wanted]);
});

test('of nodes that can run nowhere there are as many as are wanted, and fewer when fewer are', {
  timeout: 240_000,
}, async () => {
  const nowhere = { ...group, replicas: 8, nodeSelector: { zone: 'nowhere' } };
  await using world = await settledWorld({ cnGroups: [nowhere] });
  await world.until('nodes wait', async () => (await pods(world, 'CNSet')).length === 8);
  await patch(world, { cnGroups: [{ ...nowhere, config: '[log]\nlevel = "debug"\n' }] });
  await world.clock.advance(300_000);
  // One more while they are to be replaced.
  expect((await pods(world, 'CNSet')).length).toBeLessThanOrEqual(9);
  await patch(world, { cnGroups: [{ ...nowhere, replicas: 1 }] });
  await world.until('one node', async () => (await pods(world, 'CNSet')).length === 1, 120);
});
