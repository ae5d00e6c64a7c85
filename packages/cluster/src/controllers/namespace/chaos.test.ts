import { ConfigMap, type Kind, type KubeObject, Namespace, Pod, Secret } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { seededRandom } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { startWorld } from '../kinds/test-world.ts';
import { namespaceController } from './index.ts';

const kinds: readonly Kind<KubeObject>[] = [ConfigMap, Secret, Pod];

/** What is made while a namespace ends, what is held and what fails: in the end nothing is left, and its neighbour is whole. */
test.each([1, 2, 3, 4, 5])('a namespace ends empty whatever is in it and fails on the way (seed %i)', async (seed) => {
  const random = seededRandom(seed);
  await using world = await startWorld(namespaceController);
  const user = 'system:kube-controller-manager';
  world.faults.add({ match: { user, verb: 'deletecollection' }, when: { probability: 0.3 }, action: { status: 500 } });
  world.faults.add({ match: { user, verb: 'update' }, when: { probability: 0.3 }, action: { status: 409 } });
  world.faults.add({ match: { user, verb: 'list' }, when: { probability: 0.2 }, action: { latency: 900 } });
  for (const name of ['team', 'other']) await world.make(Namespace, { metadata: { name } });
  const held: [Kind<KubeObject>, string][] = [];
  for (let i = 0; i < 20; i++) {
    const kind = kinds[Math.floor(random.next() * kinds.length)] ?? ConfigMap;
    const finalizers = random.next() < 0.3 ? ['example.com/hold'] : [];
    const spec = kind.kind === 'Pod' ? { spec: { containers: [{ name: 'c', image: 'i' }] } } : {};
    for (const namespace of ['team', 'other'])
      await world.make(kind, { metadata: { name: `o${i}`, namespace, finalizers }, ...spec });
    if (finalizers.length > 0) held.push([kind, `o${i}`]);
  }
  await world.client.of(Namespace).delete({ name: 'team' });
  await world.settle(60_000);
  for (const [kind, name] of held) {
    expect(await world.find(Namespace, 'team')).toBeDefined();
    await world.client.of(kind).patch({ namespace: 'team', name }, merge({ metadata: { finalizers: null } }));
    await world.settle(Math.floor(random.next() * 30_000));
  }
  await world.settle(600_000);
  expect(await world.find(Namespace, 'team')).toBeUndefined();
  let others = 0;
  for (const kind of kinds) {
    expect((await world.client.of(kind).list({ namespace: 'team' })).items).toEqual([]);
    const { items } = await world.client.of(kind).list({ namespace: 'other' });
    others += items.filter(({ metadata }) => metadata.name.startsWith('o')).length;
  }
  expect(others).toBe(20);
});
