import { Pod } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { json } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { LogSet } from '../api/index.ts';
import { World } from './test-world.ts';

const key = { namespace: 'default', name: 'mo' };
const workload = { namespace: 'default', name: 'mo-log' };

test('a log store that was let go for a post-mortem is replaced, also when that cannot be written down at once', async () => {
  await using world = await World.start();
  await world.applyExample((cluster) => {
    const logService = { ...cluster.spec.logService, storeFailureTimeout: '20s', failedPodStrategy: 'Orphan' as const };
    return { ...cluster, spec: { ...cluster.spec, logService } };
  });
  await world.until('settled', () => world.settled());
  const broken = json([{ op: 'replace', path: '/spec/containers/0/image', value: 'invalid.example/broken:1' }]);
  await world.drive(world.client.of(Pod).patch({ namespace: 'default', name: 'mo-log-1' }, broken));
  const failed = async () => (await world.client.of(LogSet).get(key)).status?.failedStores ?? [];
  await world.until('one is down', async () => (await failed()).length === 1);
  const match = { resource: 'statefulsets', verb: 'patch', user: 'matrixone-operator' };
  const fault = world.embedded.faults.add({ match, when: { times: 1 }, action: { status: 500 } });
  await world.until('settled again', () => world.settled());
  expect(fault.counts.fired).toBe(1);
  const { spec } = await world.drive(world.client.of(KruiseStatefulSet).get(workload));
  expect(spec.reserveOrdinals).toEqual([1]);
  const orphan = await world.drive(world.client.of(Pod).get({ namespace: 'default', name: 'mo-log-1' }));
  expect(orphan.metadata.labels).toMatchObject({ 'matrixorigin.io/action-required': 'True' });
});
