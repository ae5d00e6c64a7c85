import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { BucketClaim, LogSet } from '../api/index.ts';
import { newClaim } from './claims.ts';
import { BucketWorld } from './test-world.ts';

const s3 = { type: 'minio', endpoint: 'http://minio.store:9000', path: 'lake/prod' } as const;
const key = { namespace: 'default', name: 'mo' };
const template = { spec: { containers: [{ name: 'main', image: 'matrixorigin/matrixone:2.1.0' }] } };

/** What an operator makes that has heard of the workload, and not of the claim by which its log service owns the path. */
async function besides(world: BucketWorld): Promise<void> {
  const late = newClaim({ metadata: { ...key, uid: 'late' } } as LogSet, { s3, template }, true);
  await world.drive(world.client.of(BucketClaim).create({ ...late, status: { bindTo: 'default/mo' } }));
  // What a late operator does next, and what wakes one that is not.
  await world.drive(world.client.of(LogSet).patch(key, merge({ metadata: { annotations: { looked: 'at' } } })));
}

test('a claim that was made besides the one in use goes, without the data; that goes with the other one', async () => {
  await using world = await BucketWorld.start();
  await world.startOperator();
  await world.createLogSet({ name: 'mo', s3 });
  await world.until('it is ready', () => world.isReady('mo'));
  const [held] = await world.claims();
  await besides(world);
  await world.until('one claim', async () => (await world.claims()).length === 1);
  expect((await world.claims()).map(({ metadata }) => metadata.uid)).toEqual([held?.metadata.uid]);
  expect(await world.phases()).toEqual(['default/mo: InUse']);
  expect(await world.jobs()).toEqual([]);
  await world.deleteLogSet('mo');
  await world.until('the data is removed', async () => (await world.jobs()).length === 1);
  await world.until('no claim', async () => (await world.claims()).length === 0);
});

test('whoever writes a claim’s status, nobody writes it for the sake of a generation that each write raises', async () => {
  await using world = await BucketWorld.start();
  await world.startOperator();
  await world.startOperator();
  await world.createLogSet({ name: 'mo', s3 });
  await world.until('it is ready', () => world.isReady('mo'));
  const [claim] = await world.claims();
  const of = { namespace: 'default', name: claim?.metadata.name ?? '' };
  await world.drive(world.client.of(BucketClaim).delete(of));
  await world.clock.advance(60_000);
  const before = (await world.claims())[0]?.metadata.resourceVersion;
  await world.clock.advance(240_000);
  const [after] = await world.claims();
  expect(after?.status?.conditions).toMatchObject([{ type: 'recyclable', status: 'False', reason: 'InUse' }]);
  expect(after?.status?.conditions?.[0]).not.toHaveProperty('observedGeneration');
  expect(after?.metadata.resourceVersion).toBe(before);
});
