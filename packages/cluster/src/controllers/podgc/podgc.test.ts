import { Deployment, Node, Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { conditionText, TestCluster, template } from '../test-cluster.ts';

const onNode = (name: string, nodeName: string): Pod => ({
  metadata: { name },
  spec: { nodeName, containers: [{ name: 'main', image: 'app:1' }] },
});

test('pods of a node that is gone are deleted after forty seconds, and replaced by their controller', async () => {
  await using world = await TestCluster.start({ nodes: 2 });
  const labels = { app: 'web' };
  await world.create(Deployment, {
    metadata: { name: 'web' },
    spec: { replicas: 4, selector: { matchLabels: labels }, template: template(labels) },
  });
  const nodesOf = async () => (await world.list(Pod)).map(({ spec }) => spec?.nodeName);
  expect(new Set(await nodesOf()).size).toBe(2);
  await world.delete(Node, 'node-2');
  await world.advance(39);
  expect((await nodesOf()).filter((node) => node === 'node-2')).toHaveLength(2);
  await world.advance(2);
  expect(await nodesOf()).toEqual(['node-1', 'node-1', 'node-1', 'node-1']);
  expect(conditionText(await world.get(Deployment, 'web'), 'Available')).toMatch(/^True/);
});

test('a node that comes back in time keeps its pods', async () => {
  await using world = await TestCluster.start();
  await world.create(Pod, onNode('a', 'elsewhere'));
  await world.advance(30);
  await world.create(Node, { metadata: { name: 'elsewhere' } });
  await world.advance(60);
  expect(await world.names(Pod)).toEqual(['a']);
  await world.delete(Node, 'elsewhere');
  await world.advance(39);
  expect(await world.names(Pod)).toEqual(['a']);
  await world.advance(2);
  expect(await world.names(Pod)).toEqual([]);
});
