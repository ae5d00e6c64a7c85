import { Job, type JobSpec, Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { conditionText, TestCluster } from '../test-cluster.ts';

function job(command: readonly string[], more: Partial<JobSpec> = {}): Job {
  const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command }] };
  return { metadata: { name: 'work' }, spec: { ...more, template: { spec } } };
}

async function phases(world: TestCluster): Promise<readonly string[]> {
  return (await world.list(Pod)).map(({ status }) => status?.phase ?? '').sort();
}

test('runs to completion, so many at a time', async () => {
  await using world = await TestCluster.start();
  await world.create(Job, job(['sleep', '10'], { completions: 3, parallelism: 2 }));
  expect(await phases(world)).toEqual(['Running', 'Running']);
  expect((await world.get(Job, 'work')).status).toMatchObject({ active: 2, ready: 2 });
  await world.advance(11);
  expect(await phases(world)).toEqual(['Running', 'Succeeded', 'Succeeded']);
  await world.advance(11);
  const done = await world.get(Job, 'work');
  expect(done.status).toMatchObject({ succeeded: 3 });
  expect(done.status?.completionTime).toBeTruthy();
  expect(conditionText(done, 'Complete')).toBe('True/CompletionsReached');
  expect(await phases(world)).toEqual(['Succeeded', 'Succeeded', 'Succeeded']);
});

test('Indexed: one pod for each index', async () => {
  await using world = await TestCluster.start();
  await world.create(Job, job(['true'], { completionMode: 'Indexed', completions: 4, parallelism: 2 }));
  await world.advance(5);
  expect((await world.get(Job, 'work')).status).toMatchObject({ succeeded: 4, completedIndexes: '0-3' });
  const pods = await world.list(Pod);
  expect(pods.map(({ spec }) => spec?.hostname)).toEqual(['work-0', 'work-1', 'work-2', 'work-3']);
  expect(pods[2]?.metadata.annotations).toMatchObject({ 'batch.kubernetes.io/job-completion-index': '2' });
});

test('failed pods are replaced with growing delays until the limit', async () => {
  await using world = await TestCluster.start();
  await world.create(Job, job(['false'], { backoffLimit: 2 }));
  expect(await phases(world)).toEqual(['Failed']);
  await world.advance(11);
  expect(await phases(world)).toEqual(['Failed', 'Failed']);
  await world.advance(10);
  expect(await phases(world)).toEqual(['Failed', 'Failed']);
  await world.advance(11);
  const failed = await world.get(Job, 'work');
  expect(conditionText(failed, 'Failed')).toBe('True/BackoffLimitExceeded');
  expect(failed.status).toMatchObject({ failed: 3 });
  await world.advance(3600);
  expect(await phases(world)).toHaveLength(3);
});

test.each([
  [0, 2],
  [2, 45],
])('containers that are started again in their pod count, too: a limit of %i', async (backoffLimit, seconds) => {
  await using world = await TestCluster.start();
  const containers = [{ name: 'main', image: 'busybox', command: ['false'] }];
  const template = { spec: { restartPolicy: 'OnFailure', containers } };
  await world.create(Job, { metadata: { name: 'work' }, spec: { backoffLimit, template } });
  await world.advance(seconds);
  const job = await world.get(Job, 'work');
  expect(conditionText(job, 'Failed')).toBe('True/BackoffLimitExceeded');
  expect(job.status?.failed).toBe(1);
});

test('a job that takes too long is stopped', async () => {
  await using world = await TestCluster.start();
  await world.create(Job, job(['sleep', '1000'], { activeDeadlineSeconds: 30 }));
  await world.advance(31);
  const late = await world.get(Job, 'work');
  expect(conditionText(late, 'Failed')).toBe('True/DeadlineExceeded');
  expect(late.status?.active ?? 0).toBe(0);
  expect(late.status?.terminating ?? 0).toBe(0);
  // what a job that fails has removed has failed, too
  expect(late.status?.failed).toBe(1);
  expect(await phases(world)).not.toContain('Running');
});

test('suspended: no pods; resumed: runs, its clock starting anew', async () => {
  await using world = await TestCluster.start();
  await world.create(Job, job(['sleep', '10'], { suspend: true }));
  expect(await phases(world)).toEqual([]);
  expect(conditionText(await world.get(Job, 'work'), 'Suspended')).toBe('True/JobSuspended');
  await world.patch(Job, 'work', { spec: { suspend: false } });
  expect(await phases(world)).toEqual(['Running']);
  await world.patch(Job, 'work', { spec: { suspend: true } });
  expect(await phases(world)).not.toContain('Running');
  expect((await world.get(Job, 'work')).status?.startTime).toBeUndefined();
  await world.patch(Job, 'work', { spec: { suspend: false } });
  await world.advance(11);
  const done = await world.get(Job, 'work');
  expect(conditionText(done, 'Suspended')).toBe('False/JobResumed');
  expect(conditionText(done, 'Complete')).toBe('True/CompletionsReached');
  expect(new Set(await world.events('Suspended'))).toEqual(new Set(['Suspended: Job suspended']));
  expect(new Set(await world.events('Resumed'))).toEqual(new Set(['Resumed: Job resumed']));
  expect(await world.events('SuccessfulDelete')).toEqual([
    expect.stringMatching(/^SuccessfulDelete: Deleted pod: work-/),
  ]);
});

test('a finished job goes with its pods after its time to live', async () => {
  await using world = await TestCluster.start();
  await world.create(Job, job(['true'], { ttlSecondsAfterFinished: 60 }));
  await world.advance(59);
  expect(await world.names(Job)).toEqual(['work']);
  await world.advance(10);
  expect(await world.names(Job)).toEqual([]);
  expect(await world.names(Pod)).toEqual([]);
});

test('what has succeeded stays counted when its pod is deleted', async () => {
  await using world = await TestCluster.start();
  await world.create(Job, job(['sleep', '10'], { completions: 2, parallelism: 1 }));
  await world.advance(11);
  const [first = ''] = (await world.list(Pod))
    .filter(({ status }) => status?.phase === 'Succeeded')
    .map(({ metadata }) => metadata.name);
  await world.delete(Pod, first);
  await world.advance(11);
  const done = await world.get(Job, 'work');
  expect(done.status).toMatchObject({ succeeded: 2 });
  expect(conditionText(done, 'Complete')).toBe('True/CompletionsReached');
});

test('a pod is not lost to the count when the status cannot be written', async () => {
  await using world = await TestCluster.start();
  await world.create(Job, job(['sleep', '10'], { completions: 1 }));
  const match = { verb: 'patch', resource: 'jobs', subresource: 'status' };
  world.cluster.faults.add({ match, when: { times: 2 }, action: { status: 409 } });
  await world.advance(40);
  expect(await phases(world)).toEqual(['Succeeded']);
  expect((await world.get(Job, 'work')).status).toMatchObject({ succeeded: 1 });
});
