import { CronJob, type CronJobSpec, Job } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestCluster } from '../test-cluster.ts';

function nightly(command: readonly string[], more: Partial<CronJobSpec> = {}): CronJob {
  return {
    metadata: { name: 'nightly' },
    spec: {
      schedule: '* * * * *',
      jobTemplate: {
        metadata: { labels: { part: 'backup' } },
        spec: {
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'app:1', command }] } },
        },
      },
      ...more,
    },
  };
}

const minutes = (world: TestCluster) => Math.floor(world.clock.now() / 60_000);

test('a job each minute, named by it; those that ended are kept up to the limits', async () => {
  await using world = await TestCluster.start();
  await world.create(CronJob, nightly(['true']));
  await world.advance(65);
  const [job] = await world.list(Job);
  expect(job?.metadata.name).toBe(`nightly-${minutes(world)}`);
  expect(job?.metadata.labels).toMatchObject({ part: 'backup' });
  const scheduled = new Date(minutes(world) * 60_000).toISOString().replace('.000', '');
  expect(job?.metadata.annotations).toMatchObject({ 'batch.kubernetes.io/cronjob-scheduled-timestamp': scheduled });
  await world.advance(6 * 60);
  expect(await world.list(Job)).toHaveLength(3);
  const { status } = await world.get(CronJob, 'nightly');
  expect(status?.active).toBeUndefined();
  expect(Date.parse(status?.lastScheduleTime ?? '')).toBe(minutes(world) * 60_000);
  expect(status?.lastSuccessfulTime).toBeDefined();
  expect((await world.events('SawCompletedJob'))[0]).toMatch(
    /^SawCompletedJob: Saw completed job: nightly-\d+, condition: Complete$/,
  );
});

test.each([
  ['Allow', 3],
  ['Forbid', 1],
  ['Replace', 1],
] as const)('%s: after three minutes of a long job', async (concurrencyPolicy, running) => {
  await using world = await TestCluster.start();
  await world.create(CronJob, nightly(['sleep', '3600'], { concurrencyPolicy }));
  const first = minutes(world) + 1;
  await world.advance(3 * 60 + 10);
  const { status } = await world.get(CronJob, 'nightly');
  expect(status?.active).toHaveLength(running);
  const names = status?.active?.map(({ name }) => name);
  if (concurrencyPolicy === 'Forbid') {
    expect(names).toEqual([`nightly-${first}`]);
    expect(await world.events('JobAlreadyActive')).not.toEqual([]);
  } else expect(names).toContain(`nightly-${first + 2}`);
});

test('suspended nothing starts, and what was missed beyond its deadline does not start later', async () => {
  await using world = await TestCluster.start();
  await world.create(CronJob, nightly(['true'], { suspend: true, schedule: '0 * * * *', startingDeadlineSeconds: 20 }));
  await world.advance(3 * 3600 + 120);
  expect(await world.list(Job)).toEqual([]);
  await world.patch(CronJob, 'nightly', { spec: { suspend: false } });
  await world.advance(60);
  expect(await world.list(Job)).toEqual([]);
});

test('after hours of which nobody knew one job starts, and somebody is told', async () => {
  await using world = await TestCluster.start();
  await world.create(CronJob, nightly(['true'], { suspend: true }));
  await world.advance(4 * 3600);
  await world.patch(CronJob, 'nightly', { spec: { suspend: false } });
  expect(await world.list(Job)).toHaveLength(1);
  expect(await world.events('TooManyMissedTimes')).toHaveLength(1);
});

test('a job that somebody deletes is missed', async () => {
  await using world = await TestCluster.start();
  await world.create(CronJob, nightly(['sleep', '3600'], { concurrencyPolicy: 'Forbid' }));
  await world.advance(65);
  const [job] = await world.list(Job);
  await world.delete(Job, job?.metadata.name ?? '', 'Background');
  await world.advance(1);
  expect(await world.events('MissingJob')).toEqual([`MissingJob: Active job went missing: ${job?.metadata.name}`]);
});

test('jobs go with their CronJob', async () => {
  await using world = await TestCluster.start();
  await world.create(CronJob, nightly(['sleep', '3600']));
  await world.advance(65);
  await world.delete(CronJob, 'nightly', 'Background');
  await world.advance(40);
  expect(await world.list(Job)).toEqual([]);
});
