import type { MutableJson } from '@coxswain/k8s';
import { ensureObject, listAt, objectAt, objectsAt, type ReadJson } from '../builtin/shared/draft.ts';

export interface CrdCondition {
  readonly type: 'NamesAccepted' | 'Established' | 'Terminating' | 'KubernetesAPIApprovalPolicyConformant';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** A condition as it is stored. */
export function findCondition(object: ReadJson, type: CrdCondition['type']): CrdCondition | undefined {
  const found = objectsAt(objectAt(object, 'status'), 'conditions').find((condition) => condition.type === type);
  return found as unknown as CrdCondition | undefined;
}

/** Whether a condition of a definition holds. */
export function conditionHolds(object: ReadJson, type: CrdCondition['type']): boolean {
  return findCondition(object, type)?.status === 'True';
}

/** Whether a definition says already what a condition says. */
export function isSaid(object: ReadJson, { type, status, reason, message }: CrdCondition): boolean {
  const present = findCondition(object, type);
  return present?.status === status && present.reason === reason && present.message === message;
}

/** Sets a condition in place; its transition time moves only when its status changes. `now` as the wire writes it. */
export function setCondition(draft: MutableJson, condition: CrdCondition, now: string): void {
  const status = ensureObject(draft, 'status');
  const present = objectsAt(status, 'conditions').find((candidate) => candidate.type === condition.type);
  const same = present?.status === condition.status;
  const next = {
    ...condition,
    lastTransitionTime: same ? present.lastTransitionTime : now,
  };
  const others = listAt(status, 'conditions');
  status.conditions = present
    ? others.map((candidate) => (candidate === present ? next : candidate))
    : [...others, next];
}
