import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigMap, Lease, Node, Pod, type PodSpec, Secret } from '@coxswain/k8s';
import { VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { conditionText, TestCluster } from '../../controllers/test-cluster.ts';

function pod(name: string, command: readonly string[] = [], spec: Partial<PodSpec> = {}): Pod {
  return { metadata: { name }, spec: { containers: [{ name: 'main', image: 'app:1', command }], ...spec } };
}

test('a pod runs: phase, conditions, addresses, container', async () => {
  await using world = await TestCluster.start();
  await world.create(Pod, pod('a'));
  const a = await world.get(Pod, 'a');
  expect(a.status).toMatchObject({ phase: 'Running', hostIP: '10.77.0.2', observedGeneration: 1 });
  expect(a.status?.podIP).toMatch(/^10\.244\./);
  for (const type of ['PodScheduled', 'PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready'])
    expect(conditionText(a, type)).toBe('True');
  expect(a.status?.containerStatuses).toMatchObject([
    { name: 'main', ready: true, started: true, restartCount: 0, imageID: 'simulated://app:1' },
  ]);
});

test('readiness gates hold a pod back', async () => {
  await using world = await TestCluster.start();
  await world.create(Pod, pod('a', [], { readinessGates: [{ conditionType: 'x/ok' }] }));
  expect(conditionText(await world.get(Pod, 'a'), 'Ready')).toBe('False/ReadinessGatesNotReady');
  await world.setCondition('a', 'x/ok', 'True');
  expect(conditionText(await world.get(Pod, 'a'), 'Ready')).toBe('True');
  await world.setCondition('a', 'x/ok', 'False');
  expect(conditionText(await world.get(Pod, 'a'), 'Ready')).toBe('False/ReadinessGatesNotReady');
});

test('one-shot commands end as they would', async () => {
  await using world = await TestCluster.start();
  const never: Partial<PodSpec> = { restartPolicy: 'Never' };
  await world.create(Pod, pod('good', ['true'], never));
  await world.create(Pod, pod('bad', ['sh', '-c', 'echo hi; exit 3'], never));
  await world.create(Pod, pod('slow', ['sleep', '30'], never));
  expect((await world.get(Pod, 'good')).status?.phase).toBe('Succeeded');
  const bad = await world.get(Pod, 'bad');
  expect(bad.status?.phase).toBe('Failed');
  expect(bad.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
  expect((await world.get(Pod, 'slow')).status?.phase).toBe('Running');
  await world.advance(31);
  expect((await world.get(Pod, 'slow')).status?.phase).toBe('Succeeded');
});

test('a crashing container is restarted after growing delays', async () => {
  await using world = await TestCluster.start();
  await world.create(Pod, pod('a', ['false']));
  const container = async () => (await world.get(Pod, 'a')).status?.containerStatuses?.[0];
  expect(await container()).toMatchObject({ state: { waiting: { reason: 'CrashLoopBackOff' } } });
  const first = (await container())?.restartCount ?? 0;
  await world.advance(11);
  expect((await container())?.restartCount).toBe(first + 1);
  await world.advance(11);
  expect((await container())?.restartCount).toBe(first + 1);
  await world.advance(10);
  expect((await container())?.restartCount).toBe(first + 2);
  expect((await container())?.lastState?.terminated).toMatchObject({ exitCode: 1 });
});

test('init containers first, sidecars stay', async () => {
  await using world = await TestCluster.start();
  const initContainers = [
    { name: 'proxy', image: 'proxy:1', restartPolicy: 'Always' },
    { name: 'prepare', image: 'app:1', command: ['sleep', '10'] },
  ];
  await world.create(Pod, pod('a', [], { initContainers }));
  expect(conditionText(await world.get(Pod, 'a'), 'Initialized')).toBe('False/ContainersNotInitialized');
  expect((await world.get(Pod, 'a')).status?.phase).toBe('Pending');
  await world.advance(11);
  const a = await world.get(Pod, 'a');
  expect(conditionText(a, 'Ready')).toBe('True');
  expect(a.status?.initContainerStatuses).toMatchObject([
    { name: 'proxy', state: { running: {} } },
    { name: 'prepare', state: { terminated: { exitCode: 0 } } },
  ]);
});

test('a missing ConfigMap: the pod waits, says why, and goes on when it appears', async () => {
  await using world = await TestCluster.start();
  await world.create(Pod, pod('a', [], { volumes: [{ name: 'conf', configMap: { name: 'conf' } }] }));
  const waiting = await world.get(Pod, 'a');
  expect(waiting.status).toMatchObject({ phase: 'Pending' });
  expect(waiting.status?.containerStatuses).toMatchObject([{ state: { waiting: { reason: 'ContainerCreating' } } }]);
  expect(await world.events('FailedMount')).toEqual([
    'FailedMount: MountVolume.SetUp failed for volume "conf" : configmap "conf" not found',
  ]);
  await world.advance(60);
  await world.create(ConfigMap, { metadata: { name: 'conf' } });
  await world.advance(3);
  const running = await world.get(Pod, 'a');
  expect(running.status?.phase).toBe('Running');
  expect(conditionText(running, 'Ready')).toBe('True');
});

test.each([
  ['envFrom', { envFrom: [{ configMapRef: { name: 'conf' } }] }, 'configmap "conf" not found'],
  [
    'a key',
    { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'other', key: 'a' } } }] },
    "couldn't find key a in ConfigMap default/other",
  ],
  [
    'a Secret',
    { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'conf', key: 'a' } } }] },
    'secret "conf" not found',
  ],
])(
  'an environment that is not there (%s): the container waits, says why, and starts when it is',
  async (_what, environment, message) => {
    await using world = await TestCluster.start();
    await world.create(ConfigMap, { metadata: { name: 'other' }, data: { b: '' } });
    const optional = { envFrom: [{ secretRef: { name: 'nowhere', optional: true } }] };
    const containers = [
      { name: 'main', image: 'app:1', ...environment },
      { name: 'beside', image: 'app:1', ...optional },
    ];
    await world.create(Pod, { metadata: { name: 'a' }, spec: { containers } });
    await world.advance(30);
    const waiting = await world.get(Pod, 'a');
    expect(waiting.status?.containerStatuses).toMatchObject([
      { name: 'main', state: { waiting: { reason: 'CreateContainerConfigError', message } } },
      { name: 'beside', state: { running: {} } },
    ]);
    expect(conditionText(waiting, 'Ready')).toBe('False/ContainersNotReady');
    expect(await world.events('Failed')).toEqual([`Failed: Error: ${message}`]);
    await world.create(ConfigMap, { metadata: { name: 'conf' } });
    await world.create(Secret, { metadata: { name: 'conf' }, data: { a: '' } });
    await world.patch(ConfigMap, 'other', { data: { a: '1' } });
    await world.advance(3);
    expect(conditionText(await world.get(Pod, 'a'), 'Ready')).toBe('True');
  },
);

test('a deleted pod goes at once, and its address serves the next', async () => {
  await using world = await TestCluster.start();
  for (let i = 0; i < 3; i++) {
    await world.create(Pod, pod('a'));
    await world.delete(Pod, 'a');
    expect(await world.names(Pod)).toEqual([]);
  }
  await world.create(Pod, pod('a'));
  await world.create(Pod, pod('b'));
  const ips = (await world.list(Pod)).map(({ status }) => status?.podIP);
  expect(new Set(ips).size).toBe(2);
});

test('a cluster that starts again adopts its pods, with address, containers and what they were doing', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'coxswain-'));
  try {
    let before: readonly Pod[] = [];
    const options = { dataDir, fsync: 'off', clock: new VirtualClock() } as const;
    {
      await using world = await TestCluster.start(options);
      await world.create(Pod, pod('a'));
      await world.create(Pod, pod('job', ['sleep', '100'], { restartPolicy: 'Never' }));
      await world.create(Pod, pod('crash', ['false']));
      await world.advance(15);
      before = await world.list(Pod);
    }
    await using world = await TestCluster.start(options);
    await world.create(Pod, pod('new'));
    const after = await world.list(Pod);
    expect(after.filter(({ metadata }) => metadata.name !== 'new')).toEqual(before);
    expect(new Set(after.map(({ status }) => status?.podIP)).size).toBe(4);
    await world.advance(101);
    expect((await world.get(Pod, 'job')).status?.phase).toBe('Succeeded');
    const restarts = (await world.get(Pod, 'crash')).status?.containerStatuses?.[0]?.restartCount ?? 0;
    expect(restarts).toBeGreaterThan(before[1]?.status?.containerStatuses?.[0]?.restartCount ?? 0);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

test.each([
  ['go on when nothing is said', {}, 3, ['node-1', 'node-2', 'node-3'], 3],
  ['go on when asked for', { nodes: 2, keepNodes: true }, 3, ['node-1', 'node-2', 'node-3'], 3],
  ['are removed with their pods when fewer are asked for', { nodes: 1 }, 0, ['node-1'], 2],
])('nodes of an earlier start %s', async (_what, second, running, names, nodePods) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'coxswain-'));
  try {
    const options = { dataDir, fsync: 'off', clock: new VirtualClock() } as const;
    {
      await using world = await TestCluster.start({ ...options, nodes: 3 });
      for (const [index, name] of ['a', 'b', 'c'].entries())
        await world.create(Pod, pod(name, [], { nodeName: `node-${index + 1}` }));
    }
    await using world = await TestCluster.start({ ...options, ...second });
    expect(await world.names(Node)).toEqual(names);
    const lease = () => world.client.of(Lease).find({ namespace: 'kube-node-lease', name: 'node-3' });
    const before = await lease();
    await world.advance(15);
    expect((await lease())?.spec?.renewTime === before?.spec?.renewTime).toBe(running === 0);
    const pods = await world.list(Pod);
    expect(pods).toHaveLength(running === 0 ? 1 : 3);
    await world.create(Pod, pod('d', [], running === 0 ? {} : { nodeName: 'node-3' }));
    expect(conditionText(await world.get(Pod, 'd'), 'Ready')).toBe('True');
    const sharing = (await world.list(Pod)).filter(({ spec }) => spec?.nodeName === 'node-1');
    expect(sharing).toHaveLength(running === 0 ? nodePods : 1);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

test('nodes are registered, ready, and keep their leases fresh', async () => {
  await using world = await TestCluster.start({ nodes: 2 });
  expect((await world.list(Node)).map((node) => conditionText(node, 'Ready'))).toEqual([
    'True/KubeletReady',
    'True/KubeletReady',
  ]);
  const lease = () => world.client.of(Lease).get({ namespace: 'kube-node-lease', name: 'node-1' });
  const first = await lease();
  await world.advance(20);
  expect((await lease()).spec?.renewTime).not.toBe(first.spec?.renewTime);
});
