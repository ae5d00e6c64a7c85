import { Lease, Node, Pod, type Toleration } from '@coxswain/k8s';
import { formatMicroTime } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { conditionText, TestCluster } from '../test-cluster.ts';

/** A node that only tests keep alive. */
async function addNode(world: TestCluster, name: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
  await world.create(Node, { metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } } });
  const at = new Date(world.clock.now()).toISOString();
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    lastHeartbeatTime: at,
    lastTransitionTime: at,
  };
  const status = { allocatable: { cpu: '4', memory: '8Gi', pods: '10' }, conditions: [ready] };
  await world.patch(Node, name, { status }, 'status');
  await world.advance(1);
}

async function renew(world: TestCluster, name: string): Promise<void> {
  const leases = world.client.of(Lease);
  const key = { namespace: 'kube-node-lease', name };
  const spec = { holderIdentity: name, renewTime: formatMicroTime(world.clock.now()) };
  const lease = await leases.find(key);
  if (lease) await leases.update({ ...lease, spec });
  else await leases.create({ metadata: key, spec });
  await world.settle();
}

async function taintsOf(world: TestCluster, name: string): Promise<string[]> {
  const { spec } = await world.get(Node, name);
  return (spec?.taints ?? []).map(({ key, effect }) => `${key.split('/')[1]}:${effect}`).sort();
}

function onNode(name: string, nodeName: string, tolerations: Toleration[] = []): Pod {
  return { metadata: { name }, spec: { nodeName, tolerations, containers: [{ name: 'main', image: 'app:1' }] } };
}

const always: Toleration = { operator: 'Exists', effect: 'NoExecute' };

test('a node that falls silent is unknown after its grace period, and its pods leave after their tolerations', async () => {
  await using world = await TestCluster.start({ nodes: 1 });
  await addNode(world, 'far');
  await world.create(Pod, onNode('usual', 'far'));
  await world.create(Pod, onNode('patient', 'far', [always]));
  await world.patch(Pod, 'usual', { status: { conditions: [{ type: 'Ready', status: 'True' }] } }, 'status');
  for (let i = 0; i < 12; i++) {
    await renew(world, 'far');
    await world.advance(10);
  }
  expect(conditionText(await world.get(Node, 'far'), 'Ready')).toBe('True/KubeletReady');
  await world.advance(35);
  expect(conditionText(await world.get(Node, 'far'), 'Ready')).toBe('True/KubeletReady');
  await world.advance(15);
  const node = await world.get(Node, 'far');
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  expect(ready).toMatchObject({
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
  });
  expect(conditionText(node, 'DiskPressure')).toBe('Unknown/NodeStatusNeverUpdated');
  expect(await taintsOf(world, 'far')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
  expect(conditionText(await world.get(Pod, 'usual'), 'Ready')).toBe('False');
  expect(await world.events('NodeNotReady')).toEqual([
    'NodeNotReady: Node far status is now: NodeNotReady',
    'NodeNotReady: Node is not ready',
  ]);
  await world.advance(280);
  expect((await world.get(Pod, 'usual')).metadata.deletionTimestamp).toBeUndefined();
  await world.advance(30);
  // nobody is there to end it
  const usual = await world.get(Pod, 'usual');
  expect(usual.metadata.deletionTimestamp).toBeDefined();
  expect(conditionText(usual, 'DisruptionTarget')).toBe('True/DeletionByTaintManager');
  expect((await world.get(Pod, 'patient')).metadata.deletionTimestamp).toBeUndefined();
  expect(await world.events('TaintManagerEviction')).toEqual([
    'TaintManagerEviction: Marking for deletion Pod default/usual',
  ]);
  // somebody says that the node is really off: what is to go there goes
  await world.patch(Node, 'far', {
    spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }, ...(node.spec?.taints ?? [])] },
  });
  expect(await world.names(Pod)).toEqual(['patient']);
});

test('a node that comes back in time keeps its pods', async () => {
  await using world = await TestCluster.start({ nodes: 1, nodeMonitorGracePeriod: 20_000 });
  await addNode(world, 'far');
  await renew(world, 'far');
  await world.create(Pod, onNode('usual', 'far'));
  await world.advance(40);
  expect(await taintsOf(world, 'far')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
  await world.advance(100);
  const at = new Date(world.clock.now()).toISOString();
  const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: at, lastTransitionTime: at }];
  await world.patch(Node, 'far', { status: { conditions } }, 'status');
  await renew(world, 'far');
  await world.advance(6);
  expect(await taintsOf(world, 'far')).toEqual([]);
  expect(await world.events('TaintManagerEviction')).toEqual([
    'TaintManagerEviction: Cancelling deletion of Pod default/usual',
  ]);
  expect(await world.names(Pod)).toEqual(['usual']);
});

test('when no node is heard of any more, no pod is driven out', async () => {
  await using world = await TestCluster.start({ nodes: 0 });
  await addNode(world, 'only');
  await world.create(Pod, onNode('usual', 'only'));
  await world.advance(1_000);
  expect(await taintsOf(world, 'only')).toEqual(['unreachable:NoSchedule']);
  expect((await world.get(Pod, 'usual')).metadata.deletionTimestamp).toBeUndefined();
});

test('of nodes that go down together one every ten seconds is given up', async () => {
  await using world = await TestCluster.start({ nodes: 2 });
  await addNode(world, 'a');
  await addNode(world, 'b');
  await world.advance(60);
  const givenUp = async () =>
    (await Promise.all(['a', 'b'].map((name) => taintsOf(world, name)))).filter((taints) =>
      taints.includes('unreachable:NoExecute'),
    );
  expect(await givenUp()).toHaveLength(1);
  await world.advance(10);
  expect(await givenUp()).toHaveLength(2);
});

test('comings and goings of nodes are told', async () => {
  await using world = await TestCluster.start({ nodes: 0 });
  await addNode(world, 'a');
  await world.advance(5);
  await world.delete(Node, 'a');
  await world.advance(5);
  expect(await world.events('RegisteredNode')).toEqual([
    'RegisteredNode: Node a event: Registered Node a in Controller',
  ]);
  expect(await world.events('RemovingNode')).toEqual(['RemovingNode: Node a event: Removing Node a from Controller']);
});
