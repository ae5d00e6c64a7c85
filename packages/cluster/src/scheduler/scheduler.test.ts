import {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type PodSpec,
  PriorityClass,
  StorageClass,
} from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestCluster } from '../controllers/test-cluster.ts';

function pod(name: string, spec: Partial<PodSpec> = {}, container: object = {}): Pod {
  return {
    metadata: { name, labels: { app: 'x' } },
    spec: { containers: [{ name: 'c', image: 'a', ...container }], ...spec },
  };
}

const helpless = (nodes: number) =>
  `preemption: 0/${nodes} nodes are available: ${nodes} Preemption is not helpful for scheduling.`;
const nobodyLess = (nodes: number) =>
  `preemption: 0/${nodes} nodes are available: ${nodes} No preemption victims found for incoming pod.`;

const wants = (requests: object) => ({ resources: { requests } });
const selector = { matchLabels: { app: 'x' } };

async function nodeOf(world: TestCluster, name: string): Promise<string | undefined> {
  return (await world.get(Pod, name)).spec?.nodeName;
}

async function reasonOf(world: TestCluster, name: string): Promise<string | undefined> {
  const condition = (await world.get(Pod, name)).status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return condition?.status === 'False' ? condition.message : undefined;
}

test('what does not fit says so once, and fits as soon as there is room', async () => {
  await using world = await TestCluster.start({ nodes: 1 });
  await world.create(Pod, pod('big', {}, wants({ cpu: '60' })));
  await world.create(Pod, pod('next', {}, wants({ cpu: '10', memory: '1Gi' })));
  expect(await reasonOf(world, 'next')).toBe(`0/1 nodes are available: 1 Insufficient cpu. ${nobodyLess(1)}`);
  await world.advance(600);
  expect(await world.events('FailedScheduling')).toEqual([
    `FailedScheduling: 0/1 nodes are available: 1 Insufficient cpu. ${nobodyLess(1)}`,
  ]);
  await world.delete(Pod, 'big');
  expect(await nodeOf(world, 'next')).toBe('node-1');
});

test('any resource counts', async () => {
  await using world = await TestCluster.start({ nodes: 1 });
  await world.create(Pod, pod('a', {}, { resources: { requests: { 'x.io/gpu': '1' }, limits: { 'x.io/gpu': '1' } } }));
  expect(await reasonOf(world, 'a')).toBe(`0/1 nodes are available: 1 Insufficient x.io/gpu. ${helpless(1)}`);
});

test('selectors, affinity and taints; a node that appears or changes is seen', async () => {
  await using world = await TestCluster.start({ nodes: 2 });
  await world.create(Pod, pod('a', { nodeSelector: { disk: 'ssd' } }));
  expect(await reasonOf(world, 'a')).toBe(
    `0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. ${helpless(2)}`,
  );
  await world.patch(Node, 'node-2', { metadata: { labels: { disk: 'ssd' } } });
  expect(await nodeOf(world, 'a')).toBe('node-2');

  await world.patch(Node, 'node-1', { spec: { taints: [{ key: 'db', value: 'yes', effect: 'NoSchedule' }] } });
  await world.patch(Node, 'node-2', { spec: { unschedulable: true } });
  await world.create(Pod, pod('b'));
  expect(await reasonOf(world, 'b')).toBe(
    `0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. ${helpless(2)}`,
  );
  await world.create(Pod, pod('c', { tolerations: [{ key: 'db', operator: 'Exists' }] }));
  expect(await nodeOf(world, 'c')).toBe('node-1');
  await world.create(Node, { metadata: { name: 'extra' }, spec: {}, status: {} });
  await world.patch(Node, 'extra', { status: { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } } }, 'status');
  // a new node is tainted until it is ready
  await world.patch(Node, 'extra', { spec: { taints: null } });
  expect(await nodeOf(world, 'b')).toBe('extra');
});

test('spread over nodes, hard and soft', async () => {
  await using world = await TestCluster.start({ nodes: 3 });
  for (const whenUnsatisfiable of ['DoNotSchedule', 'ScheduleAnyway'] as const) {
    const topologySpreadConstraints = [
      { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable, labelSelector: selector },
    ];
    const names = ['a', 'b', 'c'].map((name) => `${name}-${whenUnsatisfiable.toLowerCase()}`);
    const nodes = new Set<string | undefined>();
    for (const name of names) {
      await world.create(Pod, pod(name, { topologySpreadConstraints }));
      nodes.add(await nodeOf(world, name));
    }
    expect(nodes.size).toBe(3);
  }
});

test('anti-affinity keeps pods apart, also from those that came before', async () => {
  await using world = await TestCluster.start({ nodes: 2 });
  const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: selector };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  await world.create(Pod, pod('a', { affinity }));
  await world.create(Pod, pod('b', { affinity }));
  expect(new Set([await nodeOf(world, 'a'), await nodeOf(world, 'b')]).size).toBe(2);
  await world.create(Pod, pod('c', { affinity }));
  expect(await reasonOf(world, 'c')).toBe(
    `0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules. ${nobodyLess(2)}`,
  );
  await world.create(Pod, pod('d'));
  expect(await reasonOf(world, 'd')).toBe(
    `0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules. ${nobodyLess(2)}`,
  );
  await world.delete(Pod, 'd');
  await world.delete(Pod, 'a');
  expect(await reasonOf(world, 'c')).toBeUndefined();
});

test('affinity brings pods together; wishes are followed where possible', async () => {
  await using world = await TestCluster.start({ nodes: 3 });
  const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'x' } } };
  const near = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  await world.create(Pod, pod('a', { affinity: near }));
  await world.create(Pod, pod('b', { affinity: near }));
  expect(await nodeOf(world, 'b')).toBe(await nodeOf(world, 'a'));
  const far = {
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] },
  };
  await world.create(Pod, pod('c', { affinity: far }));
  await world.create(Pod, pod('d', { affinity: far }));
  expect(new Set([await nodeOf(world, 'a'), await nodeOf(world, 'c'), await nodeOf(world, 'd')]).size).toBe(3);
});

test('scheduling gates and other schedulers are respected', async () => {
  await using world = await TestCluster.start();
  await world.create(Pod, pod('gated', { schedulingGates: [{ name: 'x/wait' }] }));
  await world.create(Pod, pod('other', { schedulerName: 'mine' }));
  await world.advance(60);
  expect(await reasonOf(world, 'gated')).toBe('Scheduling is blocked due to non-empty scheduling gates');
  expect(await nodeOf(world, 'other')).toBeUndefined();
  await world.patch(Pod, 'gated', { spec: { schedulingGates: null } });
  expect(await nodeOf(world, 'gated')).toBe('node-1');
});

test('a more important pod takes the place of a lesser one, with all that is said about it', async () => {
  await using world = await TestCluster.start({ nodes: 1 });
  await world.create(PriorityClass, { metadata: { name: 'high' }, value: 1000 });
  await world.create(PriorityClass, { metadata: { name: 'polite' }, value: 1000, preemptionPolicy: 'Never' });
  const lesser = pod('lesser', {}, wants({ cpu: '40' }));
  // somebody wants to look at it once more
  await world.create(Pod, { ...lesser, metadata: { ...lesser.metadata, finalizers: ['example.com/look'] } });
  await world.create(Pod, pod('never', { priorityClassName: 'polite' }, wants({ cpu: '40' })));
  expect(await reasonOf(world, 'never')).toBe(
    '0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.',
  );
  await world.delete(Pod, 'never');
  await world.create(Pod, pod('greater', { priorityClassName: 'high' }, wants({ cpu: '40' })));
  await world.advance(35);
  expect(await world.events('FailedScheduling')).toContain(
    'FailedScheduling: 0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node node-1, preempting 1 victims',
  );
  const victim = await world.get(Pod, 'lesser');
  expect(victim.metadata.deletionTimestamp).toBeDefined();
  expect(victim.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
    status: 'True',
    reason: 'PreemptionByScheduler',
    message: 'default-scheduler: preempting to accommodate a higher priority pod',
  });
  const greater = await world.get(Pod, 'greater');
  expect(await world.events('Preempted')).toEqual([
    `Preempted: Preempted by pod ${greater.metadata.uid} on node node-1`,
  ]);
  await world.patch(Pod, 'lesser', { metadata: { finalizers: null } });
  await world.advance(1);
  expect(await world.names(Pod)).toEqual(['greater']);
  const placed = await world.get(Pod, 'greater');
  expect(placed.spec?.nodeName).toBe('node-1');
  expect(placed.status?.nominatedNodeName).toBeUndefined();
});

test('the most important pods go first', async () => {
  await using world = await TestCluster.start({ nodes: 1 });
  for (const [name, value] of [
    ['high', 10],
    ['low', -10],
  ] as const)
    await world.create(PriorityClass, { metadata: { name }, value });
  await world.patch(Node, 'node-1', { spec: { unschedulable: true } });
  for (const name of ['low', 'high'])
    await world.create(Pod, pod(name, { priorityClassName: name }, wants({ cpu: '40' })));
  await world.patch(Node, 'node-1', { spec: { unschedulable: null } });
  expect(await nodeOf(world, 'high')).toBe('node-1');
  expect(await nodeOf(world, 'low')).toBeUndefined();
});

test('a claim that waits for its pod is asked for at the node chosen, and the pod is bound once it has its volume', async () => {
  await using world = await TestCluster.start({ nodes: 2 });
  await world.create(StorageClass, {
    metadata: { name: 'late' },
    provisioner: 'x.io/y',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  await world.create(PersistentVolumeClaim, {
    metadata: { name: 'data' },
    spec: { storageClassName: 'late', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
  await world.create(Pod, pod('a', { volumes, nodeSelector: { 'kubernetes.io/hostname': 'node-2' } }));
  const claim = await world.get(PersistentVolumeClaim, 'data');
  expect(claim.metadata.annotations?.['volume.kubernetes.io/selected-node']).toBe('node-2');
  expect((await world.get(Pod, 'a')).status?.nominatedNodeName).toBe('node-2');
  expect(await nodeOf(world, 'a')).toBeUndefined();
  await world.create(PersistentVolume, {
    metadata: { name: 'made' },
    spec: {
      storageClassName: 'late',
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      claimRef: { namespace: 'default', name: 'data', uid: claim.metadata.uid ?? '' },
      csi: { driver: 'x.io', volumeHandle: 'h' },
    },
  });
  await world.advance(1);
  expect(await nodeOf(world, 'a')).toBe('node-2');
});

test('a volume that is there already is taken where it can be reached', async () => {
  await using world = await TestCluster.start({ nodes: 3 });
  await world.create(StorageClass, {
    metadata: { name: 'local' },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  const at = [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-3'] }] }];
  await world.create(PersistentVolume, {
    metadata: { name: 'disk' },
    spec: {
      storageClassName: 'local',
      capacity: { storage: '2Gi' },
      accessModes: ['ReadWriteOnce'],
      local: { path: '/disk' },
      nodeAffinity: { required: { nodeSelectorTerms: at } },
    },
  });
  await world.create(PersistentVolumeClaim, {
    metadata: { name: 'data' },
    spec: { storageClassName: 'local', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  await world.create(Pod, pod('a', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] }));
  await world.advance(1);
  expect(await nodeOf(world, 'a')).toBe('node-3');
  expect((await world.get(PersistentVolumeClaim, 'data')).spec?.volumeName).toBe('disk');
});
