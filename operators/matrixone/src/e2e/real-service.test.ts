/**
 * A whole MatrixOne of the real `mo-service`, run by the operator as its chart installs it: `MO_SERVICE=/path/to/mo-service npx vitest run
 * operators/matrixone/src/e2e/real-service.test.ts`. One test goes on where the one before ended.
 *
 * Its pods have network namespaces, since the real program listens at `0.0.0.0`; sessions go through the Service of the proxy therefore.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pod } from '@coxswain/k8s';
import { sleep, systemClock } from '@coxswain/runtime/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CNSet } from '../api/index.ts';
import { isReal } from './test-ground.ts';
import { PodWatch } from './test-pod-watch.ts';
import { ImageFolder } from './test-script-image.ts';
import { nextNode, Talk } from './test-sessions.ts';
import { namespace, ProcessWorld, type Spec, small } from './test-world.ts';

/** Real processes take a busy machine its time. */
const patience = 600_000;
const program = process.env['MO_SERVICE'] ?? '';
const why = isReal ? 'the nodes of a real control plane have one network for all pods' : 'MO_SERVICE is not set';
const isWanted = program !== '' && !isReal;

/** @param shared the folder of this machine that is the shared storage */
function realOne(shared: string): Spec {
  const path = '/var/lib/matrixone-shared';
  const overlay = {
    env: [{ name: 'GOMEMLIMIT', value: '1500MiB' }],
    volumes: [{ name: 'shared', hostPath: { path: shared, type: 'Directory' } }],
    volumeMounts: [{ name: 'shared', mountPath: path }],
  };
  const sharedStorageCache = { memoryCacheSize: '128Mi' };
  const scalingConfig = { storeDrainEnabled: true, minDelaySeconds: 1, storeDrainTimeout: '10m' };
  return {
    ...small,
    // a log store sets 130 MiB aside before it has anything to keep
    logService: { replicas: 3, sharedStorage: { fileSystem: { path } }, volume: { size: '512Mi' }, overlay },
    tn: { replicas: 1, sharedStorageCache, overlay },
    cnGroups: [{ name: 'tp', replicas: 1, sharedStorageCache, scalingConfig, overlay }],
    proxy: { replicas: 1, overlay },
  };
}

/** Asks again and again until told to stop. @returns how many answers there were @throws when the session is cut, or refused an answer */
async function chat(talk: Talk, over: AbortSignal): Promise<number> {
  let answers = 0;
  for (; !over.aborted; answers++) {
    expect(await talk.run('select 1 as one')).toEqual([{ one: 1 }]);
    await sleep(systemClock, 40);
  }
  return answers;
}

const resources = new AsyncDisposableStack();
let world: ProcessWorld;
let shared = '';
/** A session whose transaction is open while a second compute node comes and its own is to go. */
let held: Talk;
let first = '';

beforeAll(async () => {
  if (!isWanted) return;
  shared = resources.adopt(await mkdtemp(join(tmpdir(), 'mo-shared-')), (path) => rm(path, { recursive: true }));
  await chmod(shared, 0o777);
  const script = `exec '${program}' "$@"`;
  const images = resources.use(await ImageFolder.of({ name: 'matrixorigin/matrixone', path: '/mo-service', script }));
  world = resources.use(await ProcessWorld.start({ images: [images.path], podNetwork: 'namespaces' }));
}, patience);
afterAll(() => resources.disposeAsync(), patience);
beforeEach(({ skip }) => skip(!isWanted, why));

const nodes = async () => (await world.pods('CNSet')).map(({ metadata }) => metadata.name);
const rows = () => held.run('select a, b from d.t order by a');

test('created, it is ready and answers', { timeout: patience }, async () => {
  await world.create(realOne(shared));
  const ready = await world.settled(400);
  process.stdout.write(`a real MatrixOne is Ready after ${ready.toFixed()} s\n`);
  const proxy = await world.proxyAddress();
  await world.until('a session', () => nextNode(proxy), 120);
  held = resources.use(await Talk.open(proxy));
  await held.run('create database d');
  await held.run('create table d.t (a int primary key, b varchar(20))');
  await held.run("insert into d.t values (1, 'one')");
  expect(await rows()).toEqual([{ a: 1, b: 'one' }]);
  [first = ''] = await nodes();
});

test('a second compute node comes while a session is in a transaction', { timeout: patience }, async () => {
  await held.run('begin');
  await held.run("insert into d.t values (2, 'two')");
  await world.changeGroup({ replicas: 2 });
  const seconds = await world.settled(400);
  process.stdout.write(`a second compute node took ${seconds.toFixed()} s\n`);
  expect(await nodes()).toHaveLength(2);
  expect(await rows()).toHaveLength(2);
});

test('the first one waits for the transaction, and goes: no session is cut', { timeout: patience }, async () => {
  await using pods = await PodWatch.begin(world.cluster);
  await using talk = await Talk.open(await world.proxyAddress());
  const over = new AbortController();
  const chatting = chat(talk, over.signal);
  // what went wrong is told where it is waited for
  chatting.catch(() => undefined);
  const pod = () => world.cluster.client.of(Pod).find({ namespace, name: first });

  await world.changeGroup({ replicas: 1, podsToDelete: [first] });
  await world.until('a condition that tells of the session', async () => {
    const { status } = await world.cluster.client.of(CNSet).get({ namespace, name: 'mo-tp' });
    const told = status?.conditions?.find(({ type }) => type === 'Draining')?.message ?? '';
    if (told.startsWith(first) && /\b1 session\b/.test(told)) return true;
    throw new Error(told);
  });
  expect(await rows()).toHaveLength(2);
  expect((await pod())?.metadata.deletionTimestamp).toBeUndefined();
  await held.run('commit');
  await world.until('the end of the first node', async () => (await pod()) === undefined, 240);
  await world.settled(240);

  expect(await rows()).toEqual([
    { a: 1, b: 'one' },
    { a: 2, b: 'two' },
  ]);
  over.abort();
  expect(await chatting).toBeGreaterThan(20);
  expect(await nodes()).toHaveLength(1);
  expect(pods.fewest('CNSet')).toBe(1);
});

test('deleted, its pods and volumes go', { timeout: patience }, async () => {
  await held?.[Symbol.asyncDispose]();
  await world.remove();
  await world.until('an empty namespace', async () => (await world.leftovers()).length === 0, 240);
});
