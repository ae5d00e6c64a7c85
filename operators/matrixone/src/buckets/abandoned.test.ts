import { Pod } from '@coxswain/k8s';
import { json, merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { ANNOTATION_ANY_INSTANCE_RUNNING, BucketClaim, LogSet } from '../api/index.ts';
import { bucketUserFinalizer } from '../identity/index.ts';
import { newClaim } from './claims.ts';
import { BucketWorld } from './test-world.ts';

const s3 = { type: 'minio', endpoint: 'http://minio.store:9000', path: 'lake/prod' } as const;
const namespace = 'default';
const template = { spec: { containers: [{ name: 'main', image: 'matrixorigin/matrixone:2.1.0' }] } };

/** The claim, in use, of a log service that is not there: as an operator makes one that has not heard of its end. */
async function late(world: BucketWorld, { ran = false, marks = [] as readonly string[] } = {}): Promise<void> {
  const owner = { metadata: { name: 'mo', namespace, uid: 'gone' } } as LogSet;
  const { metadata, ...rest } = newClaim(owner, { s3, template }, ran);
  const finalizers = [...(metadata.finalizers ?? []), ...marks];
  const claim = { ...rest, metadata: { ...metadata, finalizers }, status: { bindTo: 'default/mo', state: 'InUse' } };
  await world.drive(world.client.of(BucketClaim).create(claim as BucketClaim));
}

test('a claim that was made after the end of its log service goes, and the path is free', async () => {
  await using world = await BucketWorld.start();
  await world.startOperator();
  await late(world, { marks: [bucketUserFinalizer('CN', namespace, 'gone')] });
  await world.until('it is gone', async () => (await world.claims()).length === 0);
  expect(await world.jobs()).toEqual([]);
  await world.createLogSet({ name: 'other', s3 });
  await world.until('another is ready there', () => world.isReady('other'));
});

test('where there may be data it stays, and is the next one’s', async () => {
  await using world = await BucketWorld.start();
  await world.startOperator();
  await late(world, { ran: true });
  await world.until('it is released', async () => (await world.phases()).join() === '-: Released');
  await world.createLogSet({ name: 'other', s3 });
  await world.until('another is ready there', () => world.isReady('other'));
  const [claim] = await world.claims();
  expect(claim?.metadata.annotations).toMatchObject({ [ANNOTATION_ANY_INSTANCE_RUNNING]: 'true' });
});

test('one that a user deletes meanwhile does not wait for a log service that is gone', async () => {
  await using world = await BucketWorld.start();
  await late(world);
  for (const claim of await world.claims()) await world.forget(claim);
  await world.startOperator();
  await world.until('it is gone', async () => (await world.claims()).length === 0);
});

test('as long as pods of a log service run whose finalizer somebody took away, the path is not given up', async () => {
  await using world = await BucketWorld.start();
  const operator = await world.startOperator();
  await world.createLogSet({ name: 'mo', s3 });
  await world.until('it is ready', () => world.isReady('mo'));
  await world.stopOperator(operator);
  const key = { namespace, name: 'mo' };
  await world.drive(world.client.of(LogSet).delete(key, { propagation: 'Orphan' }));
  await world.drive(world.client.of(LogSet).patch(key, merge({ metadata: { finalizers: null } })));
  await world.startOperator();
  await world.clock.advance(300_000);
  expect(await world.phases()).toEqual(['default/mo: InUse']);
  for (const { metadata } of await world.pods()) {
    const of = { namespace, name: metadata.name };
    // Nobody counts it any more.
    await world.drive(world.client.of(Pod).patch(of, json([{ op: 'remove', path: '/metadata/labels' }])));
  }
  await world.until('it is released', async () => (await world.phases()).join() === '-: Released');
});
