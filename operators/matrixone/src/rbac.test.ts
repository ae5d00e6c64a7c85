import type { PolicyRule } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { MatrixOneCluster } from './api/index.ts';
import { operatorRules } from './rbac.ts';
import { World } from './scenario/test-world.ts';

const key = { namespace: 'default', name: 'mo' };
const rule = (group: string, resource: string, verb: string) =>
  operatorRules.find(
    ({ apiGroups, resources, verbs }) =>
      apiGroups?.includes(group) && resources?.includes(resource) && verbs.includes(verb),
  );

/** A life of a cluster: made, grown, gone. */
async function live(world: World): Promise<void> {
  const mo = world.client.of(MatrixOneCluster);
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  await world.drive(mo.patch(key, merge({ spec: { logService: { volume: { size: '20Gi' } } } })));
  await world.until('the cluster is settled', () => world.settled());
  await world.drive(mo.delete(key));
  await world.until('the cluster is gone', async () => (await mo.find(key)) === undefined);
}

test('the operator is refused nothing that it needs', async () => {
  await using world = await World.start();
  await live(world);
  expect([...world.refusals]).toEqual([]);
});

test.each([
  ['', 'configmaps', 'create'],
  ['', 'secrets', 'create'],
  ['apps.kruise.io', 'statefulsets', 'create'],
  ['apps.kruise.io', 'clonesets', 'patch'],
  ['core.matrixorigin.io', 'cnsets/status', 'patch'],
  ['core.matrixorigin.io', 'matrixoneclusters', 'patch'],
])('without %s %s %s it is refused', async (group, resource, verb) => {
  const found = rule(group, resource, verb);
  expect(found).toBeDefined();
  const allowed: readonly PolicyRule[] = operatorRules.map((one) =>
    one === found ? { ...one, verbs: one.verbs.filter((name) => name !== verb) } : one,
  );
  await using world = await World.start({ allowed });
  await world.applyExample();
  await world.until('it was refused', async () => world.refusals.size > 0);
  expect([...world.refusals].join()).toContain(`cannot ${verb} resource`);
});
