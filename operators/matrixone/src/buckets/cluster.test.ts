import { Job, Namespace } from '@coxswain/k8s';
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

test('a namespace goes with the cluster in it, and with its data; the operator may do what that takes', async () => {
  const cleanImage = 'example.com/aws';
  const stages = [{ match: { image: cleanImage }, exit: { delay: 5_000 } }];
  const buckets = { cleanImage, operatorNamespace: 'operators' };
  await using world = await World.start({ cluster: { stages }, buckets });
  const { client } = world;
  for (const name of ['doomed', 'operators']) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await world.drive(client.of(Namespace).create(namespace as Namespace));
  }
  await world.applyExample((cluster) => cluster, 'doomed');
  await world.until('the cluster is ready', async () => {
    const cluster = await client.of(MatrixOneCluster).find({ namespace: 'doomed', name: 'mo' });
    return cluster?.status?.phase === 'Ready';
  });
  await world.drive(client.of(Namespace).delete({ name: 'doomed' }));
  const jobs = async () => (await client.of(Job).list({ namespace: 'operators' })).items;
  await world.until('the data is being removed', async () => (await jobs()).length === 1);
  const isGone = async () => (await client.of(Namespace).find({ name: 'doomed' })) === undefined;
  await world.until('the namespace is gone', isGone);
  expect((await world.drive(jobs())).map(({ status }) => status?.succeeded)).toEqual([1]);
  expect([...world.refusals].filter((refusal) => !refusal.includes('it is being terminated'))).toEqual([]);
});
