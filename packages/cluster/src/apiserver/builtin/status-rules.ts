import type { FieldError } from '@coxswain/schema';
import { definitionStatusErrors } from '../crd/index.ts';
import { given, listAt, numberAt, objectAt, type ReadJson, textAt } from './shared/draft.ts';
import { forbiddenField, invalidValue } from './shared/errors.ts';
import { nonNegative } from './shared/values.ts';

/** What a `/status` write of a kind may not say. The spec was checked when it was written. */
export type StatusRule = (object: ReadJson) => readonly FieldError[];

/** Counts of replicas: none negative, and no part greater than the whole. */
function replicaCounts(parts: readonly string[]): StatusRule {
  return (object) => {
    const status = objectAt(object, 'status');
    const total = numberAt(status, 'replicas') ?? 0;
    const errors = ['replicas', ...parts, 'observedGeneration', 'collisionCount'].flatMap((key) =>
      nonNegative(status?.[key], `status.${key}`),
    );
    for (const key of parts) {
      const value = numberAt(status, key) ?? 0;
      if (value > total) errors.push(invalidValue(`status.${key}`, value, 'cannot be greater than status.replicas'));
    }
    const available = numberAt(status, 'availableReplicas') ?? 0;
    if (available > (numberAt(status, 'readyReplicas') ?? 0)) {
      errors.push(invalidValue('status.availableReplicas', available, 'cannot be greater than status.readyReplicas'));
    }
    return errors;
  };
}

const serviceStatus: StatusRule = (object) => {
  const ingress = listAt(objectAt(objectAt(object, 'status'), 'loadBalancer'), 'ingress');
  if (ingress.length === 0 || textAt(objectAt(object, 'spec'), 'type') === 'LoadBalancer') return [];
  return [forbiddenField('status.loadBalancer.ingress', "may only be used when `spec.type` is 'LoadBalancer'")];
};

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
  'apps/deployments': replicaCounts(['updatedReplicas', 'readyReplicas', 'availableReplicas']),
  'apps/replicasets': replicaCounts(['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas']),
  'apps/statefulsets': replicaCounts(['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas']),
  '/replicationcontrollers': replicaCounts(['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas']),
  '/services': serviceStatus,
  '/namespaces': namespaceStatus,
  'apiextensions.k8s.io/customresourcedefinitions': definitionStatusErrors,
};
