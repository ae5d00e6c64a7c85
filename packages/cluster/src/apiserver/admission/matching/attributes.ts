import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { objectAt, textAt } from '../../builtin/shared/draft.ts';
import { asObject } from '../../rest/metadata.ts';
import type { AdmissionAttributes, ResourceInfo } from '../../types.ts';

/** The namespace of a write; a namespace counts as being in itself. */
export function namespaceOf({ resource, namespace, name, object }: AdmissionAttributes): string {
  if (resource.group !== '' || resource.plural !== 'namespaces') return namespace;
  return name || textAt(objectAt(object, 'metadata'), 'name');
}

/** What a refused write is called while its name is not known. */
export function nameIn({ name, object }: AdmissionAttributes): string {
  const metadata = objectAt(object, 'metadata');
  return name || textAt(metadata, 'name') || textAt(metadata, 'generateName') || 'Unknown';
}

const apiVersionOf = ({ group, version }: ResourceInfo): string => (group === '' ? version : `${group}/${version}`);

/** An object in another version of its resource. The argument is left alone. */
export function inVersion(object: DynamicObject | MutableJson, from: ResourceInfo, to: ResourceInfo): MutableJson {
  // What is posted to a subresource has a version of its own.
  if (from === to || object.kind !== from.kind) return object as MutableJson;
  const stored = from.conversion?.toStored(asObject(object as MutableJson)) ?? object;
  return to.conversion?.fromStored(asObject(stored as MutableJson)) ?? { ...stored, apiVersion: apiVersionOf(to) };
}
