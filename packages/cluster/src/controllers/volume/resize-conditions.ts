import type { PersistentVolumeClaim } from '@coxswain/k8s';
import { formatTime } from '@coxswain/runtime/core';

type Conditions = NonNullable<NonNullable<PersistentVolumeClaim['status']>['conditions']>;

const ofResizes = new Set(['Resizing', 'FileSystemResizePending', 'ControllerResizeError', 'NodeResizeError']);

/** The conditions without those that a resize leaves behind. */
export function withoutResize(conditions: Conditions): Conditions {
  return conditions.filter(({ type }) => !ofResizes.has(type));
}

/** The conditions with one more that is true, since when it became so. @param now milliseconds since the epoch */
export function withCondition(conditions: Conditions, type: string, now: number, message = ''): Conditions {
  const before = conditions.find((condition) => condition.type === type);
  if (before?.status === 'True') return conditions;
  const condition = {
    type,
    status: 'True',
    lastTransitionTime: formatTime(now),
    ...(message ? { message } : {}),
  };
  return [...conditions.filter((other) => other !== before), condition];
}
