import { Job, type JobSpec, Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import type { Stage } from '../../node/index.ts';
import { conditionText, TestCluster } from '../test-cluster.ts';

/** What a pod of an index does: it ends with a code after so many seconds; those that are not said run on. */
type Plan = Readonly<Record<number, { readonly code?: number; readonly after?: number }>>;

const stagesOf = (plan: Plan): Stage[] =>
  Object.entries(plan).map(([index, { code = 0, after = 1 }]) => ({
    match: { pod: `work-${index}-*` },
    exit: { delay: after * 1000, code },
  }));

/** Runs an indexed job; where nothing is said, all its pods run at a time. What is expected is what a real 1.37.2 answers. */
async function run(plan: Plan, spec: Partial<JobSpec> & { readonly completions: number }, seconds = 5) {
  const world = await TestCluster.start({ stages: stagesOf(plan) });
  const containers = [{ name: 'main', image: 'app:1' }];
  await world.create(Job, {
    metadata: { name: 'work' },
    spec: {
      completionMode: 'Indexed',
      parallelism: spec.completions,
      ...spec,
      template: { spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 0, containers } },
    },
  });
  await world.advance(seconds);
  return world;
}

const messageOf = (job: Job, type: string) =>
  job.status?.conditions?.find((condition) => condition.type === type)?.message;

test.each([
  ['some of these', [{ succeededIndexes: '1-2', succeededCount: 1 }], { 1: {} }, '1', 0],
  [
    'all of these, by the second rule',
    [{ succeededIndexes: '3' }, { succeededIndexes: '0,2' }],
    { 0: {}, 2: {} },
    '0,2',
    1,
  ],
  ['so many, whichever', [{ succeededCount: 2 }], { 0: {}, 3: {} }, '0,3', 0],
] as const)('successPolicy: %s are enough, and the others are taken back', async (_, rules, plan, done, rule) => {
  await using world = await run(plan, { completions: 4, successPolicy: { rules: [...rules] } });
  const job = await world.get(Job, 'work');
  expect(job.status).toMatchObject({ completedIndexes: done, terminating: 0 });
  expect(job.status?.failed ?? 0).toBe(0);
  expect(job.status?.completionTime).toBeTruthy();
  expect(conditionText(job, 'SuccessCriteriaMet')).toBe('True/SuccessPolicy');
  expect(conditionText(job, 'Complete')).toBe('True/SuccessPolicy');
  expect(messageOf(job, 'Complete')).toBe(`Matched rules at index ${rule}`);
  expect(await world.list(Pod)).toHaveLength(done.split(',').length);
});

test('successPolicy: indexes that are not among those of the rule do not count', async () => {
  await using world = await run(
    { 0: {}, 3: {} },
    { completions: 4, successPolicy: { rules: [{ succeededIndexes: '1-2' }] } },
  );
  const job = await world.get(Job, 'work');
  expect(job.status).toMatchObject({ completedIndexes: '0,3', active: 2 });
  expect(job.status?.conditions ?? []).toEqual([]);
});

test('backoffLimitPerIndex: an index fails by itself, the others go on, and the job fails when all have ended', async () => {
  await using world = await run(
    { 0: {}, 1: { code: 1 }, 2: { after: 30 } },
    { completions: 3, backoffLimitPerIndex: 1 },
  );
  const waiting = await world.get(Job, 'work');
  expect(waiting.status).toMatchObject({ active: 1, completedIndexes: '0', failedIndexes: '' });
  // counted when its successor is there, which takes over what it knows
  expect(waiting.status?.failed ?? 0).toBe(0);
  const before = (await world.list(Pod)).find(({ status }) => status?.phase === 'Failed');
  expect(before?.metadata.finalizers).toEqual(['batch.kubernetes.io/job-tracking']);
  await world.advance(12);
  const failing = await world.get(Job, 'work');
  expect(failing.status).toMatchObject({ active: 1, failed: 2, completedIndexes: '0', failedIndexes: '1' });
  const counts = (await world.list(Pod))
    .filter(({ status }) => status?.phase === 'Failed')
    .map(({ metadata }) => metadata.annotations?.['batch.kubernetes.io/job-index-failure-count']);
  expect(counts.sort()).toEqual(['0', '1']);
  await world.advance(30);
  const job = await world.get(Job, 'work');
  expect(job.status).toMatchObject({ failed: 2, succeeded: 2, completedIndexes: '0,2', failedIndexes: '1' });
  expect(conditionText(job, 'Failed')).toBe('True/FailedIndexes');
  expect(messageOf(job, 'Failed')).toBe('Job has failed indexes');
});

test('backoffLimitPerIndex: a failed pod of an index delays that one alone', async () => {
  const plan = { 0: { code: 1 }, 1: {}, 2: {} };
  await using world = await run(plan, { completions: 3, parallelism: 2, backoffLimitPerIndex: 5 }, 8);
  expect((await world.get(Job, 'work')).status).toMatchObject({ completedIndexes: '1,2' });
});

test('maxFailedIndexes: more of them are the end of the job, and of the pods that run', async () => {
  const plan = { 0: { code: 1 }, 1: { code: 1, after: 2 } };
  await using world = await run(plan, { completions: 5, backoffLimitPerIndex: 0, maxFailedIndexes: 1 });
  const job = await world.get(Job, 'work');
  expect(conditionText(job, 'FailureTarget')).toBe('True/MaxFailedIndexesExceeded');
  expect(conditionText(job, 'Failed')).toBe('True/MaxFailedIndexesExceeded');
  expect(messageOf(job, 'Failed')).toBe('Job has exceeded the specified maximal number of failed indexes');
  expect(job.status).toMatchObject({ failed: 5, failedIndexes: '0,1', terminating: 0 });
  expect(await world.list(Pod)).toHaveLength(2);
});

test('FailIndex: one pod with such an exit code is the end of its index', async () => {
  const rule = { action: 'FailIndex', onExitCodes: { operator: 'In', values: [3] } };
  const spec = { completions: 3, backoffLimitPerIndex: 3, podFailurePolicy: { rules: [rule] } };
  await using world = await run({ 0: {}, 1: { code: 3 }, 2: {} }, spec);
  const job = await world.get(Job, 'work');
  expect(job.status).toMatchObject({ failed: 1, succeeded: 2, completedIndexes: '0,2', failedIndexes: '1' });
  expect(conditionText(job, 'Failed')).toBe('True/FailedIndexes');
});

test('Ignore: such a pod is not counted against its index, and delays the next all the same', async () => {
  const rule = { action: 'Ignore', onExitCodes: { operator: 'In', values: [42] } };
  const spec = { completions: 2, backoffLimitPerIndex: 0, podFailurePolicy: { rules: [rule] } };
  await using world = await run({ 0: {}, 1: { code: 42 } }, spec, 15);
  const job = await world.get(Job, 'work');
  expect(job.status).toMatchObject({ completedIndexes: '0', failedIndexes: '' });
  expect(job.status?.failed ?? 0).toBe(0);
  const second = (await world.list(Pod)).find(
    ({ metadata }) => metadata.annotations?.['batch.kubernetes.io/job-index-ignored-failure-count'] === '1',
  );
  expect(second?.metadata.annotations).toMatchObject({ 'batch.kubernetes.io/job-index-failure-count': '0' });
});

test.each([1, 2, 3, 4, 5, 6])('a pass that is cut at its write number %i changes nothing of the end', async (nth) => {
  const plan = { 0: { code: 1 }, 1: { code: 1, after: 2 } };
  await using world = await run(plan, { completions: 4, backoffLimitPerIndex: 0, maxFailedIndexes: 1 }, 1);
  const user = 'system:kube-controller-manager';
  const match = { user, verb: ['patch', 'update', 'delete'], resource: ['jobs', 'pods'] };
  const fault = world.cluster.faults.add({ match, when: { nth }, action: { status: 500 } });
  await world.advance(5);
  expect(fault.counts.fired).toBe(1);
  world.errors.splice(0);
  const job = await world.get(Job, 'work');
  expect(conditionText(job, 'Failed')).toBe('True/MaxFailedIndexesExceeded');
  expect(job.status).toMatchObject({ failed: 4, failedIndexes: '0,1' });
});
