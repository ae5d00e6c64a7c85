import { Node, Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestCluster } from '../test-cluster.ts';

const ready = (status: string) => ({ status: { conditions: [{ type: 'Ready', status }] } });

test('a node takes pods once it is ready, and none when it is not any more', async () => {
  await using world = await TestCluster.start();
  const taints = async (name: string) => (await world.get(Node, name)).spec?.taints;
  expect(await taints('node-1')).toBeUndefined();
  await world.create(Node, { metadata: { name: 'slow' }, ...ready('False') });
  await world.advance(1);
  expect(await taints('slow')).toEqual([{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }]);
  await world.patch(Node, 'slow', ready('True'), 'status');
  expect(await taints('slow')).toBeUndefined();
  await world.patch(Node, 'slow', { spec: { unschedulable: true, taints: [{ key: 'mine', effect: 'NoExecute' }] } });
  expect((await taints('slow'))?.map(({ key }) => key)).toEqual(['mine', 'node.kubernetes.io/unschedulable']);
});

test('a pod may be placed on a node that was ready from the start', async () => {
  await using world = await TestCluster.start();
  await world.create(Node, { metadata: { name: 'bare' }, ...ready('True') });
  await world.advance(1);
  expect((await world.get(Node, 'bare')).spec?.taints).toBeUndefined();
  await world.create(Pod, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await world.advance(2);
  expect((await world.get(Pod, 'p')).spec?.nodeName).toBeDefined();
});
