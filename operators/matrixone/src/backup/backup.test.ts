import { Event, Job, Service } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { BackupJob } from '../api/index.ts';
import { BackupWorld, done, ended, failure, raw, running, runs } from './test-world.ts';

const key = { namespace: 'default', name: 'bk' };

async function started(options: Parameters<typeof BackupWorld.start>[0] = {}): Promise<BackupWorld> {
  const world = await BackupWorld.start(options);
  await world.servingCluster();
  return world;
}

test('a backup is taken once, leaves a Backup, and goes when its time is over', async () => {
  await using world = await started();
  world.report = running;
  await world.createJob('bk', { ttl: '10m' });
  await world.until(
    () => world.job('bk'),
    ({ status }) => status?.phase === 'Running',
  );
  const job = await world.letRun(key);
  expect(job.spec?.template.spec?.containers[0]?.command?.[2]).toContain('--host=mo-proxy.default --port=6001');
  expect(await world.drive(world.client.of(Service).get(key))).toMatchObject({ spec: { ports: [{ port: 8080 }] } });
  await world.clock.advance(60_000);
  expect(ended((await world.drive(world.job('bk'))) as BackupJob)).toEqual(['Running', 'False', 'JobRunning', '']);
  world.report = done();
  const over = await world.ended('bk');
  expect(ended(over)).toEqual(['Completed', 'True', 'JobComplete', '']);
  const [backup, ...others] = await world.backups();
  expect(others).toEqual([]);
  expect(backup).toMatchObject({
    metadata: { name: 'bk-0192', labels: { 'matrixorigin.io/instance': 'bk', 'matrixorigin.io/namespace': 'default' } },
    meta: {
      id: '0192-aaaa-bbbb',
      raw,
      sourceRef: 'matrixonecluster/default/mo',
      location: { s3: { path: 'lake/backup' } },
      atTime: '2026-01-02T03:04:05Z',
      completeTime: '2026-01-02T03:04:09Z',
    },
  });
  expect(over.status?.backup).toBe('bk-0192');
  await world.gone(() => world.client.of(Job).find(key));
  await world.clock.advance(500_000);
  expect(await world.drive(world.job('bk'))).toBeDefined();
  await world.gone(() => world.job('bk'), 120);
  expect(await world.backups()).toHaveLength(1);
  expect(runs(world)).toEqual([1]);
});

test.each([
  ['in the first minute it is seen within seconds', 20_000, 4_000],
  ['later within a quarter of a minute', 120_000, 16_000],
])('a backup that is done: %s', async (_, runsFor, seenWithin) => {
  await using world = await started();
  world.report = running;
  await world.createJob('bk');
  await world.letRun(key);
  await world.clock.advance(runsFor);
  world.report = done();
  await world.clock.advance(seenWithin);
  expect((await world.drive(world.job('bk')))?.status?.phase).toBe('Completed');
});

test('a program that fails is told with what it said but for secrets, and its Job stays to be looked at', async () => {
  await using world = await started();
  world.report = failure;
  await world.createJob('bk', { ttl: '5m' });
  expect(ended(await world.ended('bk'))).toEqual([
    'Failed',
    'True',
    'JobFailed',
    'exit code 3: no bucket, password=***',
  ]);
  await world.clock.advance(60_000);
  expect(await world.drive(world.client.of(Job).find(key))).toBeDefined();
  expect(await world.backups()).toEqual([]);
  await world.gone(() => world.job('bk'), 3_600);
  await world.gone(() => world.client.of(Job).find(key));
});

const reachable = ({ status }: BackupJob) => status?.conditions?.find(({ type }) => type === 'Reachable');

test('that a pod starts, and its program answers a little later, is no trouble', async () => {
  await using world = await started();
  world.report = undefined;
  await world.createSecrets();
  await world.createJob('bk');
  await world.letRun(key);
  const starting = await world.until(
    () => world.job('bk'),
    (job) => reachable(job)?.status === 'False',
  );
  expect(reachable(starting)?.reason).toBe('Starting');
  await world.clock.advance(30_000);
  world.report = done();
  await world.ended('bk');
  await world.clock.advance(10_000);
  const { items } = await world.drive(world.client.of(Event).list({ namespace: 'default' }));
  expect(items.filter(({ regarding, type }) => regarding?.name === 'bk' && type === 'Warning')).toEqual([]);
});

test('a pod without its Secrets is waited for, and that is told; so is one that does not answer', async () => {
  await using world = await started();
  world.report = undefined;
  await world.createJob('bk');
  const until = (reason: string) =>
    world.until(
      () => world.job('bk'),
      (job) => reachable(job)?.reason === reason,
    );
  const without = await until('SecretMissing');
  expect(reachable(without)?.status).toBe('Unknown');
  expect(ended(without)[3]).toContain('secret "mo-credential" not found');
  await world.clock.advance(600_000);
  await world.createSecrets();
  const unreachable = await until('StatusUnreachable');
  expect(reachable(unreachable)?.status).toBe('False');
  expect(ended(unreachable)[3]).toContain('its status cannot be read: no answer from bk');
  await world.clock.advance(600_000);
  world.report = done();
  const over = await world.ended('bk');
  expect([over.status?.phase, reachable(over)]).toEqual(['Completed', undefined]);
  expect(runs(world)).toEqual([1]);
});

test('what an operator that hears late says of the program of one that has ended does not stay', async () => {
  await using world = await started();
  await world.createSecrets();
  await world.createJob('bk');
  const over = await world.ended('bk');
  const { conditions = [] } = over.status ?? {};
  const late = conditions.map((condition) => ({ ...condition, type: 'Reachable', status: 'Unknown' }));
  const body = { status: { conditions: [...conditions, ...late.slice(0, 1)] } };
  await world.drive(world.client.of(BackupJob).patchStatus(key, merge(body)));
  // The late one looks again soon, and hears of the end; here a change wakes the only one that there is.
  await world.drive(world.client.of(BackupJob).patch(key, merge({ metadata: { annotations: { looked: 'at' } } })));
  await world.clock.advance(5_000);
  const now = await world.drive(world.job('bk'));
  expect([now?.status?.phase, now && reachable(now)]).toEqual(['Completed', undefined]);
});

test('a program that cannot be asked for half an hour has failed, is not run again, and can be deleted', async () => {
  await using world = await started();
  world.report = undefined;
  await world.createSecrets();
  await world.createJob('bk');
  const until = (status: string) =>
    world.until(
      () => world.job('bk'),
      (job) => reachable(job)?.status === status,
    );
  await until('False');
  await world.clock.advance(300_000);
  world.report = running;
  await until('True');
  world.report = undefined;
  await world.clock.advance(1_700_000);
  expect((await world.drive(world.job('bk')))?.status?.phase).toBe('Running');
  await world.clock.advance(200_000);
  const over = await world.ended('bk');
  expect(ended(over).slice(0, 3)).toEqual(['Failed', 'True', 'StatusUnreachable']);
  expect(ended(over)[3]).toContain('given up after 30 minutes');
  world.report = done();
  await world.clock.advance(300_000);
  expect(runs(world)).toEqual([1]);
  await world.drive(world.client.of(BackupJob).delete(key));
  await world.gone(() => world.client.of(Job).find(key));
});

test.each([
  ['deleted', 'JobMissing', (world: BackupWorld) => world.client.of(Job).delete(key, { propagation: 'Background' })],
  [
    'suspended',
    'JobFailed',
    (world: BackupWorld) => world.client.of(Job).patch(key, merge({ spec: { suspend: true } })),
  ],
  [
    'broken',
    'JobFailed',
    (world: BackupWorld) => world.client.of(Job).patchStatus(key, merge({ status: { failed: 1 } })),
  ],
])('a Job that is %s while it runs is a failure, and no other is made', async (_, reason, harm) => {
  await using world = await started();
  world.report = running;
  await world.createJob('bk');
  await world.letRun(key);
  await world.clock.advance(20_000);
  await world.drive<unknown>(harm(world));
  const over = await world.ended('bk');
  expect(ended(over).slice(0, 3)).toEqual(['Failed', 'True', reason]);
  world.report = done();
  await world.clock.advance(300_000);
  expect(runs(world)).toEqual([1]);
  expect(await world.backups()).toEqual([]);
});

test('Backups have names of their own, whatever the id is and whoever has the name already', async () => {
  await using world = await started();
  await world.createBackup('bk-0192');
  await world.createJob('bk');
  const { metadata, status } = await world.ended('bk');
  expect(status?.backup).toBe(`bk-0192-${metadata.uid}`);
  world.report = done('A_,x');
  await world.createJob('short', { target: { fileSystem: { path: '/backups' } } });
  expect((await world.ended('short')).status?.backup).toBe('short-a');
  world.report = done(',no id');
  await world.createJob('none');
  expect(ended(await world.ended('none')).slice(0, 3)).toEqual(['Failed', 'True', 'ResultInvalid']);
  world.report = { ...done(), stdout: 'nothing' };
  await world.createJob('silent');
  expect(ended(await world.ended('silent'))[3]).toContain('META_DELIMITER');
  expect(await world.backups()).toHaveLength(3);
});

const wrong: readonly (readonly [string, Partial<BackupJob['spec']>, string])[] = [
  ['a', { source: {} }, 'spec.source'],
  ['b', { source: { cnSetRef: 'a' } }, 'spec.source.secretRef'],
  ['c', { source: { clusterRef: 'a', cnSetRef: 'b' } }, 'spec.source'],
  ['d', { ttl: 'soon' }, 'spec.ttl'],
  ['e', { ttl: '-1h' }, 'spec.ttl'],
  ['f', { target: { s3: { path: '//' } } }, 'spec.target.s3.path'],
  ['1.g', {}, 'metadata.name'],
];

test('a job with a spec that can never work fails with the name of the field, runs nothing, and goes', async () => {
  await using world = await started();
  for (const [name, spec] of wrong) await world.createJob(name, spec);
  for (const [name, , field] of wrong) {
    const over = await world.ended(name);
    expect(ended(over).slice(0, 3)).toEqual(['Failed', 'True', 'SpecInvalid']);
    expect(ended(over)[3]).toContain(`${field}: `);
  }
  for (const [name] of wrong) await world.gone(() => world.job(name), 3_700);
  expect(runs(world)).toEqual([]);
});

test('a job waits for its cluster, and for a name that something else has', async () => {
  await using world = await BackupWorld.start();
  const container = { name: 'a', image: 'a', command: ['sleep', '1000000'] };
  const template = { spec: { restartPolicy: 'Never', containers: [container] } };
  await world.drive(world.client.of(Job).create({ metadata: key, spec: { template } }));
  await world.createJob('bk');
  const reason = (wanted: string) => (job: BackupJob) => ended(job)[2] === wanted;
  await world.until(() => world.job('bk'), reason('JobNameTaken'));
  await world.drive(world.client.of(Job).delete(key, { propagation: 'Background' }));
  await world.until(() => world.job('bk'), reason('SourceNotReady'));
  await world.servingCluster();
  expect((await world.ended('bk')).status?.phase).toBe('Completed');
});

test('a job that is deleted while it runs takes its Job along', async () => {
  await using world = await started();
  world.report = running;
  await world.createJob('bk');
  await world.letRun(key);
  await world.drive(world.client.of(BackupJob).delete(key));
  await world.gone(() => world.job('bk'));
  await world.gone(() => world.client.of(Job).find(key));
});
