import { ConfigMap, type Kind, Namespace, Pod, Service } from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { BucketClaim, CNSet, DNSet, LogSet, MatrixOneCluster, ProxySet } from '../api/index.ts';
import { KnownNodes } from './test-known-nodes.ts';
import { TroubleWorld } from './test-trouble.ts';
import type { WorldOptions } from './test-world.ts';

const inNamespace = (name: string) => ({ namespace: 'default', name });
const mo = inNamespace('mo');

async function podsOf(world: TroubleWorld, component: string): Promise<readonly string[]> {
  const labels = `matrixorigin.io/component=${component}`;
  const { items } = await world.drive(world.client.of(Pod).list({ namespace: 'default', labels }));
  return items.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).sort();
}

test('a LogSet deleted by hand lets its stores run on, and the next one finds them as they are', async () => {
  await using world = await TroubleWorld.settled(undefined, { buckets: {} });
  const before = await podsOf(world, 'LogSet');
  const [first, stores] = [
    await world.drive(world.client.of(LogSet).get(mo)),
    await world.drive(world.client.of(KruiseStatefulSet).get(inNamespace('mo-log'))),
  ];
  await world.drive(
    world.client.of(KruiseStatefulSet).patch(inNamespace('mo-log'), merge({ spec: { reserveOrdinals: [7] } })),
  );
  await world.world.clock.advance(2_000);
  await world.drive(world.client.of(LogSet).delete(mo));
  await world.world.clock.advance(3_000);
  expect(await world.says(LogSet, 'mo')).toContainEqual(
    expect.stringMatching(/^Synced False StillNeeded: it is being deleted while MatrixOneCluster mo needs it/),
  );
  expect(await world.says(MatrixOneCluster, 'mo')).toContainEqual(
    expect.stringContaining('LogSet mo: it is being deleted'),
  );
  await world.world.clock.advance(20_000);
  await world.recovers();
  const next = await world.drive(world.client.of(LogSet).get(mo));
  expect(next.metadata.uid).not.toBe(first.metadata.uid);
  const bootstrap = 'logset.matrixorigin.io/bootstrap';
  expect(next.metadata.annotations?.[bootstrap]).toBe(first.metadata.annotations?.[bootstrap]);
  expect(await podsOf(world, 'LogSet')).toEqual(before);
  const kept = await world.drive(world.client.of(KruiseStatefulSet).get(inNamespace('mo-log')));
  expect(kept.metadata.uid).toBe(stores.metadata.uid);
  const owners = kept.metadata.ownerReferences?.map(({ kind, uid, controller }) => [kind, uid, controller]);
  expect(owners).toContainEqual(['LogSet', next.metadata.uid, true]);
  expect(kept.spec.reserveOrdinals).toEqual([7]);
  const claims = await world.drive(world.client.of(BucketClaim).list({ namespace: 'default' }));
  expect(claims.items.map(({ status }) => status)).toMatchObject([{ state: 'InUse', bindTo: 'default/mo' }]);
  expect(await world.events()).toContainEqual(expect.stringMatching(/^LogSet mo StillNeeded: /));
  await world.drive(world.client.of(MatrixOneCluster).delete(mo));
  await world.world.until('all is gone', async () => (await world.client.of(LogSet).find(mo)) === undefined);
  await world.world.clock.advance(60_000);
  expect(await world.claims()).toEqual([]);
  expect(await podsOf(world, 'LogSet')).toEqual([]);
});

const others: readonly { readonly kind: Kind; readonly name: string }[] = [
  { kind: DNSet, name: 'mo' },
  { kind: CNSet, name: 'mo-tp' },
  { kind: ProxySet, name: 'mo' },
];

test.each(others)('another set that is deleted by hand ($kind.kind) is made again', async ({ kind, name }) => {
  await using world = await TroubleWorld.settled();
  const before = await podsOf(world, 'LogSet');
  await world.drive(world.client.of(kind).delete(inNamespace(name)));
  await world.world.clock.advance(1_000);
  await world.recovers();
  expect(await podsOf(world, 'LogSet')).toEqual(before);
  expect((await podsOf(world, kind.kind)).length).toBeGreaterThan(0);
});

const data = { data: { mine: 'x' } };
const labels = { app: 'mine' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'mine:1' }] } };
const pods = { replicas: 1, selector: { matchLabels: labels }, template };
const workload = { spec: { ...pods, serviceName: 'mine' } };
const service = { spec: { selector: labels, ports: [{ port: 1 }] } };

const foreign: readonly (readonly [Kind, string, object, Kind, string])[] = [
  [ConfigMap, 'mo-log-config', data, LogSet, 'mo'],
  [ConfigMap, 'mo-dn-config', data, DNSet, 'mo'],
  [Service, 'mo-log-discovery', service, LogSet, 'mo'],
  [Service, 'mo-tp-cn', service, CNSet, 'mo-tp'],
  [KruiseStatefulSet, 'mo-log', workload, LogSet, 'mo'],
  [CloneSet, 'mo-proxy', { spec: pods }, ProxySet, 'mo'],
];

test.each(foreign.map(([kind, ...rest]) => [`${kind.kind} ${rest[0]}`, kind, ...rest] as const))(
  'an object of somebody else (%s) is left to him, and the set says so until it is gone',
  async (_, kind, name, content, setKind, setName) => {
    await using world = await TroubleWorld.start();
    const his = await world.drive(world.client.of(kind).create({ metadata: inNamespace(name), ...content }));
    await world.create({});
    await world.world.clock.advance(120_000);
    const says = new RegExp(
      `^Synced False NameTaken: ${kind.kind} ${name} is there already, and not of ${setKind.kind} ${setName}`,
    );
    expect(await world.says(setKind, setName)).toContainEqual(expect.stringMatching(says));
    expect(await world.says(MatrixOneCluster, 'mo')).toContainEqual(
      expect.stringContaining(`${kind.kind} ${name} is there already`),
    );
    expect(await world.events()).toContainEqual(
      expect.stringMatching(new RegExp(`^${setKind.kind} ${setName} NameTaken: `)),
    );
    await world.endures();
    const left = await world.drive(world.client.of(kind).get(inNamespace(name)));
    expect({
      ...left,
      status: undefined,
      metadata: { uid: left.metadata.uid, ownerReferences: left.metadata.ownerReferences },
    }).toMatchObject({
      metadata: { uid: his.metadata.uid },
      ...content,
    });
    expect(left.metadata.ownerReferences).toBeUndefined();
    expect(left.metadata.labels).toBeUndefined();
    await world.drive(world.client.of(kind).delete(inNamespace(name)));
    await world.recovers();
  },
);

test('an object of somebody else is left to him also when the cluster goes that wanted its name', async () => {
  await using world = await TroubleWorld.start();
  const his = foreign.filter(([kind]) => kind !== ConfigMap);
  const uids = async () => {
    const found = await Promise.all(his.map(([kind, name]) => world.client.of(kind).find(inNamespace(name))));
    return found.map((object) => [object?.metadata.uid, object?.metadata.deletionTimestamp]);
  };
  for (const [kind, name, content] of his)
    await world.drive(world.client.of(kind).create({ metadata: inNamespace(name), ...content }));
  const before = await world.drive(uids());
  await world.create({});
  await world.world.clock.advance(60_000);
  await world.drive(world.client.of(MatrixOneCluster).delete(mo));
  await world.world.until('it is gone', async () => (await world.client.of(MatrixOneCluster).find(mo)) === undefined);
  await world.world.clock.advance(60_000);
  expect(await world.drive(uids())).toEqual(before);
});

const kept = { s3RetentionPolicy: 'Retain', pvcRetentionPolicy: 'Delete' } as const;
const drained = { terminationPolicy: 'Drain', scalingConfig: { storeDrainEnabled: true } } as const;

test.each<[string, object, WorldOptions]>([
  ['as it is', {}, {}],
  ['with owners of S3 paths, whose data stays', { logService: { sharedStorage: { s3: kept } } }, { buckets: {} }],
  ['with nodes that hold sessions', { cnGroups: [{ name: 'tp', replicas: 2, ...drained }] }, { cnStores: busy() }],
])(
  'a namespace that is deleted while its cluster lives goes with all that is in it: %s',
  async (_how, spec, options) => {
    await using world = await TroubleWorld.start(options);
    const { client } = world;
    await world.drive(client.of(Namespace).create({ metadata: { name: 'db' } }));
    await world.create(spec, 'db');
    const cluster = { namespace: 'db', name: 'mo' };
    await world.world.until('the cluster is ready', async () => {
      const found = await client.of(MatrixOneCluster).find(cluster);
      return found?.status?.phase === 'Ready';
    });
    await world.drive(client.of(Namespace).delete({ name: 'db' }));
    const gone = async () => (await client.of(Namespace).find({ name: 'db' })) === undefined;
    await world.world.until('the namespace is gone', gone, 900);
  },
);

/** Compute nodes with sessions that do not end. */
function busy(): KnownNodes {
  const stores = new KnownNodes();
  stores.now = { sessions: 1, pipelines: 0, replicas: 0 };
  return stores;
}
