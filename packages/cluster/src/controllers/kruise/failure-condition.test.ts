import { ResourceQuota } from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { expect, test } from 'vitest';
import { TestCluster, template } from '../test-cluster.ts';

const labels = { app: 'a' };
const spec = { replicas: 3, selector: { matchLabels: labels }, template: template(labels) };

test.each([
  [CloneSet, 'FailedScale'],
  [KruiseStatefulSet, 'FailedCreatePod'],
] as const)('%o whose pods a quota refuses says so until they are made', async (kind, type) => {
  await using world = await TestCluster.start();
  await world.create(ResourceQuota, { metadata: { name: 'small' }, spec: { hard: { pods: '1' } } });
  const more = kind === KruiseStatefulSet ? { serviceName: 'a', podManagementPolicy: 'Parallel' as const } : {};
  await world.create<CloneSet | KruiseStatefulSet>(kind, { metadata: { name: 'a' }, spec: { ...spec, ...more } });
  await world.advance(10);
  const status = async () => (await world.get<CloneSet | KruiseStatefulSet>(kind, 'a')).status;
  const message = expect.stringContaining('exceeded quota: small');
  expect(await status()).toMatchObject({ conditions: [{ type, status: 'True', message }] });
  await world.patch(ResourceQuota, 'small', { spec: { hard: { pods: '9' } } });
  await world.advance(600);
  expect(await status()).toMatchObject({ readyReplicas: 3 });
  expect((await status())?.conditions ?? []).toEqual([]);
  expect(world.errors.splice(0).length).toBeGreaterThan(0);
});
