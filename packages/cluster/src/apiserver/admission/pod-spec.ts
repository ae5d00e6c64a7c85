import type { MutableJson } from '@coxswain/k8s';
import { ensureObject, mapAt, objectAt, type ReadJson } from '../builtin/shared/draft.ts';
import type { AdmissionAttributes } from '../types.ts';

/** Marks a pod that a node made by itself. */
const mirrorAnnotation = 'kubernetes.io/config.mirror';

export const isMirror = (object: ReadJson | undefined): boolean =>
  mirrorAnnotation in mapAt(objectAt(object, 'metadata'), 'annotations');

/** Whether a pod is being created, not one of its subresources. */
export function isPodCreation({ operation, resource, subresource }: AdmissionAttributes): boolean {
  return operation === 'CREATE' && subresource === '' && resource.group === '' && resource.plural === 'pods';
}

/** The spec of a pod that is being created (or otherwise written by one of `operations`); `undefined` for every other write. */
export function podSpecOf(
  attributes: AdmissionAttributes,
  operations: readonly string[] = ['CREATE'],
): { readonly spec: MutableJson } | undefined {
  const { operation, resource, subresource, object } = attributes;
  if (!operations.includes(operation) || subresource !== '' || !object) return undefined;
  if (resource.group !== '' || resource.plural !== 'pods') return undefined;
  return { spec: ensureObject(object, 'spec') };
}
