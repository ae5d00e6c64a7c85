import type { ManagedFieldsEntry } from '@coxswain/k8s';

type Claim = Omit<ManagedFieldsEntry, 'time'>;

/** Fields that a client has written. */
export function written(manager: string, apiVersion: string, fields: object): Claim {
  return { manager, operation: 'Update', apiVersion, fieldsType: 'FieldsV1', fieldsV1: { ...fields } };
}

/** One condition of a status, that a controller has applied. */
export function appliedCondition(
  manager: string,
  apiVersion: string,
  type: string,
  parts: readonly string[] = ['lastTransitionTime', 'message', 'reason', 'status', 'type'],
): Claim {
  const condition = Object.fromEntries([['.', {}], ...parts.map((part) => [`f:${part}`, {}])]);
  const fieldsV1 = { 'f:status': { 'f:conditions': { [`k:{"type":"${type}"}`]: condition } } };
  return { manager, operation: 'Apply', apiVersion, fieldsType: 'FieldsV1', fieldsV1, subresource: 'status' };
}
