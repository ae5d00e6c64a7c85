import { type Container, Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { conditionText } from '../../controllers/test-cluster.ts';
import { TestNode } from './test-node.ts';

const init = (name: string, more: Partial<Container> = {}): Container => ({ name, image: `${name}:1`, ...more });
const sidecar = (name: string, more: Partial<Container> = {}) => init(name, { restartPolicy: 'Always', ...more });
const starts = (node: TestNode) => node.runtime.journal.filter((line) => line.startsWith('start '));

test('init containers run one after the other, then the others', async () => {
  await using node = await TestNode.start();
  await node.pod({}, { initContainers: [init('one'), init('two')] });
  expect(starts(node)).toEqual(['start one']);
  const pod = await node.get();
  expect(pod.status?.phase).toBe('Pending');
  expect(conditionText(pod, 'Initialized')).toBe('False/ContainersNotInitialized');
  expect((await node.container()).state?.waiting?.reason).toBe('PodInitializing');
  await node.end(0, 'one');
  expect(starts(node)).toEqual(['start one', 'start two']);
  await node.end(0, 'two');
  expect(starts(node)).toEqual(['start one', 'start two', 'start main']);
  expect(conditionText(await node.get(), 'Ready')).toBe('True');
  expect(await node.container('one')).toMatchObject({ ready: true, state: { terminated: { reason: 'Completed' } } });
});

test('an init container that fails is tried again, or the pod fails with it', async () => {
  await using node = await TestNode.start();
  await node.pod({}, { initContainers: [init('one')] });
  await node.end(1, 'one');
  await node.end(1, 'one');
  expect((await node.container('one')).state?.waiting?.reason).toBe('CrashLoopBackOff');
  expect((await node.get()).status?.phase).toBe('Pending');
  await node.pod({}, { initContainers: [init('never')], restartPolicy: 'Never' }, 'b');
  await node.end(1, 'never');
  const pod = await node.get('b');
  expect(pod.status?.phase).toBe('Failed');
  expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('PodInitializing');
});

test('sidecars go on beside the others, and a startup probe holds back what follows', async () => {
  await using node = await TestNode.start();
  let ready = false;
  node.runtime.probe = async () => ({ ok: ready, output: 'not yet' });
  const startupProbe = { tcpSocket: { port: 1 }, periodSeconds: 1, failureThreshold: 30 };
  await node.pod({}, { initContainers: [sidecar('proxy', { startupProbe }), init('prepare')] });
  await node.advance(5);
  expect(starts(node)).toEqual(['start proxy']);
  expect(await node.container('proxy')).toMatchObject({ started: false, state: { running: {} } });
  ready = true;
  await node.advance(2);
  expect(starts(node)).toEqual(['start proxy', 'start prepare']);
  await node.end(0, 'prepare');
  const pod = await node.get();
  expect(conditionText(pod, 'Ready')).toBe('True');
  await node.end(1, 'proxy');
  expect(starts(node).at(-1)).toBe('start proxy');
  expect(conditionText(await node.get(), 'Initialized')).toBe('True');
});

test('sidecars end after the others, the last one first, and what they ended with does not count', async () => {
  await using node = await TestNode.start();
  await node.pod({}, { initContainers: [sidecar('one'), sidecar('two')], restartPolicy: 'Never' });
  await node.end(0);
  expect(node.runtime.journal.filter((line) => line.startsWith('SIG'))).toEqual(['SIGTERM two', 'SIGTERM one']);
  expect((await node.get()).status?.phase).toBe('Succeeded');
});

test('a pod that goes ends its containers first, then its sidecars in reverse', async () => {
  await using node = await TestNode.start();
  node.runtime.deaf.add('main');
  const spec = { initContainers: [sidecar('one'), sidecar('two')], terminationGracePeriodSeconds: 10 };
  await node.pod({}, spec);
  await node.world.delete(Pod, 'a');
  await node.advance(9);
  expect(node.runtime.journal.filter((line) => line.startsWith('SIG'))).toEqual(['SIGTERM main']);
  await node.advance(2);
  expect(node.runtime.journal.filter((line) => line.startsWith('SIG'))).toEqual([
    'SIGTERM main',
    'SIGKILL main',
    'SIGTERM two',
    'SIGTERM one',
  ]);
  expect(await node.world.names(Pod)).toEqual([]);
});
