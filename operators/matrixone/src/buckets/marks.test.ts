import { addFinalizer } from '@coxswain/runtime/apply';
import { expect, test } from 'vitest';
import { BucketClaim, DNSet } from '../api/index.ts';
import { bucketUserFinalizer } from '../identity/index.ts';
import { BucketWorld } from './test-world.ts';

const s3 = { type: 'minio', endpoint: 'http://minio.store:9000', path: 'lake/prod' };

/** A log service whose claim has the mark of the set `d`. */
async function marked(): Promise<BucketWorld> {
  const world = await BucketWorld.start();
  await world.startOperator();
  await world.createLogSet({ name: 'mo', s3 });
  await world.until('it is ready', () => world.isReady('mo'));
  const [claim] = await world.claims();
  if (!claim) throw new Error('no claim');
  await world.drive(addFinalizer(world.client, BucketClaim, claim, bucketUserFinalizer('DN', 'default', 'd')));
  return world;
}

test('a mark that came after the end of its set holds nothing', async () => {
  await using world = await marked();
  await world.deleteLogSet('mo');
  await world.until('the claim is gone', async () => (await world.claims()).length === 0);
});

test('a mark of a set that is there holds the data', async () => {
  await using world = await marked();
  const deps = { logSet: { metadata: { name: 'mo', namespace: 'default' } } };
  const spec = { replicas: 1, image: 'matrixorigin/matrixone:2.1.0' };
  await world.drive(world.client.of(DNSet).create({ metadata: { namespace: 'default', name: 'd' }, deps, spec }));
  await world.deleteLogSet('mo');
  await world.clock.advance(60_000);
  expect((await world.logSet('mo'))?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'BucketBlocked', reason: 'StillUsed' }),
  );
  await world.drive(world.client.of(DNSet).delete({ namespace: 'default', name: 'd' }));
  await world.until('the claim is gone', async () => (await world.claims()).length === 0);
});
