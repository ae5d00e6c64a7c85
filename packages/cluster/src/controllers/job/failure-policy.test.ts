import { Job, type JobSpec, Pod, type PodFailurePolicyRule } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { conditionText, TestCluster } from '../test-cluster.ts';

function job(code: number, rules: readonly PodFailurePolicyRule[], more: Partial<JobSpec> = {}): Job {
  const containers = [{ name: 'main', image: 'app:1', command: ['sh', '-c', `sleep 1; exit ${code}`] }];
  return {
    metadata: { name: 'work' },
    spec: { podFailurePolicy: { rules }, ...more, template: { spec: { restartPolicy: 'Never', containers } } },
  };
}

test('FailJob: one pod with such an exit code is the end, and says why', async () => {
  await using world = await TestCluster.start();
  const rule = { action: 'FailJob', onExitCodes: { operator: 'In', values: [3, 4] } };
  await world.create(Job, job(3, [rule], { parallelism: 2, completions: 2, backoffLimit: 6 }));
  await world.advance(5);
  const failed = await world.get(Job, 'work');
  expect(conditionText(failed, 'FailureTarget')).toBe('True/PodFailurePolicy');
  expect(conditionText(failed, 'Failed')).toBe('True/PodFailurePolicy');
  expect(failed.status?.failed).toBe(2);
  expect(failed.status?.conditions?.find(({ type }) => type === 'Failed')?.message).toMatch(
    /^Container main for pod default\/work-\w+ failed with exit code 3 matching FailJob rule at index 0$/,
  );
});

test('another exit code counts as ever', async () => {
  await using world = await TestCluster.start();
  const rule = { action: 'FailJob', onExitCodes: { operator: 'NotIn', values: [1, 2] } };
  await world.create(Job, job(1, [rule], { backoffLimit: 1 }));
  await world.advance(120);
  expect(conditionText(await world.get(Job, 'work'), 'Failed')).toBe('True/BackoffLimitExceeded');
});

test('Ignore: such a pod is replaced and not counted', async () => {
  await using world = await TestCluster.start();
  const rule = { action: 'Ignore', onExitCodes: { containerName: 'main', operator: 'In', values: [42] } };
  await world.create(Job, job(42, [rule], { backoffLimit: 0 }));
  await world.advance(20);
  const { status } = await world.get(Job, 'work');
  expect(status?.failed ?? 0).toBe(0);
  expect((await world.list(Pod)).length).toBeGreaterThan(1);
  for (const pod of await world.list(Pod))
    if (pod.status?.phase === 'Failed') expect(pod.metadata.finalizers ?? []).toEqual([]);
});

test('by a condition of the pod', async () => {
  await using world = await TestCluster.start();
  const rule = { action: 'FailJob', onPodConditions: [{ type: 'x/broken', status: 'True' }] };
  await world.create(Job, job(1, [rule]));
  const [pod] = await world.list(Pod);
  await world.setCondition(pod?.metadata.name ?? '', 'x/broken', 'True');
  await world.advance(5);
  const failed = await world.get(Job, 'work');
  expect(failed.status?.conditions?.find(({ type }) => type === 'Failed')?.message).toBe(
    `Pod default/${pod?.metadata.name} has condition x/broken matching FailJob rule at index 0`,
  );
});

test('podReplacementPolicy Failed: a pod that is being deleted is replaced when it has gone', async () => {
  await using world = await TestCluster.start({ stages: [{ stop: { delay: 10_000, code: 1 } }] });
  const containers = [{ name: 'main', image: 'app:1' }];
  await world.create(Job, {
    metadata: { name: 'work' },
    spec: { podReplacementPolicy: 'Failed', template: { spec: { restartPolicy: 'Never', containers } } },
  });
  const [pod] = await world.list(Pod);
  await world.delete(Pod, pod?.metadata.name ?? '');
  await world.advance(5);
  expect(await world.list(Pod)).toHaveLength(1);
  await world.advance(30);
  const names = await world.names(Pod);
  expect(names).toHaveLength(1);
  expect(names).not.toContain(pod?.metadata.name);
});
