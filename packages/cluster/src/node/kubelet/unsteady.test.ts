import { Pod } from '@coxswain/k8s';
import { strategic } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import type { ProbeResult } from '../runtime.ts';
import { TestNode } from './test-node.ts';

const key = { namespace: 'default', name: 'a' };
const hours = 3_600_000;

test('a container that cannot be asked is neither well nor unwell', async () => {
  await using node = await TestNode.start();
  let answer: ProbeResult = { ok: true, output: '' };
  node.runtime.probe = async () => answer;
  const probe = { exec: { command: ['check'] }, periodSeconds: 1, failureThreshold: 2 };
  await node.pod({ livenessProbe: probe, readinessProbe: probe });
  await node.advance(2);
  expect(await node.container()).toMatchObject({ ready: true });
  answer = { ok: false, output: 'no such file', note: 'error' };
  await node.advance(30);
  expect(await node.container()).toMatchObject({ ready: true, restartCount: 0 });
  expect(await node.world.events('Unhealthy')).toContain(
    'Unhealthy: Liveness probe errored and resulted in unknown state: no such file',
  );
});

test.each([[-5 * hours], [5 * hours]])(
  'the wall clock jumps by %i ms: a container that waits does so as long as before',
  async (ms) => {
    await using node = await TestNode.start();
    await node.pod();
    await node.end(1);
    await node.end(1);
    node.world.clock.jump(ms);
    await node.advance(30);
    expect(await node.container()).toMatchObject({ restartCount: 2, ready: true });
  },
);

test.each([[-5 * hours], [5 * hours]])('the wall clock jumps by %i ms: a grace lasts as long as before', async (ms) => {
  await using node = await TestNode.start();
  node.runtime.deaf.add('main');
  await node.pod({}, { terminationGracePeriodSeconds: 20 });
  await node.world.delete(Pod, 'a');
  node.world.clock.jump(ms);
  await node.advance(10);
  expect(await node.world.names(Pod)).toEqual(['a']);
  await node.advance(15);
  expect(await node.world.names(Pod)).toEqual([]);
});

test('how long a pod may be active can be said, and shortened, later', async () => {
  await using node = await TestNode.start();
  await node.pod();
  await node.advance(20);
  await node.world.client.of(Pod).patch(key, strategic({ spec: { activeDeadlineSeconds: 600 } }));
  await node.advance(20);
  expect((await node.get()).status?.phase).toBe('Running');
  await node.world.client.of(Pod).patch(key, strategic({ spec: { activeDeadlineSeconds: 30 } }));
  await node.advance(2);
  expect((await node.get()).status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
});

test('an ephemeral container runs beside the others, once', async () => {
  await using node = await TestNode.start();
  await node.pod();
  const patch = strategic({ spec: { ephemeralContainers: [{ name: 'debug', image: 'tools:1' }] } });
  await node.world.client.of(Pod).patch(key, patch, { subresource: 'ephemeralcontainers' });
  await node.world.settle();
  await node.end(3, 'debug');
  await node.advance(60);
  const pod = await node.get();
  expect(pod.status?.ephemeralContainerStatuses).toMatchObject([
    { name: 'debug', restartCount: 0, state: { terminated: { exitCode: 3 } } },
  ]);
  expect(pod.status?.phase).toBe('Running');
  expect(pod.status?.observedGeneration).toBe(pod.metadata.generation);
});
