import { Lease, Node, Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { conditionText } from '../../controllers/test-cluster.ts';
import { TestNode } from './test-node.ts';
import { TestRuntime } from './test-runtime.ts';

async function renewed(node: TestNode): Promise<string | undefined> {
  const lease = await node.world.client.of(Lease).get({ namespace: 'kube-node-lease', name: 'n1' });
  return lease.spec?.renewTime;
}

test('a lease that somebody else changes or deletes is taken back and renewed', async () => {
  await using node = await TestNode.start();
  const key = { namespace: 'kube-node-lease', name: 'n1' };
  const leases = node.world.client.of(Lease);
  const [first] = [await renewed(node), await node.advance(10)];
  await leases.patch(key, merge({ spec: { holderIdentity: 'somebody' } }));
  await node.advance(10);
  expect((await leases.get(key)).spec?.holderIdentity).toBe('n1');
  const second = await renewed(node);
  await leases.delete(key);
  await node.advance(10);
  const third = await renewed(node);
  expect([first, second, third].toSorted()).toEqual([first, second, third]);
  expect(new Set([first, second, third]).size).toBe(3);
});

async function turn(node: TestNode, state: 'up' | 'down' | 'partitioned'): Promise<void> {
  await node.world.drive(node.pool.turn('n1', state));
  await node.world.settle();
}

test('a node introduces itself: labels, capacity, addresses, conditions, lease', async () => {
  await using node = await TestNode.start({ labels: { zone: 'a' }, podCIDR: '10.9.0.0/24' });
  const found = await node.world.get(Node, 'n1');
  expect(found.metadata.labels).toMatchObject({
    'kubernetes.io/hostname': 'n1',
    'kubernetes.io/os': 'linux',
    zone: 'a',
  });
  expect(found.spec).toMatchObject({ podCIDR: '10.9.0.0/24', podCIDRs: ['10.9.0.0/24'] });
  expect(found.status).toMatchObject({
    capacity: { cpu: '4' },
    allocatable: { memory: '8Gi' },
    addresses: [
      { type: 'InternalIP', address: '10.0.0.1' },
      { type: 'Hostname', address: 'n1' },
    ],
    nodeInfo: { containerRuntimeVersion: 'test://1' },
  });
  expect(conditionText(found, 'Ready')).toBe('True/KubeletReady');
  const before = await renewed(node);
  await node.advance(11);
  expect(await renewed(node)).not.toBe(before);
});

test('a node that is cut off says and hears nothing, its containers go on, and it catches up', async () => {
  await using node = await TestNode.start();
  await node.pod();
  await turn(node, 'partitioned');
  const before = await renewed(node);
  await node.end(1);
  await node.pod({}, { nodeName: 'n1' }, 'b');
  await node.advance(30);
  expect(await renewed(node)).toBe(before);
  expect((await node.container()).restartCount).toBe(0);
  expect((await node.get('b')).status?.phase).toBe('Pending');
  await turn(node, 'up');
  expect((await node.container()).restartCount).toBe(1);
  expect((await node.get('b')).status?.phase).toBe('Running');
  expect(await renewed(node)).not.toBe(before);
});

test('pods that go while their node is cut off go when it is back', async () => {
  await using node = await TestNode.start();
  await node.pod();
  await turn(node, 'partitioned');
  await node.world.delete(Pod, 'a');
  await node.advance(20);
  expect(node.runtime.journal).not.toContain('SIGTERM main');
  await turn(node, 'up');
  expect(node.runtime.journal).toContain('SIGTERM main');
  expect(await node.world.names(Pod)).toEqual([]);
});

test('a node without power loses its containers; they are restarted when it is back', async () => {
  await using node = await TestNode.start();
  await node.pod();
  await turn(node, 'down');
  expect(node.runtime.journal).toContain('remove');
  await node.advance(20);
  await turn(node, 'up');
  await node.advance(1);
  expect(await node.container()).toMatchObject({
    ready: true,
    restartCount: 1,
    lastState: { terminated: { exitCode: 255, reason: 'Unknown' } },
  });
});

test('nodes come and go while the cluster runs', async () => {
  await using node = await TestNode.start();
  const runtime = new TestRuntime(node.world.clock);
  const spec = { name: 'n2', address: '10.0.0.2', runtime, capacity: { cpu: '1', pods: '5' }, kernel: '', osImage: '' };
  await node.world.drive(node.pool.join(spec));
  await node.pod({}, { nodeName: 'n2' });
  expect((await node.get()).status?.hostIP).toBe('10.0.0.2');
  await node.world.drive(node.pool.leave('n2'));
  await node.world.settle();
  expect(await node.world.names(Node)).toEqual(['n1']);
  expect(await node.world.names(Pod)).toEqual([]);
  await expect(node.pool.turn('n2', 'down')).rejects.toThrow('there is no node n2 here; there are n1');
});
