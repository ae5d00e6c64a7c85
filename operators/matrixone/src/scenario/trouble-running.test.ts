import { Pod, ResourceQuota, Secret } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNSet, DNSet, LogSet, MatrixOneCluster, ProxySet } from '../api/index.ts';
import { TroubleWorld } from './test-trouble.ts';

const inNamespace = (name: string) => ({ namespace: 'default', name });
const mo = inNamespace('mo');

const change = (world: TroubleWorld, spec: object) =>
  world.drive(world.client.of(MatrixOneCluster).patch(mo, merge({ spec })));

async function podUids(world: TroubleWorld): Promise<ReadonlyMap<string, string | undefined>> {
  const { items } = await world.drive(world.client.of(Pod).list({ namespace: 'default' }));
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.uid]));
}

async function deletePod(world: TroubleWorld, name: string, gracePeriodSeconds?: number): Promise<void> {
  const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
  await world.drive(world.client.of(Pod).delete(inNamespace(name), options));
}

async function reserved(world: TroubleWorld): Promise<unknown> {
  const stores = await world.drive(world.client.of(KruiseStatefulSet).get(inNamespace('mo-log')));
  return stores.spec.reserveOrdinals ?? [];
}

test('a Secret that goes while all runs harms nobody until a pod has to start again', async () => {
  await using world = await TroubleWorld.settled();
  const secret = await world.drive(world.client.of(Secret).get(inNamespace('minio')));
  await world.drive(world.client.of(Secret).delete(inNamespace('minio')));
  await world.endures();
  expect(await world.drive(world.world.settled())).toBe(true);
  await deletePod(world, 'mo-log-1');
  await world.world.clock.advance(120_000);
  const words = { kind: LogSet, name: 'mo', reason: 'ContainerNotMade', says: /^mo-log-1: .*secret "minio" not found/ };
  await world.newlyTellsOf(words);
  await world.endures(1);
  await world.tellsOf(words);
  // A store in its place would not find the Secret either, and its volume would be lost.
  expect(await reserved(world)).toEqual([]);
  const { data, type } = secret;
  await world.drive(
    world.client.of(Secret).create({ metadata: inNamespace('minio'), ...(data && { data }), ...(type && { type }) }),
  );
  await world.recovers();
  expect((await world.says(LogSet, 'mo')).join()).not.toContain('PodsFailing');
});

const image = 'invalid.example/mo:v2.1.0';
const group = { name: 'tp', replicas: 2, cacheVolume: { size: '1Gi' } };
const parts = [
  { kind: LogSet, name: 'mo', wrong: { logService: { image } }, right: { logService: { image: null } } },
  { kind: DNSet, name: 'mo', wrong: { tn: { image } }, right: { tn: { image: null } } },
  { kind: CNSet, name: 'mo-tp', wrong: { cnGroups: [{ ...group, image }] }, right: { cnGroups: [group] } },
  { kind: ProxySet, name: 'mo', wrong: { proxy: { image } }, right: { proxy: { image: null } } },
];

test.each(parts)(
  'a wrong image in an update of a $kind.kind is taken back without a hand on its pods',
  async ({ kind, name, wrong, right }) => {
    await using world = await TroubleWorld.settled();
    const before = await podUids(world);
    await change(world, wrong);
    await world.world.clock.advance(120_000);
    const words = {
      kind,
      name,
      reason: 'ImagePull',
      says: /image invalid\.example\/mo:v2\.1\.0 of container main cannot be pulled/,
    };
    await world.newlyTellsOf(words);
    await world.endures();
    await world.tellsOf(words);
    expect(await reserved(world)).toEqual([]);
    // One at a time: what had not been reached is as it was.
    const changed = [...(await podUids(world))].filter(([pod, uid]) => before.get(pod) !== uid);
    expect(changed.length).toBeLessThanOrEqual(1);
    await change(world, right);
    await world.recovers();
    expect((await world.says(kind, name)).join()).not.toContain('PodsFailing');
  },
);

test('of a wrong image in a whole cluster too: the next right one is rolled out over it', async () => {
  await using world = await TroubleWorld.settled();
  await change(world, { version: 'v2.1.9', imageRepository: 'invalid.example/mo' });
  await world.endures();
  await change(world, { version: 'v2.2.0', imageRepository: 'matrixorigin/matrixone' });
  await world.recovers();
  // New nodes serve before the old ones go.
  await world.world.until('all pods are new', async () => {
    const { items } = await world.client.of(Pod).list({ namespace: 'default' });
    return items.every(({ spec }) => spec?.containers[0]?.image === 'matrixorigin/matrixone:v2.2.0');
  });
});

test('pods that are deleted, also by force, come back with their data', async () => {
  await using world = await TroubleWorld.settled();
  const before = await podUids(world);
  for (const name of before.keys()) await deletePod(world, name, 0);
  await world.world.clock.advance(5_000);
  await world.recovers();
  const after = await podUids(world);
  expect(after.size).toBe(before.size);
  for (const uid of before.values()) expect([...after.values()]).not.toContain(uid);
  expect(await reserved(world)).toEqual([]);
});

test('a quota that is in the way of more nodes is named, and those that there are go on', async () => {
  await using world = await TroubleWorld.settled((cluster) => ({
    ...cluster,
    spec: { ...cluster.spec, cnGroups: [{ ...group, serviceType: 'ClusterIP' }] },
  }));
  const hard = (pods: string) => ({ spec: { hard: { pods } } });
  await world.drive(world.client.of(ResourceQuota).create({ metadata: inNamespace('small'), ...hard('8') }));
  await world.world.clock.advance(2_000);
  const before = await podUids(world);
  await change(world, { cnGroups: [{ ...group, replicas: 4 }] });
  await world.world.clock.advance(120_000);
  const words = {
    kind: CNSet,
    name: 'mo-tp',
    reason: 'PodsRefused',
    says: /CloneSet mo-tp-cn cannot make pods: .*exceeded quota: small/,
  };
  await world.newlyTellsOf(words);
  await world.endures();
  for (const [pod, uid] of before) expect((await podUids(world)).get(pod)).toBe(uid);
  await world.drive(world.client.of(ResourceQuota).patch(inNamespace('small'), merge(hard('20'))));
  await world.recovers(3_600);
  for (const [pod, uid] of before) expect((await podUids(world)).get(pod)).toBe(uid);
});
