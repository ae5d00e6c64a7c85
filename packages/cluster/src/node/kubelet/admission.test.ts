import { Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestNode } from './test-node.ts';

const bound = { nodeName: 'n1' };

test('host ports that are taken: the pod fails, until they are given back', async () => {
  await using node = await TestNode.start();
  const ports = [{ containerPort: 80, hostPort: 8080 }];
  await node.pod({ ports }, bound);
  await node.pod({ ports }, bound, 'b');
  await node.advance(1);
  expect((await node.get('b')).status).toMatchObject({
    phase: 'Failed',
    reason: 'NodePorts',
    message: "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
  });
  expect(await node.world.events('NodePorts')).toHaveLength(1);
  await node.world.delete(Pod, 'a');
  await node.pod({ ports }, bound, 'c');
  await node.advance(5);
  expect((await node.get('c')).status?.phase).toBe('Running');
});

test.each([
  [{ cpu: '3' }, 'OutOfcpu', 'cpu, requested: 3000, used: 3000, capacity: 4000'],
  [{ memory: '7Gi' }, 'OutOfmemory', 'memory, requested: 7516192768, used: 7516192768, capacity: 8589934592'],
])('too little of %o: the pod fails', async (requests, reason, figures) => {
  await using node = await TestNode.start();
  const resources = { requests };
  await node.pod({ resources }, bound);
  await node.pod({ resources }, bound, 'b');
  await node.advance(1);
  expect((await node.get('b')).status).toMatchObject({
    phase: 'Failed',
    reason,
    message: `Pod was rejected: Node didn't have enough resource: ${figures}`,
  });
});

test('no room for more pods, and a selector that the node does not meet', async () => {
  await using node = await TestNode.start({ capacity: { cpu: '4', memory: '8Gi', pods: '1' } });
  await node.pod({}, { ...bound, nodeSelector: { disk: 'fast' } }, 'b');
  await node.advance(1);
  expect((await node.get('b')).status?.reason).toBe('NodeAffinity');
  await node.pod({}, bound);
  await node.pod({}, bound, 'c');
  await node.advance(1);
  expect((await node.get()).status?.phase).toBe('Running');
  expect((await node.get('c')).status?.reason).toBe('OutOfpods');
});
