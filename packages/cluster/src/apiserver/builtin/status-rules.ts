import type { FieldError } from '@coxswain/schema';
import { definitionStatusErrors } from '../crd/index.ts';
import { validateNodeAmounts } from './core/node.ts';
import { validateClaimStatus } from './core/persistent-volume-claim.ts';
import { validateQuotaStatus } from './core/resource-quota.ts';
import { validateIngressStatus } from './networking/ingress.ts';
import { validateServiceStatus } from './service/validate-balancer.ts';
import { checkConditions } from './shared/conditions.ts';
import { given, numberAt, objectAt, objectsAt, type ReadJson, textAt } from './shared/draft.ts';
import { invalidValue } from './shared/errors.ts';
import { nonNegative } from './shared/values.ts';
import { validateAttachmentStatus } from './storage/volume-attachment.ts';

/** What a `/status` write of a kind may not say. The spec was checked when it was written. */
export type StatusRule = (object: ReadJson) => readonly FieldError[];

/** Counts of replicas: none negative, and no part greater than the whole. */
function replicaCounts(parts: readonly string[], others: readonly string[], ready = 'readyReplicas'): StatusRule {
  return (object) => {
    const status = objectAt(object, 'status');
    const total = numberAt(status, 'replicas') ?? 0;
    const errors = ['replicas', ...parts, ...others, 'observedGeneration', 'collisionCount'].flatMap((key) =>
      nonNegative(status?.[key], `status.${key}`),
    );
    for (const key of parts) {
      const value = numberAt(status, key) ?? 0;
      if (value > total) errors.push(invalidValue(`status.${key}`, value, 'cannot be greater than status.replicas'));
    }
    const available = numberAt(status, 'availableReplicas') ?? 0;
    if (available > (numberAt(status, 'readyReplicas') ?? 0)) {
      errors.push(invalidValue('status.availableReplicas', available, `cannot be greater than ${ready}`));
    }
    return errors;
  };
}

/** Numbers that may not be negative. */
const counts =
  (keys: readonly string[]): StatusRule =>
  (object) =>
    keys.flatMap((key) => nonNegative(objectAt(object, 'status')?.[key], `status.${key}`));

const daemonCounts = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
];

const namespaceStatus: StatusRule = (object) => {
  const phase = textAt(objectAt(object, 'status'), 'phase');
  const deleting = given(objectAt(object, 'metadata')?.deletionTimestamp);
  if (deleting && phase !== 'Terminating') {
    return [invalidValue('status.Phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")];
  }
  if (!deleting && phase !== 'Active') {
    return [invalidValue('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty")];
  }
  return [];
};

/** By `group/plural`; kinds without an entry take any status that fits their schema. */
export const statusRules: Readonly<Record<string, StatusRule>> = {
  'apps/daemonsets': counts(daemonCounts),
  'apps/deployments': replicaCounts(
    ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
    ['unavailableReplicas', 'terminatingReplicas'],
  ),
  'apps/replicasets': replicaCounts(
    ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    ['terminatingReplicas'],
  ),
  'apps/statefulsets': replicaCounts(
    ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    [],
    'status.readyReplicas',
  ),
  '/replicationcontrollers': replicaCounts(['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], []),
  'autoscaling/horizontalpodautoscalers': counts(['currentReplicas', 'desiredReplicas']),
  'policy/poddisruptionbudgets': (object) => [
    ...checkConditions(objectsAt(objectAt(object, 'status'), 'conditions'), 'status.conditions'),
    ...counts(['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'])(object),
  ],
  '/services': validateServiceStatus,
  'networking.k8s.io/ingresses': validateIngressStatus,
  '/namespaces': namespaceStatus,
  'storage.k8s.io/volumeattachments': validateAttachmentStatus,
  '/nodes': validateNodeAmounts,
  '/persistentvolumeclaims': validateClaimStatus,
  '/resourcequotas': validateQuotaStatus,
  'apiextensions.k8s.io/customresourcedefinitions': definitionStatusErrors,
};
