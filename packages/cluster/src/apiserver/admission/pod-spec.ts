import type { MutableJson } from '@coxswain/k8s';
import { ensureObject, mapAt, objectAt } from '../builtin/shared/draft.ts';
import type { AdmissionAttributes } from '../types.ts';

/** Marks a pod that a node made by itself: the server leaves it as it is. */
const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** The spec of a pod that is being created; `undefined` for every other write. */
export function podSpecOf(attributes: AdmissionAttributes): { readonly spec: MutableJson } | undefined {
  const { operation, resource, subresource, object } = attributes;
  if (operation !== 'CREATE' || subresource !== '' || !object) return undefined;
  if (resource.group !== '' || resource.plural !== 'pods') return undefined;
  if (mirrorAnnotation in mapAt(objectAt(object, 'metadata'), 'annotations')) return undefined;
  return { spec: ensureObject(object, 'spec') };
}
