import { ConfigMap, Service } from '@coxswain/k8s';
import { CloneSet } from '@coxswain/k8s/kruise';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNSet, MatrixOneCluster } from '../api/index.ts';
import { World } from './test-world.ts';

const key = { namespace: 'default', name: 'mo' };
const group = { namespace: 'default', name: 'mo-tp' };
const nodes = { namespace: 'default', name: 'mo-tp-cn' };

async function settledWorld(operatorVersion = '1.3.0'): Promise<World> {
  const world = await World.start();
  await world.applyExample((cluster) => ({ ...cluster, spec: { ...cluster.spec, operatorVersion } }));
  await world.until('the cluster is settled', () => world.settled());
  return world;
}

async function change(world: World, body: object): Promise<void> {
  await world.drive(world.client.of(MatrixOneCluster).patch(key, merge(body)));
  await world.clock.advance(5_000);
  await world.until('the cluster is settled', () => world.settled());
}

const tp = { name: 'tp', replicas: 2, cacheVolume: { size: '1Gi' }, serviceType: 'ClusterIP' };

test('annotations of services and overlaid volumes go when the spec names them no more', async () => {
  await using world = await settledWorld();
  const overlay = { volumes: [{ name: 'extra', emptyDir: {} }], volumeMounts: [{ name: 'extra', mountPath: '/x' }] };
  await change(world, {
    spec: {
      cnGroups: [{ ...tp, serviceAnnotations: { a: 'b' }, overlay }],
      proxy: { serviceAnnotations: { c: 'd' } },
    },
  });
  const service = async (name: string) =>
    (await world.drive(world.client.of(Service).get({ namespace: 'default', name }))).metadata.annotations;
  const volumes = async () =>
    (await world.drive(world.client.of(CloneSet).get(nodes))).spec.template.spec?.volumes?.map(({ name }) => name);
  expect(await service('mo-tp-cn')).toEqual({ a: 'b' });
  expect(await service('mo-proxy')).toEqual({ c: 'd' });
  expect(await volumes()).toContain('extra');
  await change(world, { spec: { cnGroups: [tp], proxy: { serviceAnnotations: null } } });
  expect(await service('mo-tp-cn')).toBeUndefined();
  expect(await service('mo-proxy')).toBeUndefined();
  expect(await volumes()).not.toContain('extra');
});

test('with older behaviours each content has a map: those that no pod reads go, also after the step to newer ones', async () => {
  await using world = await settledWorld('1.2.0');
  const maps = async () =>
    (await world.drive(world.client.of(ConfigMap).list({ namespace: 'default' }))).items
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.startsWith('mo-tp-cn-config'));
  const [first, ...none] = await maps();
  expect(none).toEqual([]);
  await change(world, { spec: { cnGroups: [{ ...tp, config: '[log]\nlevel = "debug"\n' }] } });
  await world.clock.advance(60_000);
  const [second, ...more] = await maps();
  expect(more).toEqual([]);
  expect(second).not.toBe(first);
  await change(world, { spec: { operatorVersion: '1.3.0' } });
  await world.clock.advance(60_000);
  expect(await maps()).toEqual(['mo-tp-cn-config']);
});

test('a group named by the annotation keeps the number that a scaler gave it, until it is named no more', async () => {
  await using world = await settledWorld();
  const named = (value: string | null) => ({
    metadata: { annotations: { 'matrixorigin.io/autoscaled-groups': value } },
  });
  const replicas = async () => (await world.drive(world.client.of(CNSet).get(group))).spec.replicas;
  await change(world, named('tp'));
  expect(await replicas()).toBe(2);
  await world.drive(world.client.of(CNSet).scale.patch(group, merge({ spec: { replicas: 4 } })));
  await world.until('four nodes', async () => (await world.client.of(CloneSet).get(nodes)).spec.replicas === 4);
  await change(world, { spec: { cnGroups: [{ ...tp, replicas: 3 }] } });
  await world.clock.advance(60_000);
  expect(await replicas()).toBe(4);
  const before = await world.versions();
  await world.clock.advance(600_000);
  expect(await world.versions()).toEqual(before);
  await world.stopOperator();
  await world.startOperator();
  await world.clock.advance(60_000);
  expect(await replicas()).toBe(4);
  await change(world, named(null));
  expect(await replicas()).toBe(3);
  // And again: what held the number is gone, and is made anew.
  await change(world, named('*'));
  await change(world, { spec: { cnGroups: [{ ...tp, replicas: 1 }] } });
  expect(await replicas()).toBe(3);
});
