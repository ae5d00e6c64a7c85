import { Deployment, type KubeObject, Pod, PodDisruptionBudget, type PodDisruptionBudgetSpec } from '@coxswain/k8s';
import { CloneSet } from '@coxswain/k8s/kruise';
import { formatTime } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { TestCluster, template } from '../test-cluster.ts';

const labels = { app: 'web' };
const selector = { matchLabels: labels };

function budget(spec: Omit<PodDisruptionBudgetSpec, 'selector'>): PodDisruptionBudget {
  return { metadata: { name: 'web' }, spec: { selector, ...spec } };
}

function deployment(replicas: number): Deployment {
  return { metadata: { name: 'web' }, spec: { replicas, selector, template: template(labels) } };
}

const status = async (world: TestCluster) => (await world.get(PodDisruptionBudget, 'web')).status;

async function evict(world: TestCluster, name: string): Promise<void> {
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: world.namespace } };
  const path = `/api/v1/namespaces/${world.namespace}/pods/${name}/eviction`;
  await world.client.raw({ method: 'POST', path, body });
}

test('a budget without pods allows nothing', async () => {
  await using world = await TestCluster.start();
  await world.create(PodDisruptionBudget, budget({ minAvailable: 1 }));
  expect(await status(world)).toMatchObject({
    currentHealthy: 0,
    desiredHealthy: 1,
    expectedPods: 0,
    disruptionsAllowed: 0,
    observedGeneration: 1,
    conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', message: '' }],
  });
});

test.each<[Omit<PodDisruptionBudgetSpec, 'selector'>, desired: number, allowed: number]>([
  [{ minAvailable: 2 }, 2, 3],
  [{ minAvailable: '50%' }, 3, 2],
  [{ maxUnavailable: 1 }, 4, 1],
  [{ maxUnavailable: '30%' }, 3, 2],
  [{ maxUnavailable: 9 }, 0, 5],
  [{ minAvailable: 9 }, 9, 0],
])('of five pods, %o', async (spec, desiredHealthy, disruptionsAllowed) => {
  await using world = await TestCluster.start();
  await world.create(Deployment, deployment(5));
  await world.create(PodDisruptionBudget, budget(spec));
  expect(await status(world)).toMatchObject({ currentHealthy: 5, desiredHealthy, expectedPods: 5, disruptionsAllowed });
});

test('evictions are granted as long as the budget lasts, and again when pods are healthy again', async () => {
  await using world = await TestCluster.start({ nodes: 2 });
  await world.create(Deployment, deployment(3));
  await world.create(PodDisruptionBudget, budget({ maxUnavailable: 1 }));
  const [first = '', second = ''] = await world.names(Pod);
  await evict(world, first);
  await expect(evict(world, second)).rejects.toMatchObject({ code: 429 });
  await world.settle();
  await world.advance(40);
  expect(await status(world)).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 1 });
  expect((await status(world))?.disruptedPods).toBeUndefined();
  await evict(world, second);
});

test('pods that nobody controls count only against a plain number', async () => {
  await using world = await TestCluster.start();
  const spec = { containers: [{ name: 'c', image: 'a' }] };
  await world.create(Pod, { metadata: { name: 'alone', labels }, spec });
  await world.create(PodDisruptionBudget, budget({ maxUnavailable: 1 }));
  expect(await status(world)).toMatchObject({ expectedPods: 0, disruptionsAllowed: 0 });
  expect((await world.events('UnmanagedPods'))[0]).toContain(
    '(selector: &LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found',
  );
  await world.patch(PodDisruptionBudget, 'web', { spec: { maxUnavailable: null, minAvailable: 0 } });
  expect(await status(world)).toMatchObject({ expectedPods: 1, disruptionsAllowed: 1 });
});

test('a controller that cannot be asked allows nothing, and says why', async () => {
  await using world = await TestCluster.start();
  await world.create(PodDisruptionBudget, budget({ maxUnavailable: 1 }));
  const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Odd', name: 'x', uid: 'u', controller: true }];
  const spec = { containers: [{ name: 'c', image: 'a' }] };
  await world.create(Pod, { metadata: { name: 'odd', labels, ownerReferences }, spec } as Pod & KubeObject);
  expect(await status(world)).toMatchObject({
    disruptionsAllowed: 0,
    conditions: [{ status: 'False', reason: 'SyncFailed' }],
  });
  const [event] = await world.events('CalculateExpectedPodCountFailed');
  expect(event).toContain('Failed to calculate the number of expected pods: ');
  await expect(evict(world, 'odd')).rejects.toMatchObject({
    code: 429,
    details: {
      causes: [{ message: expect.stringContaining('does not allow evicting pods currently because it failed sync: ') }],
    },
  });
});

test('pods of a custom kind are expected as its scale says; one without a scale allows nothing', async () => {
  await using world = await TestCluster.start();
  await world.create(CloneSet, {
    metadata: { name: 'cn' },
    spec: { replicas: 3, selector, template: template(labels) },
  });
  await world.create(PodDisruptionBudget, budget({ maxUnavailable: 1 }));
  expect(await status(world)).toMatchObject({ expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 1 });
  const [first = '', second = ''] = await world.names(Pod);
  await evict(world, first);
  const { conditions } = (await status(world)) ?? {};
  expect(conditions).toMatchObject([{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }]);
  await expect(evict(world, second)).rejects.toMatchObject({ code: 429 });
});

test('a budget that says nothing allows nothing', async () => {
  await using world = await TestCluster.start();
  await world.create(Deployment, deployment(5));
  await world.create(PodDisruptionBudget, budget({}));
  expect(await status(world)).toMatchObject({ currentHealthy: 5, expectedPods: 0, disruptionsAllowed: 0 });
});

test('a pod that was to be evicted and is still there counts again after two minutes', async () => {
  await using world = await TestCluster.start();
  await world.create(Deployment, deployment(2));
  await world.create(PodDisruptionBudget, budget({ maxUnavailable: 1 }));
  const [name = ''] = await world.names(Pod);
  await world.patch(
    PodDisruptionBudget,
    'web',
    { status: { disruptionsAllowed: 0, disruptedPods: { [name]: formatTime(world.clock.now()) } } },
    'status',
  );
  await world.setCondition(name, 'DisruptionTarget', 'True');
  expect(await status(world)).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 });
  await world.advance(125);
  expect(await status(world)).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
  expect(await world.events('NotDeleted')).toEqual([
    "NotDeleted: Pod was expected by PDB default/default to be deleted but it wasn't",
  ]);
  const { status: after } = await world.get(Pod, name);
  expect(after?.conditions?.find(({ type }) => type === 'DisruptionTarget')?.status).toBe('False');
});
