import type { MutableJson } from '@coxswain/k8s';
import { ensureObject, listAt, objectAt, objectsAt, type ReadJson } from '../builtin/shared/draft.ts';

export interface CrdCondition {
  readonly type: 'NamesAccepted' | 'Established' | 'Terminating';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Whether a condition of a definition holds. */
export function conditionHolds(object: ReadJson, type: CrdCondition['type']): boolean {
  return objectsAt(objectAt(object, 'status'), 'conditions').some(
    (condition) => condition.type === type && condition.status === 'True',
  );
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
