import { Job, Pod } from '@coxswain/k8s';
import { merge, type Transport } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { RestoreJob } from '../api/index.ts';
import { BackupWorld, done, ended, failure, running, runs, s3 } from './test-world.ts';

const key = { namespace: 'default', name: 'rs' };
type Request = Parameters<Transport['send']>[0];

const says =
  (name: string) =>
  ({ method, path }: Request) =>
    method === 'PATCH' && path.endsWith(`/restorejobs/${name}/status`);

/** A way on which one request, or its answer, is under way for as long as the test wants. */
class HeldWay {
  /** Which request is held: the first of these. */
  wants: (request: Request) => boolean = () => false;
  /** What is under way: the request, which the server has not seen yet, or the answer. */
  holds: 'request' | 'answer' = 'request';
  isHeld = false;
  #letGo = () => {};

  readonly through = (inner: Transport): Transport => ({
    ...inner,
    send: async (request) => {
      if (this.isHeld || !this.wants(request)) return inner.send(request);
      this.isHeld = true;
      const answer = this.holds === 'answer' ? await inner.send(request) : undefined;
      await new Promise<void>((resolve) => {
        this.#letGo = resolve;
      });
      return answer ?? inner.send(request);
    },
  });

  async held(world: BackupWorld): Promise<void> {
    for (let i = 0; i < 120 && !this.isHeld; i++) await world.clock.advance(500);
    expect(this.isHeld).toBe(true);
  }

  async letGo(world: BackupWorld): Promise<void> {
    this.#letGo();
    await world.clock.advance(60_000);
  }
}

/** A restore, and an operator whose first word on it from some moment on is late. */
async function lateWorld(): Promise<{ readonly world: BackupWorld; readonly way: HeldWay }> {
  const world = await BackupWorld.start({ operators: 0 });
  const way = new HeldWay();
  await world.launch(undefined, way.through);
  return { world, way };
}

async function createRestore(world: BackupWorld): Promise<void> {
  await world.createSecrets();
  const spec = { backupName: 'b', target: { s3 } };
  await world.drive(world.client.of(RestoreJob).create({ metadata: key, spec }));
}

/** The same, with the restore running; what its operator says of it next is late. */
async function runningWorld(): Promise<{ readonly world: BackupWorld; readonly way: HeldWay }> {
  const { world, way } = await lateWorld();
  world.report = running;
  await world.createBackup();
  await createRestore(world);
  await world.letRun(key);
  await world.clock.advance(5_000);
  way.wants = says('rs');
  return { world, way };
}

const find = (world: BackupWorld) => () => world.client.of(RestoreJob).find(key);
const hasEnded = ({ status }: RestoreJob) => status?.phase === 'Completed' || status?.phase === 'Failed';

async function endedOne(world: BackupWorld): Promise<readonly unknown[]> {
  await world.until(find(world), hasEnded);
  await world.clock.advance(10_000);
  return ended((await world.drive(find(world)())) as RestoreJob);
}

const complete = ['Completed', 'True', 'JobComplete', ''];

test('that it waits, said by an operator that has not heard of the end, does not undo a restore', async () => {
  const { world, way } = await lateWorld();
  await using _ = world;
  way.wants = says('rs');
  await createRestore(world);
  await way.held(world);
  await world.launch();
  await world.createBackup();
  expect(await endedOne(world)).toEqual(complete);
  await way.letGo(world);
  expect([await endedOne(world), runs(world)]).toEqual([complete, [1]]);
});

test('nor does that it runs, said where the phase had been put back', async () => {
  const { world, way } = await runningWorld();
  await using _ = world;
  const before = { status: { phase: 'Pending', conditions: null } };
  await world.drive(world.client.of(RestoreJob).patchStatus(key, merge(before)));
  await way.held(world);
  world.report = done();
  await world.launch();
  expect(await endedOne(world)).toEqual(complete);
  await world.gone(() => world.client.of(Job).find(key));
  await way.letGo(world);
  expect([await endedOne(world), runs(world)]).toEqual([complete, [1]]);
});

test.each([
  ['completed', 'failed', done(), failure, complete],
  ['failed', 'completed', failure, done(), ['Failed', 'True', 'JobFailed', 'exit code 3: no bucket, password=***']],
])('one that has %s has not %s by the word of who comes late', async (_, __, first, late, end) => {
  const { world, way } = await runningWorld();
  await using ___ = world;
  world.report = late;
  await way.held(world);
  world.report = first;
  await world.launch();
  expect(await endedOne(world)).toEqual(end);
  await way.letGo(world);
  expect([await endedOne(world), runs(world)]).toEqual([end, [1]]);
});

test('what an operator that comes late says of the program leaves why it failed', async () => {
  const { world, way } = await runningWorld();
  await using _ = world;
  world.report = undefined;
  await way.held(world);
  world.report = failure;
  await world.launch();
  const end = await endedOne(world);
  expect(end[3]).toContain('no bucket');
  await way.letGo(world);
  expect(await endedOne(world)).toEqual(end);
});

test('that a cluster is restored is not undone by an operator that has not heard of it', async () => {
  const { world, way } = await lateWorld();
  await using _ = world;
  await world.createBackup();
  let isChosen = false;
  way.holds = 'answer';
  way.wants = ({ method, path, body }) => {
    isChosen ||= path.endsWith('/matrixoneclusters/mo/status') && JSON.stringify(body).includes('jobUID');
    return isChosen && method === 'GET' && path.endsWith('/restorejobs/restore-mo');
  };
  await world.createCluster({ restoreFrom: 'b' });
  await way.held(world);
  expect((await world.drive(world.cluster()))?.status?.restore?.phase).toBe('Running');
  await world.launch();
  await world.until(world.cluster, ({ status }) => status?.restore?.phase === 'Completed');
  await way.letGo(world);
  expect((await world.drive(world.cluster()))?.status?.restore?.phase).toBe('Completed');
});

test('a RestoreJob that has failed without a word on why is told as that', async () => {
  await using world = await BackupWorld.start();
  world.report = running;
  await world.createBackup();
  await world.createCluster({ restoreFrom: 'b' });
  await world.letRun({ namespace: 'default', name: 'restore-mo' });
  await world.stopOperators();
  const failed = { status: { phase: 'Failed', conditions: null } };
  await world.drive(
    world.client.of(RestoreJob).patchStatus({ namespace: 'default', name: 'restore-mo' }, merge(failed)),
  );
  const way = new HeldWay();
  way.wants = says('restore-mo');
  await world.launch(undefined, way.through);
  const cluster = await world.until(world.cluster, ({ status }) => status?.restore?.phase === 'Failed');
  await way.letGo(world);
  expect(cluster.status?.restore?.message).toBe('RestoreJob restore-mo failed');
});

test('the pod of an earlier restore of the same name does not answer for this one', async () => {
  await using world = await BackupWorld.start();
  await world.createBackup();
  const labels = { 'batch.kubernetes.io/job-name': 'rs' };
  const metadata = { name: 'rs-old', namespace: 'default', labels };
  const spec = { containers: [{ name: 'br', image: 'br' }] };
  await world.drive(world.client.of(Pod).create({ metadata, spec }));
  await world.clock.advance(5_000);
  await createRestore(world);
  await world.clock.advance(120_000);
  const waiting = (await world.drive(find(world)())) as RestoreJob;
  const message = 'pod rs-old, which may answer in its place, is not gone yet';
  expect(ended(waiting)).toEqual(['Running', 'False', 'JobRunning', message]);
  await world.drive(world.client.of(Pod).delete({ namespace: 'default', name: 'rs-old' }));
  expect([await endedOne(world), runs(world)]).toEqual([complete, [1]]);
});
