import { Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestNode } from './test-node.ts';

const signals = (node: TestNode) => node.runtime.journal.filter((line) => line.startsWith('SIG'));
const exec = { exec: { command: ['wait'] } };

/** Never done by itself. */
const never = (signal: AbortSignal) =>
  new Promise<void>((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true }),
  );

test('a pod that goes: asked, waited for, ended, gone', async () => {
  await using node = await TestNode.start();
  node.runtime.deaf.add('main');
  await node.pod({}, { terminationGracePeriodSeconds: 20 });
  await node.world.delete(Pod, 'a');
  expect(signals(node)).toEqual(['SIGTERM main']);
  expect((await node.get()).status?.phase).toBe('Running');
  await node.advance(19);
  expect(await node.world.names(Pod)).toEqual(['a']);
  await node.advance(2);
  expect(signals(node)).toEqual(['SIGTERM main', 'SIGKILL main']);
  expect(await node.world.names(Pod)).toEqual([]);
  expect(node.runtime.journal.at(-1)).toBe('remove');
  expect(await node.world.events('Killing')).toEqual(['Killing: Stopping container main']);
});

test('a shorter grace that is asked for later counts', async () => {
  await using node = await TestNode.start();
  node.runtime.deaf.add('main');
  await node.pod({}, { terminationGracePeriodSeconds: 600 });
  await node.world.delete(Pod, 'a');
  await node.advance(5);
  await node.world.client.of(Pod).delete({ namespace: 'default', name: 'a' }, { gracePeriodSeconds: 3 });
  await node.advance(5);
  expect(await node.world.names(Pod)).toEqual([]);
});

test('a pod that goes by force: its containers do, too', async () => {
  await using node = await TestNode.start();
  node.runtime.deaf.add('main');
  await node.pod();
  await node.world.client.of(Pod).delete({ namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 });
  await node.world.settle();
  expect(node.runtime.journal.at(-1)).toBe('remove');
});

test('finalizers keep a pod whose containers have ended', async () => {
  await using node = await TestNode.start();
  await node.pod({}, { restartPolicy: 'Never' });
  await node.world.patch(Pod, 'a', { metadata: { finalizers: ['x/wait'] } });
  await node.world.delete(Pod, 'a');
  await node.advance(60);
  const pod = await node.get();
  expect(pod.status?.phase).toBe('Failed');
  expect(await node.container()).toMatchObject({ state: { terminated: { exitCode: 143 } } });
  await node.world.patch(Pod, 'a', { metadata: { finalizers: null } });
  await node.advance(1);
  expect(await node.world.names(Pod)).toEqual([]);
});

test('preStop goes before the signal, and takes of the grace', async () => {
  await using node = await TestNode.start();
  node.runtime.hook = (_run, _handler, signal) => never(signal);
  await node.pod({ lifecycle: { preStop: exec } }, { terminationGracePeriodSeconds: 10 });
  await node.world.delete(Pod, 'a');
  await node.advance(9);
  expect(signals(node)).toEqual([]);
  await node.advance(3);
  expect(signals(node)).toEqual(['SIGTERM main']);
  expect(await node.world.names(Pod)).toEqual([]);
});

test('a preStop hook that fails is told of, and does not stop the end', async () => {
  await using node = await TestNode.start();
  node.runtime.hook = () => Promise.reject(new Error('no such file'));
  await node.pod({ lifecycle: { preStop: exec } });
  await node.world.delete(Pod, 'a');
  expect(signals(node)).toEqual(['SIGTERM main']);
  expect(await node.world.names(Pod)).toEqual([]);
  expect(await node.world.events('FailedPreStopHook')).toEqual(['FailedPreStopHook: PreStopHook failed']);
});

test('postStart: the container is not ready before it is done, and ends when it fails', async () => {
  await using node = await TestNode.start();
  const hooks: PromiseWithResolvers<void>[] = [];
  node.runtime.hook = () => {
    const hook = Promise.withResolvers<void>();
    hooks.push(hook);
    return hook.promise;
  };
  await node.pod({ lifecycle: { postStart: exec } });
  expect(await node.container()).toMatchObject({ ready: false });
  hooks[0]?.reject(new Error('no such file'));
  await node.world.settle();
  expect(signals(node)).toEqual(['SIGKILL main']);
  expect(await node.world.events('FailedPostStartHook')).toEqual(['FailedPostStartHook: PostStartHook failed']);
  hooks[1]?.resolve();
  await node.world.settle();
  expect(await node.container()).toMatchObject({ ready: true, restartCount: 1 });
});

test('a pod that may be active for so long only fails then, and stays', async () => {
  await using node = await TestNode.start();
  await node.pod({}, { activeDeadlineSeconds: 30 });
  await node.advance(29);
  expect((await node.get()).status?.phase).toBe('Running');
  await node.advance(3);
  expect((await node.get()).status).toMatchObject({
    phase: 'Failed',
    reason: 'DeadlineExceeded',
    message: 'Pod was active on the node longer than the specified deadline',
  });
  expect(await node.container()).toMatchObject({ restartCount: 0, state: { terminated: { exitCode: 143 } } });
});
