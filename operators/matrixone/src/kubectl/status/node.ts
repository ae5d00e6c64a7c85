import type { Condition, KubeObject } from '@coxswain/k8s';

/**
 * How it is with something:
 * - `ok`: as it should be.
 * - `waiting`: on its way; nobody has to do anything.
 * - `failed`: it may stay so until a person acts.
 * - `info`: neither; it is only told of.
 */
export type Health = 'ok' | 'waiting' | 'failed' | 'info';

/** A condition that is worth telling. */
export interface ConditionNote {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** When it became so, RFC 3339. */
  readonly since?: string;
  /** It speaks of an earlier spec. */
  readonly outdated?: true;
}

/** What is known of one object and of what belongs to it: what `-o json` prints, and what the tree is drawn from. */
export interface StatusNode {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly health: Health;
  /** One line that says how it is. */
  readonly summary: string;
  /** What there is to know besides, by name; only what is known. */
  readonly facts: Readonly<Record<string, string | number | boolean>>;
  /** Only those that are not as they should be. */
  readonly conditions: readonly ConditionNote[];
  readonly children: readonly StatusNode[];
}

/** A whole cluster, or a set that stands alone. */
export interface StatusReport extends StatusNode {
  /** What the whole waits for, which it may also while it is ready; absent when all is as it should be. */
  readonly waitsFor?: string;
}

/** Facts without those that are not known. */
export function known(
  facts: Readonly<Record<string, string | number | boolean | undefined>>,
): Readonly<Record<string, string | number | boolean>> {
  return Object.fromEntries(
    Object.entries(facts).filter((entry): entry is [string, string | number | boolean] => entry[1] !== undefined),
  );
}

/** Conditions that say that something is well; of all others it is their being there that is told. */
const good: ReadonlySet<string> = new Set(['Ready', 'Synced', 'Restored', 'Ended']);

/** Reasons that stay until a person acts. */
const stays: ReadonlySet<string> = new Set([
  'SpecInvalid',
  'VolumeShrinks',
  'StorageMoved',
  'InitialConfigChanged',
  'BootstrapUnreadable',
  'BucketBlocked',
  'PathClaimed',
  'StillUsed',
  'Quorum',
  'NoAnswer',
  'RestoreFailed',
  'JobFailed',
]);

/** Whether what a condition says stays so until a person acts. */
export function needsPerson({ reason }: ConditionNote): boolean {
  return stays.has(reason);
}

/** The conditions of an object that are not as they should be, of an earlier spec included. */
export function notes({ metadata }: KubeObject, conditions: readonly Condition[] = []): readonly ConditionNote[] {
  const { generation = 0 } = metadata;
  return conditions.flatMap(({ type, status, reason = '', message = '', lastTransitionTime, observedGeneration }) => {
    const outdated = observedGeneration !== undefined && observedGeneration < generation;
    if (good.has(type) ? status === 'True' && !outdated : status !== 'True') return [];
    const since = lastTransitionTime ? { since: lastTransitionTime } : {};
    return [{ type, status, reason, message, ...since, ...(outdated ? { outdated: true as const } : {}) }];
  });
}

/** What conditions mean for the object. @param required conditions without which it is not well */
export function healthOf(
  conditions: readonly Condition[] = [],
  told: readonly ConditionNote[],
  required: readonly string[] = ['Ready', 'Synced'],
): Health {
  if (told.some(needsPerson)) return 'failed';
  const isThere = (type: string) => conditions.some((condition) => condition.type === type);
  return told.some(({ type }) => good.has(type)) || !required.every(isThere) ? 'waiting' : 'ok';
}
