import { Job } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { BucketClaim, MatrixOneCluster } from '../api/index.ts';
import { World } from '../scenario/test-world.ts';

test('all of a cluster marks the claim, and lets it go in turn; the operator may do what that takes', async () => {
  await using world = await World.start({ buckets: { cleanImage: 'example.com/aws:2' } });
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  const claims = async () => (await world.drive(world.client.of(BucketClaim).list())).items;
  const [claim] = await claims();
  expect(claim?.status).toEqual({ bindTo: 'default/mo', state: 'InUse' });
  expect(claim?.metadata.finalizers).toEqual([
    'matrixorigin.io/bucket-data-finalizer',
    'matrixorigin.io/BucketClaim',
    'matrixorigin.io/DN-62e6fe6',
    'matrixorigin.io/CN-b22b73f',
  ]);
  const { resourceVersion } = claim?.metadata ?? {};
  await world.clock.advance(120_000);
  expect((await claims())[0]?.metadata.resourceVersion).toBe(resourceVersion);
  await world.drive(world.client.of(MatrixOneCluster).delete({ namespace: 'default', name: 'mo' }));
  await world.until('the cluster is gone', async () => (await world.cluster()) === undefined);
  const jobs = async () => (await world.drive(world.client.of(Job).list())).items;
  await world.until('the data is being removed', async () => (await jobs()).length === 1);
  const [container] = (await jobs())[0]?.spec?.template.spec?.containers ?? [];
  expect(container?.image).toBe('example.com/aws:2');
  expect(container?.env?.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION']),
  );
  expect((await claims())[0]?.metadata.finalizers).toEqual(claim?.metadata.finalizers?.slice(0, 2));
  expect([...world.refusals]).toEqual([]);
});
