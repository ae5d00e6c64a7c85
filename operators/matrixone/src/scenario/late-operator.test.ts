import { ConfigMap, Job, type Kind, PersistentVolumeClaim, Pod, PodDisruptionBudget, Service } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { BucketClaim, LogSet, MatrixOneCluster, setLabels } from '../api/index.ts';
import { logSet, s3 } from './test-fault-objects.ts';
import { World, type WorldOptions } from './test-world.ts';

const mo = { namespace: 'default', name: 'mo' };
const user = 'matrixone-operator';
const stages = [{ match: { image: 'amazon/aws-cli' }, exit: { delay: 1_000 } }];
const options = { buckets: {}, cluster: { stages } };
const ofLogSet = [KruiseStatefulSet, Pod, PersistentVolumeClaim, Service, ConfigMap, PodDisruptionBudget, BucketClaim];

/** Names of what there is of a kind that is the log service's, with UIDs. */
async function found(world: World, kind: Kind): Promise<readonly string[]> {
  const { items } = await world.drive(world.client.of(kind).list({ namespace: 'default' }));
  const names = items.map(({ metadata }) => `${kind.kind} ${metadata.name} ${metadata.uid}`);
  return names.filter((name) => name.includes('-log') || name.includes('bucket')).sort();
}

async function left(world: World): Promise<readonly string[]> {
  return (await Promise.all(ofLogSet.map((kind) => found(world, kind)))).flat();
}

/** From now on operators hear late of a kind when they begin to watch it. */
async function lateOperator(world: World, resource: string, ms: number): Promise<void> {
  const rule = { match: { resource, verb: 'watch', user }, action: { watch: 'delay', ms } } as const;
  const fault = world.embedded.faults.add(rule);
  await world.startOperator(options);
  fault.remove();
  await world.clock.advance(ms + 30_000);
}

async function settled(how: WorldOptions = options): Promise<World> {
  const world = await World.start(how);
  await world.applyExample();
  await world.until('settled', () => world.settled());
  return world;
}

test.each([12_000, 25_000])(
  'stores that a LogSet has let go of are not taken back for it by an operator that hears of that %i ms late',
  async (ms) => {
    await using world = await settled();
    const kinds = [Pod, PersistentVolumeClaim];
    const stores = async () => (await Promise.all(kinds.map((kind) => found(world, kind)))).flat();
    const before = await stores();
    await lateOperator(world, 'logsets', ms);
    await world.drive(world.client.of(LogSet).delete(mo));
    await world.clock.advance(300_000);
    expect(await stores()).toEqual(before);
    await world.until('settled', () => world.settled());
  },
);

test('what has the name of a LogSet that is gone is the next one’s, whatever an operator still knows', async () => {
  await using world = await World.start(options);
  const { clock, client } = world;
  const key = { namespace: 'default', name: 'l' };
  const body = () => ({ ...logSet('l', { replicas: 3, sharedStorage: { s3 } }), metadata: key });
  await world.drive(client.of(LogSet).create(body()));
  await clock.advance(60_000);
  await lateOperator(world, 'logsets', 20_000);
  // Held by somebody else too, so that the late operator hears that it goes before it is gone.
  const held = { metadata: { finalizers: ['matrixorigin.io/logset', 'a.example/b'] } };
  await world.drive(client.of(LogSet).patch(key, merge(held)));
  await world.drive(client.of(LogSet).delete(key));
  await clock.advance(19_000);
  await world.drive(client.of(LogSet).patch(key, merge({ metadata: { finalizers: null } })));
  await world.until('it is gone', async () => (await client.of(LogSet).find(key)) === undefined);
  await world.drive(client.of(LogSet).create(body()));
  await clock.advance(3_000);
  const made = await found(world, KruiseStatefulSet);
  const volumes = await found(world, PersistentVolumeClaim);
  expect([made.length, volumes.length]).toEqual([1, 3]);
  await clock.advance(120_000);
  expect(await found(world, KruiseStatefulSet)).toEqual(made);
  expect(await found(world, PersistentVolumeClaim)).toEqual(volumes);
});

test('the data of a LogSet that goes before its pods are heard of goes with it', async () => {
  await using world = await World.start(options);
  await world.stopOperator();
  await lateOperator(world, 'pods', 20_000);
  const key = { namespace: 'default', name: 'l' };
  const sharedStorage = { s3: { ...s3, s3RetentionPolicy: 'Delete' as const } };
  await world.drive(world.client.of(LogSet).create({ ...logSet('l', { replicas: 1, sharedStorage }), metadata: key }));
  await world.clock.advance(15_000);
  await world.drive(world.client.of(LogSet).delete(key));
  const jobs: string[] = [];
  await world.record(Job, ({ metadata }, type) => void (type === 'ADDED' && jobs.push(metadata.name)));
  await world.clock.advance(300_000);
  expect(jobs).toEqual([expect.stringMatching(/^job-bucket-/)]);
  expect(await left(world)).toEqual([]);
});

test('a pod that is made just when its workload goes is waited for, with the data', async () => {
  const key = { namespace: 'default', name: 'l' };
  const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'l-log', uid: '', controller: true };
  const metadata = { ...key, name: 'l-log-0', labels: setLabels('LogSet', 'default', 'l') };
  const spec = { terminationGracePeriodSeconds: 60, containers: [{ name: 'main', image: 'x' }] };
  let making = false;
  await using world = await World.start({
    ...options,
    onRequest({ method, path }) {
      if (!making || method !== 'DELETE' || !path.endsWith('statefulsets/l-log')) return;
      making = false;
      const late = { ...metadata, finalizers: ['a.example/held'], ownerReferences: [owner] };
      void world.client.of(Pod).create({ metadata: late, spec });
    },
  });
  const { client, clock, embedded } = world;
  // As if OpenKruise had not come to make pods.
  embedded.faults.add({ match: { resource: 'pods', verb: 'create', user: 'system:*' }, action: { status: 500 } });
  await world.drive(
    client.of(LogSet).create({ ...logSet('l', { replicas: 3, sharedStorage: { s3 } }), metadata: key }),
  );
  await clock.advance(20_000);
  const workload = { ...key, name: 'l-log' };
  owner.uid = (await world.drive(client.of(KruiseStatefulSet).get(workload))).metadata.uid ?? '';
  making = true;
  await world.drive(client.of(LogSet).delete(key));
  await clock.advance(30_000);
  expect(await found(world, BucketClaim)).toHaveLength(1);
  await world.drive(client.of(Pod).patch(metadata, merge({ metadata: { finalizers: null } })));
  await world.until('it is gone', async () => (await client.of(LogSet).find(key)) === undefined);
});

test('what a LogSet has of one before it goes with it, when its cluster is left alone', async () => {
  // Without owners of paths: else its end would wait for the sets that use the data.
  await using world = await settled({});
  await world.drive(world.client.of(LogSet).delete(mo));
  await world.clock.advance(30_000);
  await world.until('settled', () => world.settled());
  const annotations = { 'matrixorigin.io/skip-sync': 'y' };
  await world.drive(world.client.of(MatrixOneCluster).patch(mo, merge({ metadata: { annotations } })));
  await world.drive(world.client.of(LogSet).delete(mo));
  await world.until('it is gone', async () => (await world.client.of(LogSet).find(mo)) === undefined);
  await world.clock.advance(60_000);
  expect((await left(world)).filter((name) => name.includes('mo-log'))).toEqual([]);
});

test('what a LogSet has let go of goes with its cluster, when that goes before the next LogSet comes', async () => {
  await using world = await settled();
  await world.drive(world.client.of(LogSet).delete(mo));
  await world.clock.advance(5_000);
  const match = { verb: 'patch', resource: 'logsets', user };
  world.embedded.faults.add({ match, when: { until: 30_000 }, action: { status: 500 } });
  await world.clock.advance(8_000);
  await world.drive(world.client.of(MatrixOneCluster).delete(mo));
  await world.clock.advance(900_000);
  expect(await left(world)).toEqual([]);
});

test('a LogSet whose cluster has vanished goes with all that is below it, also when that is heard of late', async () => {
  await using world = await settled();
  await world.stopOperator();
  await lateOperator(world, 'matrixoneclusters', 30_000);
  await world.drive(world.client.of(MatrixOneCluster).patch(mo, merge({ metadata: { finalizers: null } })));
  await world.drive(world.client.of(MatrixOneCluster).delete(mo));
  await world.clock.advance(900_000);
  expect(await left(world)).toEqual([]);
});
