import { type Kind, Node, Pod } from '@coxswain/k8s';
import { findCondition, isTrueAt } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNSet, MatrixOneCluster, ProxySet } from '../api/index.ts';
import type { CnStoreService } from '../cnstore/index.ts';
import { TroubleWorld } from './test-trouble.ts';
import { World } from './test-world.ts';

const mo = { namespace: 'default', name: 'mo' };

/** Compute nodes with so many sessions each. */
const withSessions = (sessions: () => number): CnStoreService => ({
  serve: async () => {},
  drain: async () => {},
  load: async () => ({ sessions: sessions(), pipelines: 0, replicas: 0 }),
  forget: async () => {},
});

/** Names of the pods of a kind of set, also of those on their way out. */
async function podsOf(world: World, kind: string): Promise<readonly string[]> {
  const labels = `matrixorigin.io/component=${kind}`;
  const { items } = await world.drive(world.client.of(Pod).list({ namespace: 'default', labels }));
  return items.map(({ metadata }) => metadata.name);
}

async function isSynced(world: World, kind: Kind, name: string): Promise<boolean> {
  const object = await world.drive(world.client.of(kind).find({ namespace: 'default', name }));
  return object !== undefined && isTrueAt(object, 'Synced');
}

const change = (world: World, spec: object) =>
  world.drive(world.client.of(MatrixOneCluster).patch(mo, merge({ spec })));

const group = {
  name: 'tp',
  replicas: 2,
  serviceType: 'ClusterIP' as const,
  scalingConfig: { storeDrainEnabled: true, minDelaySeconds: 5, storeDrainTimeout: '1h' },
};

test('a rollout is Synced when the pod that was made for it is gone too, for the set and for its cluster', async () => {
  await using world = await World.start({ cnStores: withSessions(() => 0) });
  await world.applyExample((cluster) => ({ ...cluster, spec: { ...cluster.spec, cnGroups: [group] } }));
  await world.until('the cluster is settled', () => world.settled());
  await change(world, { version: 'v2.1.1' });
  const early: string[] = [];
  let most = 0;
  const look = async () => {
    const [nodes, proxies] = [await podsOf(world, 'CNSet'), await podsOf(world, 'ProxySet')];
    most = Math.max(most, nodes.length);
    const [ofSet, ofCluster] = [await isSynced(world, CNSet, 'mo-tp'), await isSynced(world, MatrixOneCluster, 'mo')];
    const isVersion = async () =>
      (await world.drive(world.client.of(CNSet).get({ namespace: 'default', name: 'mo-tp' }))).spec.image;
    if (!(await isVersion())?.endsWith('v2.1.1')) return;
    if (ofSet && nodes.length > 2) early.push(`CNSet with ${nodes}`);
    if (ofCluster && nodes.length > 2) early.push(`MatrixOneCluster with ${nodes}`);
    if ((await isSynced(world, ProxySet, 'mo')) && proxies.length > 2) early.push(`ProxySet with ${proxies}`);
  };
  await world.until(
    'the rollout is over',
    async () => {
      await look();
      return most > 2 && world.settled();
    },
    600,
  );
  for (let second = 0; second < 60; second++) {
    await world.clock.advance(1_000);
    await look();
  }
  expect([most, early]).toEqual([3, []]);
});

test('a scale-in is Synced when the nodes that leave have handed their sessions over and are gone', async () => {
  let sessions = 3;
  await using world = await World.start({ cnStores: withSessions(() => sessions) });
  await world.applyExample((cluster) => ({ ...cluster, spec: { ...cluster.spec, cnGroups: [group] } }));
  await world.until('the cluster is settled', () => world.settled());
  await change(world, { cnGroups: [{ ...group, replicas: 1 }] });
  await world.clock.advance(120_000);
  expect(await podsOf(world, 'CNSet')).toHaveLength(2);
  const said = async () =>
    findCondition(await world.drive(world.client.of(CNSet).get({ namespace: 'default', name: 'mo-tp' })), 'Synced');
  expect(await said()).toMatchObject({
    status: 'False',
    reason: 'Waiting',
    message: 'CloneSet mo-tp-cn has pods that are not wanted any more and are not gone yet',
  });
  expect(await isSynced(world, MatrixOneCluster, 'mo')).toBe(false);
  await world.record(CNSet, (object) => object.metadata.resourceVersion);
  await world.clock.advance(600_000);
  expect(world.history).toHaveLength(1);
  sessions = 0;
  await world.until('the cluster is settled', () => world.settled());
  expect(await podsOf(world, 'CNSet')).toHaveLength(1);
});

test('a wrong image that was mended is not told of as if it were the right one', async () => {
  await using world = await TroubleWorld.settled();
  const { client, world: inner } = world;
  const roll = (image: string | null) =>
    world.drive(
      client.of(MatrixOneCluster).patch(mo, merge({ spec: { cnGroups: [{ name: 'tp', replicas: 2, image }] } })),
    );
  await inner.record(CNSet, (object) => findCondition(object, 'PodsFailing')?.message);
  await roll('invalid.example/broken:1');
  await inner.clock.advance(120_000);
  expect(inner.history.at(-1)).toMatch(/: image invalid\.example\/broken:1 of container main cannot be pulled: /);
  await roll(null);
  await world.recovers();
  const failed = /: image invalid\.example\/broken:1 of container main cannot be pulled: /;
  expect(inner.history.filter((said) => !failed.test(said))).toEqual([]);
});

const cordon = (world: World, unschedulable: boolean) =>
  world.drive(world.client.of(Node).patch({ name: 'node-1' }, merge({ spec: { unschedulable } })));

test.each([
  ['a cordoned node', CNSet, 'mo-tp', { cnGroups: [{ ...group, replicas: 3 }] }, /1 node\(s\) were unschedulable/],
  ['a cordoned node, in a rollout', CNSet, 'mo-tp', { version: 'v2.1.1' }, /1 node\(s\) were unschedulable/],
  ['a full node', ProxySet, 'mo', { proxy: { resources: { requests: { cpu: '500' } } } }, /1 Insufficient cpu/],
])(
  '%s: the pods that it does not take are named ten seconds later, whatever happens meanwhile',
  async (where, kind, name, spec, words) => {
    await using world = await TroubleWorld.settled((cluster) => ({
      ...cluster,
      spec: { ...cluster.spec, cnGroups: [group], proxy: { replicas: 2, serviceType: 'ClusterIP' } },
    }));
    const { client, world: inner } = world;
    if (where.startsWith('a cordoned')) await cordon(inner, true);
    const known = await podsOf(inner, kind.kind);
    await change(inner, spec);
    await inner.clock.advance(6_000);
    // Wakes the controller, which then looks again in ten seconds at the latest.
    const one = (await podsOf(inner, kind.kind)).find((pod) => known.includes(pod)) ?? '';
    const annotations = { metadata: { annotations: { 'example.com/seen': 'yes' } } };
    await world.drive(client.of(Pod).patch({ namespace: 'default', name: one }, merge(annotations)));
    await inner.clock.advance(5_000);
    const told = await world.tellsOf({ kind, name, reason: 'Unschedulable', says: words });
    const [who = ''] = told.split(': no node takes it: ');
    const waiting = (await podsOf(inner, kind.kind)).filter((pod) => !known.includes(pod));
    expect(who.split(', ').toSorted()).toEqual(waiting.toSorted());
    if (where.startsWith('a cordoned')) await cordon(inner, false);
    else await change(inner, { proxy: { resources: null } });
    await world.recovers();
    expect((await world.says(kind, name)).join()).not.toContain('PodsFailing');
  },
);
