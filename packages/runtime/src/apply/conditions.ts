import type { Condition, KubeObject } from '@coxswain/k8s';
import { formatTime } from '../core/index.ts';

/** A condition before it is stamped. */
export interface ConditionInput {
  readonly type: string;
  readonly status: Condition['status'];
  /** CamelCase; an empty one is stored as `empty`, since the field may not be empty. */
  readonly reason: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

/** What the API allows in a message. */
const messageLimit = 32_768;

/**
 * The list with one condition set, the others as they were. `lastTransitionTime` moves only when `status` changes.
 * Answers the same list when nothing changed.
 * @param now wall time in milliseconds
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  input: ConditionInput,
  now: number,
): readonly Condition[] {
  const list = conditions ?? [];
  const before = list.find(({ type }) => type === input.type);
  const { observedGeneration } = input;
  const after: Condition = {
    type: input.type,
    status: input.status,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime: before?.status === input.status ? before.lastTransitionTime : formatTime(now),
    reason: input.reason === '' ? 'empty' : input.reason,
    message: (input.message ?? '').slice(0, messageLimit),
  };
  if (!before) return [...list, after];
  if (same(before, after)) return list;
  return list.map((condition) => (condition === before ? after : condition));
}

function same(a: Condition, b: Condition): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration
  );
}

/** The list without conditions of a type; the same list when there is none. */
export function removeCondition(conditions: readonly Condition[] | undefined, type: string): readonly Condition[] {
  const list = conditions ?? [];
  return list.some((condition) => condition.type === type) ? list.filter((c) => c.type !== type) : list;
}

/** The conditions in an object's status; empty when it has none (or something else is there). */
export function conditionsOf(object: KubeObject): readonly Condition[] {
  const { status } = object as { readonly status?: { readonly conditions?: unknown } | null };
  const list = status?.conditions;
  return Array.isArray(list) ? (list as readonly Condition[]) : [];
}

/** The condition of this type in `status.conditions`; `undefined` where there is none. */
export function findCondition(object: KubeObject, type: string): Condition | undefined {
  return conditionsOf(object).find((condition) => condition.type === type);
}

/** Whether a condition is True, whatever generation it speaks of. */
export function isTrue(object: KubeObject, type: string): boolean {
  return findCondition(object, type)?.status === 'True';
}

/** Whether a condition is True and was computed for `generation` (default: the object's present one) or a later one. */
export function isTrueAt(object: KubeObject, type: string, generation = object.metadata.generation): boolean {
  const condition = findCondition(object, type);
  return (
    condition?.status === 'True' && (generation === undefined || (condition.observedGeneration ?? 0) >= generation)
  );
}

/** Whether the condition `Ready` is True. */
export function isReady(object: KubeObject): boolean {
  return isTrue(object, 'Ready');
}
