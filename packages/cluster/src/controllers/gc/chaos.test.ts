import { ConfigMap, type OwnerReference } from '@coxswain/k8s';
import { json } from '@coxswain/runtime/client';
import { type Random, seededRandom } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { startWorld, type World } from '../kinds/test-world.ts';
import { garbageCollector } from './index.ts';

/** Who owns whom, by name: what the collector should leave in the end. */
class Model {
  readonly owners = new Map<string, Set<string>>();

  remove(name: string, orphan: boolean): void {
    this.owners.delete(name);
    if (orphan) for (const owners of this.owners.values()) owners.delete(name);
    this.collect();
  }

  /** Whoever has owners, none of which is there, goes; references to what is not there go where another owner stays. */
  collect(): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (const [name, owners] of this.owners) {
        if (owners.size === 0 || [...owners].some((owner) => this.owners.has(owner))) continue;
        this.owners.delete(name);
        changed = true;
      }
    }
    for (const owners of this.owners.values())
      for (const owner of owners) if (!this.owners.has(owner)) owners.delete(owner);
  }

  facts(): Record<string, string[]> {
    return Object.fromEntries([...this.owners].map(([name, owners]) => [name, [...owners].sort()]).sort());
  }
}

const pick = <T>(random: Random, list: readonly T[]): T | undefined => list[Math.floor(random.next() * list.length)];

/** References to some of the names; one in five of them to an object that never was. */
function references(random: Random, uids: ReadonlyMap<string, string>, name: string): OwnerReference[] {
  const found = new Map<string, OwnerReference>();
  for (let count = Math.floor(random.next() * 3); count > 0; count--) {
    const owner = random.next() < 0.2 ? `ghost-${count}` : pick(random, [...uids.keys()]);
    if (!owner || owner === name) continue;
    const uid = uids.get(owner) ?? `no-such-${owner}`;
    const blockOwnerDeletion = random.next() < 0.5;
    found.set(owner, { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid, blockOwnerDeletion });
  }
  return [...found.values()];
}

async function facts(world: World): Promise<Record<string, string[]>> {
  const { items } = await world.client.of(ConfigMap).list({ namespace: 'default' });
  const own = items.filter(({ metadata }) => /^n\d+$/.test(metadata.name));
  return Object.fromEntries(
    own.map(({ metadata }) => [metadata.name, (metadata.ownerReferences ?? []).map(({ name }) => name).sort()]).sort(),
  );
}

function disturb({ faults }: World): () => void {
  const controllers = { user: 'system:kube-controller-manager' };
  const rules = [
    faults.add({ match: { ...controllers, verb: 'delete' }, when: { probability: 0.2 }, action: { status: 500 } }),
    faults.add({ match: { ...controllers, verb: 'patch' }, when: { probability: 0.2 }, action: { status: 409 } }),
    faults.add({ match: { ...controllers, verb: 'patch' }, when: { probability: 0.1 }, action: { loseReply: true } }),
    faults.add({ match: { ...controllers, verb: 'get' }, when: { probability: 0.2 }, action: { latency: 700 } }),
  ];
  return () => {
    for (const rule of rules) rule.remove();
  };
}

/** Builds a random graph (circles too), then takes objects away in every manner, and compares with the model each time. */
async function round(seed: number): Promise<void> {
  const random = seededRandom(seed);
  await using world = await startWorld(garbageCollector);
  const model = new Model();
  const uids = new Map<string, string>();
  const calm = disturb(world);
  for (let i = 0; i < 10; i++) {
    const name = `n${i}`;
    const made = await world.make(ConfigMap, { metadata: { name, namespace: 'default' } });
    uids.set(name, made.metadata.uid ?? '');
    model.owners.set(name, new Set());
  }
  for (const name of uids.keys()) {
    const ownerReferences = references(random, uids, name);
    const patch = json([{ op: 'add', path: '/metadata/ownerReferences', value: ownerReferences }]);
    model.owners.set(name, new Set(ownerReferences.map((owner) => owner.name)));
    await world.client.of(ConfigMap).patch({ namespace: 'default', name }, patch);
  }
  model.collect();
  await world.settle(600_000);
  expect(await facts(world)).toEqual(model.facts());
  while (model.owners.size > 0) {
    const name = pick(random, [...model.owners.keys()]) ?? '';
    const propagation = pick(random, ['Background', 'Foreground', 'Orphan'] as const) ?? 'Background';
    await world.client.of(ConfigMap).delete({ namespace: 'default', name }, { propagation });
    model.remove(name, propagation === 'Orphan');
    await world.settle(600_000);
    expect(await facts(world), `after ${name} went (${propagation})`).toEqual(model.facts());
  }
  calm();
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])('random graphs end as the model says, whatever fails on the way (seed %i)', round);
