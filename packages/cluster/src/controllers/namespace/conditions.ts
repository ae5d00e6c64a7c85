import type { Namespace } from '@coxswain/k8s';
import { resourceName } from '@coxswain/k8s';
import type { Contents } from './contents.ts';

export type NamespaceCondition = NonNullable<NonNullable<Namespace['status']>['conditions']>[number];

interface Finding {
  readonly reason: string;
  readonly message: string;
}

/** Each condition type with what it says while all is well. */
const whenWell: Readonly<Record<string, Finding>> = {
  NamespaceDeletionDiscoveryFailure: {
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  NamespaceDeletionGroupVersionParsingFailure: {
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  NamespaceDeletionContentFailure: {
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  NamespaceContentRemaining: { reason: 'ContentRemoved', message: 'All content successfully removed' },
  NamespaceFinalizersRemaining: {
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  },
};

/**
 * The conditions of a terminating namespace. Answers `before` itself when nothing changes; times change only with the status.
 * @param failures of deletes, one text each
 * @param now RFC 3339
 */
export function deletionConditions(
  before: readonly NamespaceCondition[],
  contents: readonly Contents[],
  failures: readonly string[],
  now: string,
): readonly NamespaceCondition[] {
  const findings: Record<string, Finding | undefined> = {
    NamespaceDeletionContentFailure: failureFinding(failures),
    NamespaceContentRemaining: remainingFinding(contents),
    NamespaceFinalizersRemaining: finalizersFinding(contents),
  };
  const after = Object.keys(whenWell).map((type) => {
    const finding = findings[type];
    const status = finding ? 'True' : 'False';
    const old = before.find((condition) => condition.type === type);
    const { reason, message } = finding ?? whenWell[type] ?? { reason: '', message: '' };
    const same = old?.status === status && old.reason === reason && old.message === message;
    if (old && same) return old;
    const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? now) : now;
    return { type, status, reason, message, lastTransitionTime };
  });
  const others = before.filter(({ type }) => !Object.hasOwn(whenWell, type));
  const unchanged = before.length === others.length + after.length && after.every((one) => before.includes(one));
  return unchanged ? before : [...others, ...after];
}

function failureFinding(failures: readonly string[]): Finding | undefined {
  if (failures.length === 0) return undefined;
  const list = [...failures].sort().join(', ');
  const message = `Failed to delete all resource types, ${failures.length} remaining: ${list}`;
  return { reason: 'ContentDeletionFailed', message };
}

function remainingFinding(contents: readonly Contents[]): Finding | undefined {
  const parts = contents
    .filter(({ objects }) => objects.length > 0)
    // core resources are written with a dot at the end
    .map(({ kind, objects }) => `${kind.plural}.${kind.group} has ${objects.length} resource instances`);
  if (parts.length === 0) return undefined;
  return { reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${parts.sort().join(', ')}` };
}

function finalizersFinding(contents: readonly Contents[]): Finding | undefined {
  const counts = new Map<string, number>();
  for (const { objects } of contents) {
    for (const { metadata } of objects) {
      for (const finalizer of metadata.finalizers ?? []) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
    }
  }
  if (counts.size === 0) return undefined;
  const list = [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`).sort();
  const message = `Some content in the namespace has finalizers remaining: ${list.join(', ')}`;
  return { reason: 'SomeFinalizersRemain', message };
}

/** What a failed delete is called in the condition. */
export function failureText(kind: Contents['kind'], error: unknown): string {
  return `${resourceName(kind)}: ${error instanceof Error ? error.message : String(error)}`;
}
