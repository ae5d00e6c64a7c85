import { PersistentVolume, Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestNode } from './test-node.ts';

const removals = (node: TestNode) => node.runtime.journal.filter((line) => line.startsWith('remove'));
const sweeps = (node: TestNode) => node.runtime.journal.filter((line) => line.startsWith('sweep'));
const byForce = (node: TestNode) =>
  node.world.client.of(Pod).delete({ namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 });

test('a pod is gone when all that it had is, which is tried until it works', async () => {
  await using node = await TestNode.start();
  await node.pod();
  node.runtime.stuck = new Error('umount: /data: target is busy.');
  await node.world.delete(Pod, 'a');
  await node.advance(3);
  expect(await node.world.names(Pod)).toEqual(['a']);
  expect(removals(node)).toContain('remove in vain');
  expect(removals(node)).not.toContain('remove');
  expect(await node.world.events('FailedKillPod')).toContain(
    'FailedKillPod: error killing pod: umount: /data: target is busy.',
  );
  node.runtime.stuck = undefined;
  await node.advance(3);
  expect(await node.world.names(Pod)).toEqual([]);
  expect(removals(node)).toContain('remove');
});

test("what a pod has left that went by force goes as soon as it can, and is in nobody's way", async () => {
  await using node = await TestNode.start();
  await node.pod();
  node.runtime.stuck = new Error('busy');
  await byForce(node);
  await node.world.settle();
  expect(await node.world.names(Pod)).toEqual([]);
  await node.pod();
  expect((await node.get()).status?.phase).toBe('Running');
  await node.advance(3);
  expect(removals(node)).not.toContain('remove');
  node.runtime.stuck = undefined;
  await node.advance(3);
  expect(removals(node).filter((line) => line === 'remove')).toHaveLength(1);
  expect((await node.get()).status?.phase).toBe('Running');
});

test('a node loses its power whatever its pods have left, which goes later', async () => {
  await using node = await TestNode.start();
  await node.pod();
  node.runtime.stuck = new Error('busy');
  await node.world.drive(node.pool.turn('n1', 'down'));
  await node.advance(3);
  expect(removals(node)).not.toContain('remove');
  node.runtime.stuck = undefined;
  await node.advance(3);
  expect(removals(node)).toContain('remove');
});

test('what is left of pods and volumes is swept when one is gone, also of a pod that had no place', async () => {
  await using node = await TestNode.start({}, { sighted: true });
  expect(sweeps(node)).toEqual(['sweep beside 0']);
  const spec = { capacity: { storage: '1Mi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } };
  await node.world.create(PersistentVolume, { metadata: { name: 'a' }, spec });
  await node.pod({}, { nodeName: 'elsewhere' });
  node.runtime.journal.length = 0;
  await byForce(node);
  await node.world.settle();
  expect(sweeps(node)).toContain('sweep beside 0');
  node.runtime.journal.length = 0;
  await node.world.delete(PersistentVolume, 'a');
  await node.world.settle();
  expect(sweeps(node)).toEqual(['sweep beside 0']);
});

test('a sweep that fails is tried again', async () => {
  await using node = await TestNode.start({}, { sighted: true });
  await node.pod();
  node.runtime.journal.length = 0;
  node.runtime.unswept = new Error('busy');
  await byForce(node);
  await node.advance(5);
  expect(sweeps(node)).toEqual([]);
  node.runtime.unswept = undefined;
  await node.advance(30);
  expect(sweeps(node)).toContain('sweep beside 0');
  expect(node.world.errors.splice(0)).not.toEqual([]);
});
