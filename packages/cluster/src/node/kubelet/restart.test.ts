import { Pod } from '@coxswain/k8s';
import { strategic } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { conditionText } from '../../controllers/test-cluster.ts';
import { TestNode } from './test-node.ts';
import { refusal } from './test-runtime.ts';

test('a container that ends is restarted at once, then after 10 s, 20 s … 5 min, and at once again when it did well', async () => {
  await using node = await TestNode.start();
  await node.pod();
  const delays: number[] = [];
  for (let round = 0; round < 8; round++) {
    const before = node.runtime.runs.length;
    await node.end(1);
    let waited = 0;
    while (node.runtime.runs.length === before && waited < 400) {
      await node.advance(5);
      waited += 5;
    }
    delays.push(waited);
  }
  expect(delays).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
  expect(await node.container()).toMatchObject({ restartCount: 8, lastState: { terminated: { exitCode: 1 } } });
  await node.advance(1000);
  await node.end(1);
  expect(await node.container()).toMatchObject({ restartCount: 9, ready: true });
});

test('what a container ended with: code, reason, what it said, and what it waits for', async () => {
  await using node = await TestNode.start();
  await node.pod();
  await node.end(137, 'main', 'OOMKilled');
  expect((await node.container()).lastState?.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  node.runtime.run().end({ exitCode: 2, message: 'no more disk' });
  await node.world.settle();
  const { state, lastState, ready, started } = await node.container();
  const { uid } = (await node.get()).metadata;
  expect({ ready, started }).toEqual({ ready: false, started: false });
  expect(state?.waiting).toEqual({
    reason: 'CrashLoopBackOff',
    message: `back-off 10s restarting failed container=main pod=a_default(${uid})`,
  });
  expect(lastState?.terminated).toMatchObject({ exitCode: 2, reason: 'Error', message: 'no more disk' });
  expect((await node.get()).status?.phase).toBe('Running');
  expect(await node.world.events('BackOff')).toEqual([
    `BackOff: Back-off restarting failed container main in pod a_default(${uid})`,
  ]);
});

test.each([
  ['Never', 0, 'Succeeded', 'False/PodCompleted'],
  ['Never', 3, 'Failed', 'False/PodFailed'],
  ['OnFailure', 0, 'Succeeded', 'False/PodCompleted'],
  ['OnFailure', 3, 'Running', 'True'],
  ['Always', 0, 'Running', 'True'],
])('restartPolicy %s and exit code %i: %s', async (restartPolicy, exitCode, phase, ready) => {
  await using node = await TestNode.start();
  await node.pod({}, { restartPolicy });
  await node.end(exitCode);
  const pod = await node.get();
  expect(pod.status?.phase).toBe(phase);
  expect(conditionText(pod, 'Ready')).toBe(ready);
});

test('a container has a policy and rules of its own', async () => {
  await using node = await TestNode.start();
  const restartPolicyRules = [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }];
  await node.pod({ restartPolicy: 'Never', restartPolicyRules }, { restartPolicy: 'Never' });
  await node.end(42);
  expect(await node.container()).toMatchObject({ restartCount: 1, ready: true });
  await node.end(1);
  expect((await node.get()).status?.phase).toBe('Failed');
});

test('another image: the container is exchanged where it is', async () => {
  await using node = await TestNode.start();
  await node.pod();
  const before = await node.container();
  const patch = strategic({ spec: { containers: [{ name: 'main', image: 'app:2' }] } });
  await node.world.client.of(Pod).patch({ namespace: 'default', name: 'a' }, patch);
  await node.world.settle();
  const after = await node.container();
  expect(after).toMatchObject({ image: 'app:2', imageID: 'sha256:app:2', restartCount: 1, ready: true });
  expect(after.containerID).not.toBe(before.containerID);
  expect(node.runtime.journal).toEqual(['pull app:1', 'start main', 'SIGTERM main', 'pull app:2', 'start main']);
  expect(await node.world.events('Killing')).toEqual(['Killing: Container main definition changed, will be restarted']);
});

test('images that cannot be had: shown as such, waited for longer and longer, and had when they are there', async () => {
  await using node = await TestNode.start();
  node.runtime.images.set('app:1', refusal('ErrImagePull', 'not here'));
  await node.pod();
  expect((await node.container()).state?.waiting).toEqual({ reason: 'ErrImagePull', message: 'not here' });
  await node.advance(2);
  expect((await node.container()).state?.waiting).toEqual({
    reason: 'ImagePullBackOff',
    message: 'Back-off pulling image "app:1": ErrImagePull: not here',
  });
  const pulls = () => node.runtime.journal.filter((line) => line === 'pull app:1').length;
  const at: number[] = [];
  for (let second = 2, seen = pulls(); second < 700; second++) {
    await node.advance(1);
    if (pulls() > seen) at.push(second + 1);
    seen = pulls();
  }
  expect(at).toEqual([10, 30, 70, 150, 310, 610]);
  node.runtime.images.clear();
  await node.advance(300);
  expect(await node.container()).toMatchObject({ ready: true, restartCount: 0 });
  expect((await node.get()).status?.phase).toBe('Running');
  expect(await node.world.events('Pulled')).toEqual([
    expect.stringMatching(
      /^Pulled: Successfully pulled image "app:1" in \S+ \(\S+ including waiting\)\. Image size: 7 bytes\.$/,
    ),
  ]);
});

test.each([['ErrImageNeverPull'], ['InvalidImageName'], ['CreateContainerError'], ['RunContainerError']])(
  '%s: the container waits and says why, and starts when it can',
  async (reason) => {
    await using node = await TestNode.start();
    const map = /Image/.test(reason) ? node.runtime.images : node.runtime.refusals;
    map.set(map === node.runtime.images ? 'app:1' : 'main', refusal(reason, 'it does not go'));
    await node.pod();
    expect((await node.container()).state?.waiting).toEqual({ reason, message: 'it does not go' });
    expect((await node.get()).status?.phase).toBe('Pending');
    map.clear();
    await node.advance(30);
    expect(await node.container()).toMatchObject({ ready: true, restartCount: 0 });
  },
);

test('a place that cannot be made: the pod waits, and goes on when it can', async () => {
  await using node = await TestNode.start();
  node.runtime.sandboxRefusal = refusal('FailedCreatePodSandBox', 'no address is left');
  await node.pod();
  expect(conditionText(await node.get(), 'PodReadyToStartContainers')).toBe('False/PodSandboxNotReady');
  expect((await node.container()).state?.waiting?.reason).toBe('ContainerCreating');
  expect(await node.world.events('FailedCreatePodSandBox')).toEqual([
    'FailedCreatePodSandBox: Failed to create pod sandbox: no address is left',
  ]);
  node.runtime.sandboxRefusal = undefined;
  await node.advance(5);
  expect((await node.get()).status?.phase).toBe('Running');
});
