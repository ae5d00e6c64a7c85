import type { KubeObject, Pod } from '@coxswain/k8s';
import { deepEqual, isFields } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { recordings } from '../golden/test-recording.ts';
import { TestStores } from '../pools/test-pools.ts';
import { World } from '../scenario/test-world.ts';
import { Upstream } from './test-upstream.ts';

/** Milliseconds until an operator has looked at everything, and longer than any pause between two looks. */
const settled = 30_000;
const longEnough = 330_000;
/** Milliseconds of the machine that a test may take. */
const patience = 120_000;

/** Where two values differ, as paths. */
function paths(one: unknown, other: unknown, path: string): readonly string[] {
  if (deepEqual(one, other)) return [];
  if (!isBranch(one) || !isBranch(other)) return [path];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => paths(one[name], other[name], `${path}.${name}`));
}

const isBranch = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isFields(value) || Array.isArray(value);

/** What of an object is not as before, status and the server's book-keeping aside. */
function changes(before: KubeObject, after: KubeObject): readonly string[] {
  const kept = (object: KubeObject) => {
    const { managedFields: _, resourceVersion: __, generation: ___, ...metadata } = object.metadata;
    const { status: ____, ...rest } = object as KubeObject & { readonly status?: unknown };
    return { ...rest, metadata };
  };
  return paths(kept(before), kept(after), '');
}

/** `Kind.path`, once for each kind, for everything that was written. */
function written(before: ReadonlyMap<string, KubeObject>, after: ReadonlyMap<string, KubeObject>): ReadonlySet<string> {
  const lines = new Set<string>();
  const kindOf = (name: string) => name.split(' ')[0];
  for (const [name, object] of before) {
    const now = after.get(name);
    if (!now) lines.add(`${name} is gone`);
    else for (const change of changes(object, now)) lines.add(`${kindOf(name)}${change.replace(/\.\d+(?=\.|$)/g, '')}`);
  }
  for (const name of after.keys()) if (!before.has(name)) lines.add(`${kindOf(name)} is new`);
  return lines;
}

/** All that a takeover writes but status. Nothing of it restarts a pod. */
const allowed = new Set([
  // Upstream leaves these maps without an owner, and the bootstrap and gossip maps without labels.
  'ConfigMap.metadata.ownerReferences',
  'ConfigMap.metadata.labels',
  // The text of scripts is ours; it is read when a container starts.
  'ConfigMap.data.start.sh',
  // A zero that Go prints and the server ignores.
  'CloneSet.spec.volumeClaimTemplates.status',
  'StatefulSet.spec.volumeClaimTemplates.status',
  'PodDisruptionBudget is new',
  // Marks of compute nodes, which upstream's have, too: the recordings are without pods.
  'Pod.metadata.finalizers',
  'Pod.metadata.annotations.controller.kubernetes.io/pod-deletion-cost',
  'Pod.metadata.annotations.matrixorigin.io/connections',
  'Pod.metadata.annotations.matrixorigin.io/score',
  'Pod.metadata.labels.matrixorigin.io/claimset',
  'Pod.metadata.labels.matrixorigin.io/owner',
]);

const restarts = (pods: readonly Pod[]) =>
  pods.map(({ metadata, status }) => [
    metadata.uid,
    status?.containerStatuses?.map(({ restartCount }) => restartCount),
  ]);

/** A third of the recordings, or all of them for `./cox test matrixone`: each costs seconds. */
const tried = recordings().filter((_, index) => process.env['COX_MATRIXONE'] === 'long' || index % 3 === 0);

test.each(tried)(
  '$name: taken over, all is as it was, and no pod restarts',
  { timeout: patience },
  async (recording) => {
    await using world = await World.start();
    await world.stopOperator();
    const upstream = await Upstream.load(world, recording);
    const pods = await world.drive(upstream.pods());
    const before = await world.drive(upstream.objects());
    await world.startOperator({ buckets: {}, cnStores: new TestStores() });
    await world.clock.advance(settled);
    expect(restarts(await world.drive(upstream.pods()))).toEqual(restarts(pods));
    const after = await world.drive(upstream.objects());
    expect([...written(before, after)].filter((line) => !allowed.has(line))).toEqual([]);
    await world.clock.advance(longEnough);
    expect([...written(after, await world.drive(upstream.objects()))], 'written later').toEqual([]);
    expect([...world.refusals]).toEqual([]);
  },
);
