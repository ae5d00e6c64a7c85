import { Node, Pod, type Taint, type Toleration } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestCluster } from '../test-cluster.ts';
import { timeLeft } from './taint-eviction.ts';

const taint = (key: string): Taint => ({ key, effect: 'NoExecute' });

function pod(name: string, tolerations: Toleration[] = []): Pod {
  return {
    metadata: { name },
    spec: { tolerations, terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'app:1' }] },
  };
}

test('the shortest toleration counts, and none is none', () => {
  const for60: Toleration = { key: 'a', operator: 'Exists', tolerationSeconds: 60 };
  const for30: Toleration = { key: 'b', operator: 'Exists', tolerationSeconds: 30 };
  const forever: Toleration = { key: 'c', operator: 'Exists' };
  expect(timeLeft([taint('a'), taint('b'), taint('c')], [for60, for30, forever])).toBe(30_000);
  expect(timeLeft([taint('c')], [for60, for30, forever])).toBe(Number.POSITIVE_INFINITY);
  expect(timeLeft([taint('a'), taint('d')], [for60])).toBe(0);
  expect(timeLeft([taint('a')], [{ ...for60, tolerationSeconds: -5 }])).toBe(0);
});

test('a taint drives pods out at once, after a while, or never; taken off, it drives no more', async () => {
  await using world = await TestCluster.start({ nodes: 1 });
  await world.create(Pod, pod('none'));
  await world.create(
    Pod,
    pod('some', [{ key: 'fire', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }]),
  );
  await world.create(
    Pod,
    pod('more', [{ key: 'fire', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 90 }]),
  );
  await world.create(Pod, pod('all', [{ operator: 'Exists' }]));
  await world.patch(Node, 'node-1', { spec: { taints: [taint('fire')] } });
  await world.advance(2);
  expect(await world.names(Pod)).toEqual(['all', 'more', 'some']);
  await world.advance(62);
  expect(await world.names(Pod)).toEqual(['all', 'more']);
  await world.patch(Node, 'node-1', { spec: { taints: null } });
  await world.advance(200);
  expect(await world.names(Pod)).toEqual(['all', 'more']);
  expect(await world.events('TaintManagerEviction')).toEqual(
    expect.arrayContaining(['TaintManagerEviction: Cancelling deletion of Pod default/more']),
  );
});
