import type { KubeObject, Pod } from '@coxswain/k8s';
import { deepEqual, isFields } from '@coxswain/runtime/core';

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
export function written(
  before: ReadonlyMap<string, KubeObject>,
  after: ReadonlyMap<string, KubeObject>,
): ReadonlySet<string> {
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
  // What leads to the data, for when it is to go one day.
  'Secret is new',
  'BucketClaim.metadata.annotations.bucket.matrixorigin.io/credentials-kept',
  // Marks of compute nodes, which upstream's have, too: the recordings are without pods.
  'Pod.metadata.finalizers',
  'Pod.metadata.annotations.controller.kubernetes.io/pod-deletion-cost',
  'Pod.metadata.annotations.matrixorigin.io/connections',
  'Pod.metadata.annotations.matrixorigin.io/score',
  'Pod.metadata.labels.matrixorigin.io/claimset',
  'Pod.metadata.labels.matrixorigin.io/owner',
]);

/** What tells whether pods have restarted. */
export const restarts = (pods: readonly Pod[]) =>
  pods.map(({ metadata, status }) => [
    metadata.uid,
    status?.containerStatuses?.map(({ restartCount }) => restartCount),
  ]);

/** What was written that a takeover does not write. */
export function unexpected(
  before: ReadonlyMap<string, KubeObject>,
  after: ReadonlyMap<string, KubeObject>,
): readonly string[] {
  return [...written(before, after)].filter((line) => !allowed.has(line));
}
