import type { DynamicObject } from '@coxswain/k8s';
import { Pod } from '@coxswain/k8s';
import { VirtualClock } from '@coxswain/runtime/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startCluster } from '../../start-cluster.ts';
import type { Cluster } from '../../types.ts';
import type { ProgramRun, SimulatedPrograms } from './programs.ts';

const clock = new VirtualClock();
let cluster: Cluster;
let runs: ProgramRun[];

const programs: SimulatedPrograms = (_pod, { name }) =>
  name === 'main'
    ? {
        start(run) {
          runs.push(run);
          run.write(`run ${runs.length}\n`);
        },
      }
    : undefined;

beforeEach(async () => {
  runs = [];
  cluster = await startCluster({ clock, programs });
});
afterEach(() => cluster.stop());

async function run(name: string, spec: object): Promise<void> {
  await cluster.client.of(Pod).create({ metadata: { namespace: 'default', name }, spec } as unknown as Pod);
  await clock.advance(1_000);
}

/** The text of a log, or the message of a refusal. */
async function logOf(name: string, query: Readonly<Record<string, string>> = {}): Promise<string> {
  const path = `/api/v1/namespaces/default/pods/${name}/log`;
  try {
    const { body } = await cluster.client.transport.send({ method: 'GET', path, query });
    return String(body);
  } catch (error) {
    return (error as Error).message;
  }
}

const main = { name: 'main', image: 'app:1' };

test('a container without a program says so', async () => {
  await run('p', { containers: [{ name: 'idle', image: 'app:1' }] });
  expect(await logOf('p')).toBe('container idle of pod default/p is simulated: no program runs in it\n');
});

test('each run has a log of its own, and the one before is kept', async () => {
  await run('p', { containers: [{ ...main, command: ['sleep', '5'] }] });
  expect(await logOf('p')).toBe('run 1\n');
  expect(await logOf('p', { previous: 'true' })).toBe('previous terminated container "main" in pod "p" not found');
  await clock.advance(6_000);
  expect(runs[0]?.signal.aborted).toBe(true);
  runs[1]?.write('more\n', 'stderr');
  expect(await logOf('p', { previous: 'true' })).toBe('run 1\n');
  expect(await logOf('p')).toBe('run 2\nmore\n');
  await clock.advance(6_000);
  // between two runs the last one is shown
  expect(await logOf('p')).toBe('run 2\nmore\n');
});

test('a log can be read after the end, and not before the start', async () => {
  await run('done', { containers: [{ ...main, command: ['true'] }], restartPolicy: 'Never' });
  expect(await logOf('done')).toBe('run 1\n');
  expect(await logOf('done', { follow: 'true' })).toBe('run 1\n');
  await run('late', { initContainers: [{ name: 'wait', image: 'a', command: ['sleep', '60'] }], containers: [main] });
  expect(await logOf('late')).toBe('container "main" in pod "late" is waiting to start: PodInitializing');
  await run('bad', { containers: [{ ...main, image: 'invalid.registry/x' }] });
  expect(await logOf('bad')).toBe(
    'container "main" in pod "bad" is waiting to start: trying and failing to pull image',
  );
});

test('a program ends with its pod', async () => {
  await run('p', { containers: [main] });
  const following = logOf('p', { follow: 'true' });
  await clock.settle();
  runs[0]?.write('bye\n');
  await cluster.client.of(Pod).delete({ namespace: 'default', name: 'p' });
  await clock.advance(40_000);
  expect(await following).toBe('run 1\nbye\n');
  expect(runs[0]?.signal.aborted).toBe(true);
  expect(await logOf('p')).toBe('pods "p" not found');
});

test('a node tells of itself', async () => {
  await run('p', { containers: [main] });
  const ask = async (path: string) =>
    (await cluster.client.transport.send({ method: 'GET', path: `/api/v1/nodes/node-1/proxy/${path}` })).body;
  expect(await ask('healthz')).toBe('ok');
  const { items } = JSON.parse(String(await ask('pods'))) as { readonly items: readonly DynamicObject[] };
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['p']);
  expect(JSON.parse(String(await ask('stats/summary')))).toMatchObject({
    node: { nodeName: 'node-1' },
    pods: [{ podRef: { name: 'p', namespace: 'default' }, containers: [{ name: 'main' }] }],
  });
  await expect(ask('nothing')).rejects.toThrow();
});
