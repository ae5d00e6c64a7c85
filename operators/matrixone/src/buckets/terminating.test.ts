import { type EnvVar, Event, Job, Namespace, Pod, Secret } from '@coxswain/k8s';
import type { Transport, TransportRequest } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { BucketClaim, type S3Storage } from '../api/index.ts';
import { cleanLabels } from './clean-names.ts';
import { holding } from './test-late.ts';
import { BucketWorld, type BucketWorldOptions, cleaner } from './test-world.ts';

const doomed = 'doomed';
const operators = 'operators';
const s3: S3Storage = {
  type: 'minio',
  endpoint: 'http://minio.store:9000',
  path: 'lake/prod',
  secretRef: { name: 'keys' },
  certificateRef: { name: 'trust', files: ['ca.pem'] },
};
const keys = { AWS_ACCESS_KEY_ID: 'me', AWS_SECRET_ACCESS_KEY: 'secret' };

async function createSecret(world: BucketWorld, name: string, stringData: object): Promise<void> {
  const secret = { metadata: { namespace: doomed, name }, stringData } as Secret;
  await world.drive(world.client.of(Secret).create(secret));
}

interface Doomed extends BucketWorldOptions {
  /** Where the operator lives. */
  readonly home?: string;
  /** What of his requests wait. */
  readonly holds?: (request: TransportRequest) => boolean;
}

/** A world with a log service in a namespace that will go. */
async function start({ home, holds = () => false, ...options }: Doomed = {}): Promise<BucketWorld> {
  const world = await BucketWorld.start(options);
  const through = (inner: Transport) => holding(inner, world.clock, holds);
  await world.startOperator({ through, ...(home === undefined ? {} : { operatorNamespace: home }) });
  for (const name of [doomed, operators]) await world.createNamespace(name);
  await createSecret(world, 'keys', keys);
  await createSecret(world, 'trust', { 'ca.pem': 'CA', 'other.pem': 'no' });
  await world.createLogSet({ namespace: doomed, name: 'mo', s3 });
  await world.until('it is ready', () => world.isReady('mo', doomed));
  return world;
}

async function deleteNamespace(world: BucketWorld): Promise<void> {
  await world.drive(world.client.of(Namespace).delete({ name: doomed }));
}

async function namespaceIsGone(world: BucketWorld): Promise<boolean> {
  return (await world.drive(world.client.of(Namespace).find({ name: doomed }))) === undefined;
}

async function secrets(world: BucketWorld, namespace: string): Promise<readonly Secret[]> {
  return (await world.drive(world.client.of(Secret).list({ namespace }))).items;
}

async function told(world: BucketWorld): Promise<readonly string[]> {
  const { items } = await world.drive(world.client.of(Event).list({ namespace: 'default' }));
  return items
    .filter(({ reason }) => reason === 'DataKept')
    .map(({ regarding, note }) => `${regarding?.kind} ${regarding?.name}: ${note}`);
}

/** A Job stays for a while when it is done, and what it has of its own with it. */
async function nothingIsLeft(world: BucketWorld): Promise<void> {
  const isLeft = async () => (await world.jobs()).length + (await secrets(world, operators)).length > 0;
  await world.until('nothing is left', async () => !(await isLeft()), 660);
}

const envOf = (job: Job | undefined): readonly EnvVar[] => job?.spec?.template.spec?.containers[0]?.env ?? [];
const plain = ({ data = {} }: Secret) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
const kept = { 'keys.AWS_ACCESS_KEY_ID': 'me', 'keys.AWS_SECRET_ACCESS_KEY': 'secret', 'trust.ca.pem': 'CA' };

test('data whose namespace is being deleted is removed by a Job of the operator’s, and the namespace goes', async () => {
  await using world = await start({ home: operators });
  await deleteNamespace(world);
  await world.until('a Job runs', async () => (await world.jobs()).length === 1);
  const [job] = await world.jobs();
  expect(job?.metadata.namespace).toBe(operators);
  const ofJob = job?.metadata.name ?? '';
  const { serviceAccountName, imagePullSecrets, volumes } = job?.spec?.template.spec ?? {};
  expect([serviceAccountName, imagePullSecrets]).toEqual([undefined, undefined]);
  expect(envOf(job)).toContainEqual({
    name: 'AWS_SECRET_ACCESS_KEY',
    valueFrom: { secretKeyRef: { name: ofJob, key: 'keys.AWS_SECRET_ACCESS_KEY' } },
  });
  expect(volumes).toContainEqual({
    name: 's3-ssl',
    secret: { defaultMode: 420, secretName: ofJob, items: [{ key: 'trust.ca.pem', path: 'ca.pem' }] },
  });
  await world.until('the Job has what it needs', async () => (await secrets(world, operators)).length === 1);
  expect((await secrets(world, operators)).map(plain)).toEqual([kept]);
  await world.until('the namespace is gone', () => namespaceIsGone(world));
  expect((await world.jobs()).map(({ status }) => status?.succeeded)).toEqual([1]);
  await nothingIsLeft(world);
  expect(await told(world)).toEqual([]);
});

test('an operator that comes before a claim is let go makes no second Job', async () => {
  let [isHeld, isLettingGo] = [true, false];
  const holds = ({ method, path }: TransportRequest) => {
    const isOfCopy = method === 'DELETE' && path.includes(`/namespaces/${doomed}/secrets/bucket-`);
    isLettingGo ||= isOfCopy;
    return isHeld && isOfCopy;
  };
  await using world = await start({ home: operators, holds });
  await deleteNamespace(world);
  const uids = new Set<string | undefined>();
  const look = async () => {
    for (const { metadata } of await world.jobs()) uids.add(metadata.uid);
    return uids.size > 0;
  };
  await world.until('a Job runs', look);
  await world.until('the first lets the claim go', async () => isLettingGo);
  await world.startOperator({ operatorNamespace: operators });
  await world.clock.advance(3_000);
  await look();
  isHeld = false;
  await world.until('the namespace is gone', () => namespaceIsGone(world));
  expect(uids.size).toBe(1);
  await nothingIsLeft(world);
});

test('a Job of an operator that gave it no end is removed when it is done', async () => {
  await using world = await start({ home: operators });
  const [claim] = await world.claims();
  if (!claim) throw new Error('no claim');
  const metadata = { namespace: operators, name: 'job-before', labels: cleanLabels(claim, operators) };
  const pod = { containers: [{ name: 'main', image: cleaner }], restartPolicy: 'OnFailure' };
  await world.drive(world.client.of(Job).create({ metadata, spec: { template: { spec: pod } } } as Job));
  await deleteNamespace(world);
  await world.until('the namespace is gone', () => namespaceIsGone(world));
  await world.clock.advance(10_000);
  expect(await world.jobs()).toEqual([]);
});

test('data that cannot be removed from there stays, which is told, and the namespace goes all the same', async () => {
  const stages = [{ match: { image: cleaner }, exit: { delay: 1_000, code: 1 } }];
  await using world = await start({ home: operators, stages });
  await deleteNamespace(world);
  await world.until('the namespace is gone', () => namespaceIsGone(world), 3_700);
  await nothingIsLeft(world);
  expect(await told(world)).toEqual([
    expect.stringMatching(
      /^Namespace doomed: the data of BucketClaim doomed\/bucket-.* stays at s3:\/\/lake\/prod at http:\/\/minio.store:9000, remove it by other means: Job operators\/job-bucket-.* failed: /,
    ),
  ]);
});

test('a Job elsewhere that does not start in an hour is given up', async () => {
  const stages = [{ match: { image: cleaner }, pull: { error: 'no such image' } }];
  await using world = await start({ home: operators, stages });
  await deleteNamespace(world);
  await world.until('the namespace is gone', () => namespaceIsGone(world), 4_500);
  await world.clock.advance(10_000);
  expect((await told(world)).length).toBe(1);
});

test('an operator without a namespace of its own lets the data be', async () => {
  await using world = await start();
  await deleteNamespace(world);
  await world.until('the namespace is gone', () => namespaceIsGone(world));
  await world.clock.advance(10_000);
  expect(await told(world)).toEqual([expect.stringContaining('the operator has no other namespace')]);
});

test('a Job that the server takes nowhere does not hold the namespace', async () => {
  await using world = await start({ home: operators });
  const [claim] = await world.claims();
  const metadata = {
    namespace: doomed,
    name: 'a'.repeat(70),
    finalizers: [...(claim?.metadata.finalizers ?? [])],
    annotations: { 'bucket.matrixorigin.io/any-instance-running': 'true' },
  };
  const logSetSpec = { spec: { containers: [{ name: 'main', image: 'matrixorigin/matrixone:2.1.0' }] } };
  const spec = { s3: { path: 'other/place' }, logSetSpec } as BucketClaim['spec'];
  const own = { metadata, spec, status: { bindTo: '', state: 'Deleting' } } as BucketClaim;
  await world.drive(world.client.of(BucketClaim).create(own));
  await deleteNamespace(world);
  await world.until('the namespace is gone', () => namespaceIsGone(world), 1_200);
  await world.clock.advance(10_000);
  expect(await told(world)).toEqual([expect.stringMatching(/stays at s3:\/\/other\/place, .*: its Job is refused: /)]);
});

test('data that another claim keeps stays, also when the namespace goes', async () => {
  await using world = await start({ home: operators });
  const inner = {
    metadata: { namespace: 'default', name: 'inner' },
    spec: { s3: { ...s3, path: 'lake/prod/a' }, logSetSpec: {} },
    status: { bindTo: '', state: 'Released' },
  } as BucketClaim;
  await world.drive(world.client.of(BucketClaim).create(inner));
  await deleteNamespace(world);
  await world.until('the namespace is gone', () => namespaceIsGone(world));
  await world.clock.advance(10_000);
  expect(await world.jobs()).toEqual([]);
  expect(await told(world)).toEqual([expect.stringContaining('BucketClaim default/inner keeps the data')]);
});

test('a claim keeps what leads to its data beside it, as long as there is data', async () => {
  await using world = await start({ home: operators });
  const [claim] = await world.claims();
  const copy = async () =>
    (await secrets(world, doomed)).find(({ metadata }) => metadata.name === claim?.metadata.name);
  expect(plain((await copy()) as Secret)).toEqual(kept);
  // Whoever cleans up by `kubectl delete -f` takes the Secrets with the cluster.
  for (const name of ['keys', 'trust']) await world.drive(world.client.of(Secret).delete({ namespace: doomed, name }));
  await world.deleteLogSet('mo', doomed);
  await world.until('a Job runs', async () => (await world.jobs()).length === 1);
  const [job] = await world.jobs();
  expect(job?.metadata.namespace).toBe(doomed);
  expect(envOf(job)).toContainEqual({
    name: 'AWS_ACCESS_KEY_ID',
    valueFrom: { secretKeyRef: { name: claim?.metadata.name, key: 'keys.AWS_ACCESS_KEY_ID' } },
  });
  await world.until('the claim is gone', async () => (await world.claims()).length === 0);
  expect(await copy()).toBeUndefined();
});

test('credentials that were replaced are kept anew with the first store that has them', async () => {
  await using world = await start({ home: operators });
  const change = { data: { AWS_SECRET_ACCESS_KEY: Buffer.from('newer').toString('base64') } };
  const at = { namespace: doomed, name: 'keys' };
  const before = await world.drive(world.client.of(Secret).get(at));
  await world.drive(world.client.of(Secret).update({ ...before, data: { ...before.data, ...change.data } }));
  const [pod] = (await world.drive(world.client.of(Pod).list({ namespace: doomed }))).items;
  await world.clock.advance(5_000);
  await world.drive(world.client.of(Pod).delete({ namespace: doomed, name: pod?.metadata.name ?? '' }));
  await world.until('it is kept', async () =>
    (await secrets(world, doomed)).some((secret) => plain(secret)['keys.AWS_SECRET_ACCESS_KEY'] === 'newer'),
  );
});

test('data that is to stay needs no credentials', async () => {
  await using world = await BucketWorld.start();
  await world.startOperator();
  await world.createNamespace(doomed);
  await createSecret(world, 'keys', keys);
  const { certificateRef: _no, ...plainS3 } = s3;
  await world.createLogSet({ namespace: doomed, name: 'mo', s3: { ...plainS3, s3RetentionPolicy: 'Retain' } });
  await world.until('it is ready', () => world.isReady('mo', doomed));
  expect((await secrets(world, doomed)).map(({ metadata }) => metadata.name)).toEqual(['keys']);
  await deleteNamespace(world);
  await world.until('the namespace is gone', () => namespaceIsGone(world));
});
