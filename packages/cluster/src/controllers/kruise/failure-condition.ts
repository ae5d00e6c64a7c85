import type { CloneSetStatus } from '@coxswain/k8s/kruise';
import { formatTime, messageOf } from '@coxswain/runtime/core';
import { isRace } from '../workload/tolerant.ts';

type Conditions = Pick<CloneSetStatus, 'conditions'>;

/** What a set says of itself while its pods cannot be made: nothing of the sort when the last pass did not fail. Its time stays while its words do. */
export function failureCondition(
  type: string,
  failure: unknown,
  before: Conditions | undefined,
  now: number,
): Conditions {
  if (failure === undefined || isRace(failure)) return {};
  const message = messageOf(failure);
  const known = before?.conditions?.find((one) => one.type === type && one.message === message);
  return { conditions: [known ?? { type, status: 'True', reason: '', message, lastTransitionTime: formatTime(now) }] };
}
