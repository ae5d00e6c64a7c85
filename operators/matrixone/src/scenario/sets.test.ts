import { type Kind, type KubeObject, PersistentVolumeClaim, Pod, Service } from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { isReady, isTrueAt } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNSet, DNSet, LogSet, MatrixOneCluster } from '../api/index.ts';
import { World } from './test-world.ts';

const namespace = 'default';
const image = 'matrixorigin/matrixone:v2.1.0';
const deps = { logSet: { metadata: { name: 'db', namespace } }, dnSet: { metadata: { name: 'db', namespace } } };

const logSet = (replicas: number): LogSet => ({
  metadata: { name: 'db', namespace },
  spec: { replicas, image, volume: { size: '1Gi' }, sharedStorage: { s3: { path: 'lake/db' } } },
});

/** Makes a set, and waits until it is ready. */
async function bringUp(world: World, kind: Kind, set: KubeObject): Promise<void> {
  await world.drive(world.client.of<KubeObject>(kind).create(set));
  await settled(world, kind, set.metadata.name);
}

async function settled(world: World, kind: Kind, name: string): Promise<void> {
  await world.until(`${kind.kind} ${name} is ready`, async () => {
    const set = await world.client.of(kind).get({ namespace, name });
    return isReady(set) && isTrueAt(set, 'Synced');
  });
}

async function takeDown(world: World, kind: Kind, name: string): Promise<void> {
  await world.drive(world.client.of(kind).delete({ namespace, name }));
  await world.until(
    `${name} is gone`,
    async () => (await world.client.of(kind).find({ namespace, name })) === undefined,
  );
  await world.clock.advance(60_000);
}

async function names(world: World, kind: Kind, prefix: string): Promise<readonly string[]> {
  const { items } = await world.drive(world.client.of(kind).list({ namespace }));
  return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(prefix));
}

/** What is there of a set, by the beginning of its children's names. */
async function left(world: World, prefix: string): Promise<readonly string[]> {
  const kinds: readonly Kind[] = [KruiseStatefulSet, CloneSet, Pod, Service, PersistentVolumeClaim];
  return (await Promise.all(kinds.map((kind) => names(world, kind, prefix)))).flat();
}

test('sets without a cluster: each becomes ready, changes, and leaves nothing [case 59, 60, 61]', async () => {
  await using world = await World.start();
  await bringUp(world, LogSet, logSet(3));
  const change = (kind: Kind, name: string, spec: object) =>
    world.drive(world.client.of(kind).patch({ namespace, name }, merge({ spec })));
  await change(LogSet, 'db', { replicas: 4 });
  await settled(world, LogSet, 'db');
  expect(await names(world, Pod, 'db-log-')).toEqual(['db-log-0', 'db-log-1', 'db-log-2', 'db-log-3']);
  const dn: DNSet = { metadata: { name: 'db', namespace }, spec: { replicas: 2, image }, deps };
  await bringUp(world, DNSet, dn);
  expect(await names(world, Pod, 'db-dn-')).toEqual(['db-dn-0', 'db-dn-1']);

  const spec = { replicas: 2, image, serviceType: 'ClusterIP' as const, cacheVolume: { size: '1Gi' } };
  const cn: CNSet = { metadata: { name: 'db', namespace }, spec, deps };
  await bringUp(world, CNSet, cn);
  await change(CNSet, 'db', { replicas: 3 });
  await settled(world, CNSet, 'db');
  expect(await names(world, Pod, 'db-cn-')).toHaveLength(3);
  await change(CNSet, 'db', { serviceType: 'NodePort', nodePort: 30_061 });
  await settled(world, CNSet, 'db');
  const service = await world.drive(world.client.of(Service).get({ namespace, name: 'db-cn' }));
  expect(service.spec).toMatchObject({ type: 'NodePort', ports: [{ port: 6001, nodePort: 30_061 }] });

  await takeDown(world, CNSet, 'db');
  expect(await left(world, 'db-cn')).toEqual([]);
  expect(await left(world, 'mo-data-db-cn')).toEqual([]);
  await takeDown(world, DNSet, 'db');
  expect(await left(world, 'db-dn')).toEqual([]);
  await takeDown(world, LogSet, 'db');
  for (const prefix of ['db', 'mo-data-db']) expect(await left(world, prefix)).toEqual([]);
});

test('a node that was named goes, and its name may stay in the spec: nobody asks for it again', async () => {
  await using world = await World.start();
  await bringUp(world, LogSet, logSet(1));
  const dn: DNSet = { metadata: { name: 'db', namespace }, spec: { replicas: 1, image }, deps };
  await bringUp(world, DNSet, dn);
  const cn: CNSet = {
    metadata: { name: 'db', namespace },
    spec: { replicas: 2, image, serviceType: 'ClusterIP' },
    deps,
  };
  await bringUp(world, CNSet, cn);
  const [first = '', second = ''] = await names(world, Pod, 'db-cn-');
  const named = merge({ spec: { replicas: 1, podsToDelete: [second] } });
  await world.drive(world.client.of(CNSet).patch({ namespace, name: 'db' }, named));
  await world.clock.advance(120_000);
  expect(await names(world, Pod, 'db-cn-')).toEqual([first]);
  await settled(world, CNSet, 'db');
  const { metadata, spec } = await world.drive(world.client.of(CloneSet).get({ namespace, name: 'db-cn' }));
  expect(spec.scaleStrategy?.podsToDelete).toBeUndefined();
  // made, told of the name, and the name taken off
  expect(metadata.generation).toBe(3);
});

test('a single log store starts [case 63]', async () => {
  await using world = await World.start();
  await bringUp(world, LogSet, logSet(1));
  expect(await names(world, Pod, 'db-')).toEqual(['db-log-0']);
  const set = await world.drive(world.client.of(LogSet).get({ namespace, name: 'db' }));
  expect(set.status?.availableStores).toMatchObject([{ podName: 'db-log-0', phase: 'Up' }]);
});

test('a cluster may have a name of 46 characters: all that is named after it comes to be [case 66]', async () => {
  await using world = await World.start();
  const name = `m${'o'.repeat(45)}`;
  await world.applyExample((cluster) => ({ ...cluster, metadata: { ...cluster.metadata, name } }));
  await settled(world, MatrixOneCluster, name);
  const pods = await names(world, Pod, name);
  expect(pods).toHaveLength(7);
  for (const pod of pods) expect(pod.length).toBeLessThanOrEqual(63);
});
