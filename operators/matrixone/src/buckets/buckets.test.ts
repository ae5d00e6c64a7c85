import { Event } from '@coxswain/k8s';
import { merge, type Transport } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { BucketClaim, LogSet } from '../api/index.ts';
import { BucketWorld, cleaner } from './test-world.ts';

const minio = { type: 'minio', endpoint: 'http://minio.store:9000' };
const key = (name: string) => ({ namespace: 'default', name });

async function running(world: BucketWorld, name: string, s3: object): Promise<void> {
  await world.createLogSet({ name, s3: { path: 'lake/prod', ...minio, ...s3 } });
  await world.until(`${name} is ready`, () => world.isReady(name));
}

test('a log service holds its path; the data goes with it, and then the claim [case 50]', async () => {
  await using world = await BucketWorld.start();
  await world.startOperator();
  await running(world, 'mo', {});
  const { metadata } = (await world.logSet('mo')) ?? {};
  const [claim] = await world.claims();
  expect(claim).toMatchObject({
    metadata: {
      name: `bucket-${metadata?.uid}`,
      namespace: 'default',
      labels: { 'matrixorigin.io/bucket-unique-id': expect.stringMatching(/^[0-9a-f]{40}$/) },
      annotations: { 'bucket.matrixorigin.io/any-instance-running': 'true' },
      finalizers: ['matrixorigin.io/bucket-data-finalizer', 'matrixorigin.io/BucketClaim'],
    },
    spec: { s3: { path: 'lake/prod' }, logSetSpec: { spec: { containers: [{ name: 'main' }] } } },
    status: { bindTo: 'default/mo', state: 'InUse' },
  });
  expect(claim?.metadata.ownerReferences).toBeUndefined();
  await world.deleteLogSet('mo');
  await world.until('the log service is gone', async () => (await world.logSet('mo')) === undefined);
  await world.until('a Job runs', async () => (await world.jobs()).length === 1);
  expect(await world.phases()).toEqual(['-: Deleting']);
  const [job] = await world.jobs();
  expect(job?.metadata.name).toBe(`job-${claim?.metadata.name}`);
  expect(job?.spec?.template.spec?.containers).toMatchObject([{ name: 'main', image: cleaner }]);
  await world.until('the claim is gone', async () => (await world.claims()).length === 0);
});

test('retained data stays, also when the claim is deleted; the next log service at the path takes it over [case 8, 48, 49]', async () => {
  await using world = await BucketWorld.start();
  await world.startOperator();
  await running(world, 'mo', { s3RetentionPolicy: 'Retain' });
  const [before] = await world.claims();
  await world.deleteLogSet('mo');
  await world.until('it is released', async () => (await world.phases()).join() === '-: Released');
  await running(world, 'next', { path: '/lake/prod/', s3RetentionPolicy: 'Retain' });
  const [after, ...more] = await world.claims();
  expect(more).toEqual([]);
  expect(after?.metadata.uid).toBe(before?.metadata.uid);
  expect(after).toMatchObject({
    spec: { s3: { path: '/lake/prod/' } },
    status: { bindTo: 'default/next', state: 'InUse' },
  });
  await world.deleteLogSet('next');
  await world.until('it is released', async () => (await world.phases()).join() === '-: Released');
  await world.drive(world.client.of(BucketClaim).delete(key(after?.metadata.name ?? '')));
  await world.until('the claim is gone', async () => (await world.claims()).length === 0);
  expect(await world.jobs()).toEqual([]);
});

test('a second log service at the path, or around or within it, starts nothing until the first is gone [case 54, 56]', async () => {
  await using world = await BucketWorld.start();
  await world.startOperator();
  await running(world, 'mo', {});
  await world.createNamespace('other');
  await world.createLogSet({ namespace: 'other', name: 'late', s3: { ...minio, path: 'lake//prod/' } });
  await world.createLogSet({ name: 'within', s3: { endpoint: 'minio.store.svc:9000', path: 'lake/prod/a' } });
  await world.clock.advance(60_000);
  expect(await world.started()).toEqual(['default/mo']);
  const late = await world.logSet('late', 'other');
  expect(late?.status?.conditions).toMatchObject([
    { type: 'BucketBlocked', status: 'True', message: expect.stringContaining('bound to LogSet default/mo') },
    { type: 'Synced', status: 'False', reason: 'BucketBlocked' },
    { type: 'Ready', status: 'False' },
  ]);
  const events = (await world.drive(world.client.of(Event).list())).items.filter(
    ({ reason }) => reason === 'BucketBlocked',
  );
  expect(events.length).toBe(2);
  await world.deleteLogSet('within');
  await world.deleteLogSet('mo');
  await world.until('the second is ready', () => world.isReady('late', 'other'));
  expect(await world.phases()).toEqual(['other/late: InUse']);
});

/** Never tells of a claim, as if its news were late. */
function withoutClaim(inner: Transport, name: string): Transport {
  return {
    send: (request) => inner.send(request),
    close: () => inner.close(),
    async watch(request) {
      const stream = await inner.watch(request);
      if (!request.path.endsWith('/bucketclaims')) return stream;
      return (async function* () {
        for await (const events of stream)
          yield events.filter(({ type, object }) => type === 'ERROR' || object.metadata.name !== name);
      })();
    },
  };
}

test.each([
  ['a retained claim is taken over with its data', 'Released', ['default/mo: InUse']],
  ['a claim in use keeps the path', 'InUse', ['other/first: InUse']],
] as const)('of others, the cache is behind: %s', async (_, state, phases) => {
  await using world = await BucketWorld.start();
  await world.createNamespace('other');
  await world.startOperator({ through: (inner) => withoutClaim(inner, 'left') });
  const s3 = { path: 'lake/prod', ...minio };
  const left = {
    metadata: {
      ...key('left'),
      namespace: 'other',
      finalizers: ['test/kept'],
      annotations: { 'bucket.matrixorigin.io/any-instance-running': 'true' },
    },
    spec: { s3, logSetSpec: {} },
    status: { bindTo: state === 'InUse' ? 'other/first' : '', state },
  };
  await world.drive(world.client.of(BucketClaim).create(left as unknown as BucketClaim));
  await world.createLogSet({ name: 'mo', s3 });
  await world.clock.advance(5_000);
  expect(await world.phases()).toEqual(expect.arrayContaining([...phases]));
  const mine = (await world.claims()).find(({ status }) => status?.bindTo === 'default/mo');
  expect(mine?.metadata.annotations).toEqual(
    state === 'Released' ? { 'bucket.matrixorigin.io/any-instance-running': 'true' } : undefined,
  );
  expect(await world.started()).toEqual(state === 'Released' ? ['default/mo'] : []);
});

test('a claim in use is not let go, whoever deletes it [case 51]', async () => {
  await using world = await BucketWorld.start();
  await world.startOperator();
  await running(world, 'mo', { s3RetentionPolicy: 'Retain' });
  const [claim] = await world.claims();
  await world.drive(world.client.of(BucketClaim).delete(key(claim?.metadata.name ?? '')));
  await world.clock.advance(30_000);
  const [held] = await world.claims();
  expect(held?.status).toMatchObject({
    state: 'InUse',
    conditions: [{ type: 'recyclable', status: 'False', reason: 'InUse' }],
  });
  await world.deleteLogSet('mo');
  await world.until('the claim is gone', async () => (await world.claims()).length === 0);
  expect(await world.jobs()).toEqual([]);
});

test('a log service of which nothing ever ran leaves no data and no Job', async () => {
  await using world = await BucketWorld.start({
    stages: [{ match: { image: 'matrixorigin/*' }, pull: { error: 'no' } }],
  });
  await world.startOperator();
  await world.createLogSet({ name: 'mo', s3: { path: 'lake/prod', ...minio } });
  await world.until('it has started', async () => (await world.started()).length === 1);
  await world.deleteLogSet('mo');
  await world.until('the claim is gone', async () => (await world.claims()).length === 0);
  expect(await world.jobs()).toEqual([]);
});

test('a Job that fails is followed by another one, and the claim says why', async () => {
  const stages = [{ match: { image: cleaner }, exit: { delay: 1_000, code: 1 } }];
  await using world = await BucketWorld.start({ stages });
  await world.startOperator();
  await running(world, 'mo', {});
  await world.deleteLogSet('mo');
  await world.until('a Job runs', async () => (await world.jobs()).length === 1);
  const [first] = await world.jobs();
  const reasonNow = async () => (await world.claims())[0]?.status?.conditions?.[0]?.reason;
  await world.until('it failed for good', async () => (await reasonNow()) === 'JobFailure', 3_600);
  const failures = (await world.drive(world.client.of(Event).list())).items.filter(
    ({ reason }) => reason === 'JobFailure',
  );
  expect(failures.length).toBe(1);
  await world.until(
    'another Job runs',
    async () => {
      const [job] = await world.jobs();
      return job !== undefined && job.metadata.uid !== first?.metadata.uid;
    },
    3_600,
  );
  expect((await world.claims())[0]?.metadata.finalizers).toContain('matrixorigin.io/bucket-data-finalizer');
});

test('data that another claim keeps is not removed', async () => {
  await using world = await BucketWorld.start();
  await world.startOperator();
  await running(world, 'inner', { path: 'lake/prod/a', s3RetentionPolicy: 'Retain' });
  await world.deleteLogSet('inner');
  await world.until('it is released', async () => (await world.phases()).join() === '-: Released');
  await running(world, 'outer', {});
  await world.deleteLogSet('outer');
  await world.until('it is held back', async () =>
    (await world.claims()).some(({ status }) => status?.conditions?.[0]?.reason === 'PathInUse'),
  );
  await world.clock.advance(300_000);
  expect(await world.jobs()).toEqual([]);
  const inner = (await world.claims()).find(({ status }) => status?.state === 'Released');
  await world.drive(world.client.of(BucketClaim).delete(key(inner?.metadata.name ?? '')));
  await world.until('the claim is gone', async () => (await world.claims()).length === 0);
});

test('without the gate there are no claims, and data stays', async () => {
  await using world = await BucketWorld.start();
  await world.startOperator({ gate: false });
  await running(world, 'mo', {});
  await world.drive(world.client.of(LogSet).patch(key('mo'), merge({ spec: { config: 'x = 1\n' } })));
  await world.deleteLogSet('mo');
  await world.until('the log service is gone', async () => (await world.logSet('mo')) === undefined);
  expect([await world.claims(), await world.jobs()]).toEqual([[], []]);
});

test('data retained in another namespace comes into the keeping of a claim of one’s own', async () => {
  await using world = await BucketWorld.start();
  await world.startOperator();
  await world.createNamespace('other');
  const s3 = { ...minio, path: 'lake/prod', s3RetentionPolicy: 'Retain' as const };
  await world.createLogSet({ namespace: 'other', name: 'mo', s3 });
  await world.until('it is ready', () => world.isReady('mo', 'other'));
  await world.deleteLogSet('mo', 'other');
  await world.until('it is released', async () => (await world.phases()).join() === '-: Released');
  await world.createLogSet({ name: 'mo', s3 });
  await world.until('the other claim is gone', async () => (await world.phases()).join() === 'default/mo: InUse');
  const [claim] = await world.claims();
  expect(claim?.metadata).toMatchObject({
    namespace: 'default',
    annotations: { 'bucket.matrixorigin.io/any-instance-running': 'true' },
  });
  expect(await world.jobs()).toEqual([]);
});
