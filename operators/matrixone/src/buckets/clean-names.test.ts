import { ConfigMap, Event, Job, Namespace, Secret } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { BucketClaim } from '../api/index.ts';
import { cleanNames, isJobOf } from './clean-names.ts';
import { BucketWorld, cleaner } from './test-world.ts';

const operators = 'operators';

/** A claim whose data is to go, with credentials in the Secret `keys`. */
function leaving(namespace: string, name: string): BucketClaim {
  const secretKeyRef = { name: 'keys', key: 'AWS_ACCESS_KEY_ID' };
  const env = [{ name: 'AWS_ACCESS_KEY_ID', valueFrom: { secretKeyRef } }];
  return {
    apiVersion: 'core.matrixorigin.io/v1alpha1',
    kind: 'BucketClaim',
    metadata: {
      namespace,
      name,
      finalizers: ['matrixorigin.io/bucket-data-finalizer', 'matrixorigin.io/BucketClaim'],
      annotations: { 'bucket.matrixorigin.io/any-instance-running': 'true' },
    },
    spec: { s3: { path: `lake/${namespace}` }, logSetSpec: { spec: { containers: [{ name: 'main', env }] } } },
    status: { bindTo: '', state: 'Deleting' },
  };
}

async function createKeys(world: BucketWorld, namespace: string): Promise<void> {
  const stringData = { AWS_ACCESS_KEY_ID: namespace };
  // It stays for as long as it is looked for, also when its namespace is going.
  const metadata = { namespace, name: 'keys', finalizers: ['test/kept'] };
  await world.drive(world.client.of(Secret).create({ metadata, stringData }));
}

test('names elsewhere are a claim’s own, and no longer than names of Jobs may be', () => {
  const claim = (namespace: string, name: string, uid = 'u') =>
    ({ metadata: { namespace, name, uid } }) as unknown as BucketClaim;
  expect(cleanNames(claim('a', 'bucket-1'))).toEqual({ job: 'job-bucket-1', configMap: 'cm-bucket-1' });
  const long = `bucket-${'x'.repeat(60)}`;
  const all = [
    claim('a', 'bucket-1'),
    claim('b', 'bucket-1'),
    claim('a', 'bucket-1', 'v'),
    claim('a', long),
    claim('a', `${long}y`),
    claim('a', `bucket-${'x'.repeat(41)}.${'x'.repeat(20)}`),
  ].map((one) => cleanNames(one, operators));
  expect(new Set(all.map(({ job }) => job)).size).toBe(all.length);
  for (const { job, configMap } of all) {
    expect([job, configMap].join(' ')).toMatch(/^[a-z0-9][-.a-z0-9]*[a-z0-9]-[0-9a-f]{10} cm-[-.a-z0-9]*$/);
    expect(Math.max(job.length, configMap.length)).toBeLessThanOrEqual(63);
  }
});

test('a Job elsewhere is a claim’s by namespace, name and UID; of older operators, by its age', () => {
  const claim = {
    metadata: { namespace: 'a', name: 'b', uid: 'u', creationTimestamp: '2026-01-02T00:00:00Z' },
  } as unknown as BucketClaim;
  const job = (labels: object, creationTimestamp = '2026-01-03T00:00:00Z') => {
    const all = { 'matrixorigin.io/namespace': 'a', 'matrixorigin.io/instance': 'b', ...labels };
    return { metadata: { namespace: operators, name: 'job-b', labels: all, creationTimestamp } } as unknown as Job;
  };
  const uid = (value: string) => ({ 'bucket.matrixorigin.io/claim-uid': value });
  expect(isJobOf(job(uid('u')), claim)).toBe(true);
  expect(isJobOf(job(uid('v')), claim)).toBe(false);
  expect(isJobOf(job({ ...uid('u'), 'matrixorigin.io/namespace': 'c' }), claim)).toBe(false);
  expect(isJobOf(job({}), claim)).toBe(true);
  expect(isJobOf(job({}, '2026-01-01T00:00:00Z'), claim)).toBe(false);
});

test('claims of one name in two namespaces that are deleted together are cleaned each by a Job of its own', async () => {
  await using world = await BucketWorld.start();
  await world.createNamespace(operators);
  for (const namespace of ['one', 'two']) {
    await world.createNamespace(namespace);
    await createKeys(world, namespace);
    const claim = leaving(namespace, 'bucket-same');
    const inUse = { ...claim, status: { bindTo: `${namespace}/mo`, state: 'InUse' as const } };
    await world.drive(world.client.of(BucketClaim).create(inUse));
  }
  for (const name of ['one', 'two']) await world.drive(world.client.of(Namespace).delete({ name }));
  for (const claim of await world.claims()) {
    const status = { bindTo: '', state: 'Deleting' as const };
    await world.drive(world.client.of(BucketClaim).update({ ...claim, status }));
  }
  await world.startOperator({ operatorNamespace: operators });
  const secrets = async () => {
    const { items } = await world.drive(world.client.of(Secret).list({ namespace: operators }));
    return items.map(({ data }) => Buffer.from(data?.['keys.AWS_ACCESS_KEY_ID'] ?? '', 'base64').toString()).sort();
  };
  await world.until('both Jobs have what they need', async () => (await secrets()).length === 2);
  expect(await secrets()).toEqual(['one', 'two']);
  const { items } = await world.drive(world.client.of(ConfigMap).list({ namespace: operators }));
  const scripts = items.flatMap(({ data }) => data?.['start.sh'] ?? []);
  expect(
    ['lake/one', 'lake/two'].map((path) => scripts.filter((text) => text.includes(`s3://${path}`)).length),
  ).toEqual([1, 1]);
  await world.until('both are gone', async () => (await world.claims()).length === 0);
  await world.until('nothing is left', async () => (await world.jobs()).length + (await secrets()).length === 0, 660);
});

test('a Job of somebody else with the name of the claim’s is neither believed nor deleted', async () => {
  await using world = await BucketWorld.start();
  await world.startOperator();
  await createKeys(world, 'default');
  const labels = {
    'matrixorigin.io/namespace': 'default',
    'matrixorigin.io/instance': 'bucket-same',
    'matrixorigin.io/component': 'BucketClaim',
  };
  const pod = { containers: [{ name: 'main', image: 'busybox', command: ['true'] }], restartPolicy: 'Never' };
  const job = {
    metadata: { namespace: 'default', name: 'job-bucket-same', labels },
    spec: { template: { spec: pod } },
  } as Job;
  await world.drive(world.client.of(Job).create(job));
  await world.until('it is done', async () => (await world.jobs())[0]?.status?.succeeded === 1);
  await world.drive(world.client.of(BucketClaim).create(leaving('default', 'bucket-same')));
  const says = async () => (await world.claims())[0]?.status?.conditions?.[0];
  await world.until('it is said', async () => (await says())?.reason === 'NameTaken');
  expect((await says())?.message).toBe(
    'Job default/job-bucket-same is there already, and not of BucketClaim default/bucket-same: delete it, or the data stays',
  );
  await world.clock.advance(300_000);
  expect((await world.jobs()).map(({ status }) => status?.succeeded)).toEqual([1]);
  const { items } = await world.drive(world.client.of(Event).list({ namespace: 'default' }));
  const told = items.filter(({ reason }) => reason === 'NameTaken');
  expect(told.map(({ series }) => series)).toEqual([undefined]);
  await world.drive(world.client.of(Job).delete({ namespace: 'default', name: 'job-bucket-same' }));
  await world.until('the claim is gone', async () => (await world.claims()).length === 0);
});

test('a Job that the operator before made for the claim is gone on with, though it has no labels', async () => {
  await using world = await BucketWorld.start();
  await createKeys(world, 'default');
  const claim = await world.drive(world.client.of(BucketClaim).create(leaving('default', 'bucket-same')));
  const { uid = '', name } = claim.metadata;
  const owner = { apiVersion: claim.apiVersion ?? '', kind: 'BucketClaim', name, uid, controller: true };
  const pod = { containers: [{ name: 'main', image: cleaner }], restartPolicy: 'OnFailure' };
  const metadata = { namespace: 'default', name: 'job-bucket-same', ownerReferences: [owner] };
  const made = await world.drive(world.client.of(Job).create({ metadata, spec: { template: { spec: pod } } } as Job));
  await world.startOperator();
  const uids = new Set<string | undefined>();
  await world.until('the claim is gone', async () => {
    for (const job of await world.jobs()) uids.add(job.metadata.uid);
    return (await world.claims()).length === 0;
  });
  expect([...uids]).toEqual([made.metadata.uid]);
});

test('a ConfigMap of the script’s name that somebody else made is neither written over nor taken along', async () => {
  await using world = await BucketWorld.start();
  await createKeys(world, 'default');
  const key = { namespace: 'default', name: 'cm-treasure' };
  const treasure = await world.drive(world.client.of(ConfigMap).create({ metadata: key, data: { gold: 'much' } }));
  await world.drive(world.client.of(BucketClaim).create(leaving('default', 'treasure')));
  await world.startOperator();
  const says = async () => (await world.claims())[0]?.status?.conditions?.find(({ type }) => type === 'recyclable');
  await world.until('it is told', async () => (await says())?.reason === 'NameTaken');
  expect((await says())?.message).toContain('ConfigMap default/cm-treasure is there already');
  expect(await world.drive(world.client.of(ConfigMap).find(key))).toEqual(treasure);
  await world.drive(world.client.of(ConfigMap).delete(key));
  await world.until('the claim is gone', async () => (await world.claims()).length === 0);
});
