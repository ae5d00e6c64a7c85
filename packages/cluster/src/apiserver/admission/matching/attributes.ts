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

type Side = DynamicObject | MutableJson;

/** What was made elsewhere of an object, by version; true as long as nobody changes the object. */
const made = new WeakMap<object, Map<string, MutableJson>>();

/** What is posted to a subresource has a version of its own. */
const isSame = (object: Side, from: ResourceInfo, to: ResourceInfo) => from === to || object.kind !== from.kind;

/** An object in another version of its resource, after {@link prepareVersion}. The argument is left alone. */
export function inVersion(object: Side, from: ResourceInfo, to: ResourceInfo): MutableJson {
  if (isSame(object, from, to)) return object as MutableJson;
  const known = made.get(object)?.get(apiVersionOf(to));
  if (known) return known;
  const stored = from.conversion?.toStored(asObject(object as MutableJson)) ?? object;
  const shown = to.conversion?.fromStored(asObject(stored as MutableJson)) ?? {
    ...stored,
    apiVersion: apiVersionOf(to),
  };
  return shown as MutableJson;
}

/** Lets {@link inVersion} answer for an object as it is now, where versions are made elsewhere. Undefined when nothing is missing. */
export function prepareVersion(object: Side, from: ResourceInfo, to: ResourceInfo): Promise<void> | undefined {
  if (isSame(object, from, to)) return undefined;
  const asked = from.conversion?.remote?.to(asObject(object as MutableJson), apiVersionOf(to));
  return asked?.then((converted) => {
    const versions = made.get(object) ?? new Map<string, MutableJson>();
    made.set(object, versions.set(apiVersionOf(to), converted));
  });
}

/** {@link prepareVersion} for what a write is about, in all the versions that somebody asked for. */
export function prepareVersions(
  { object, old, resource }: AdmissionAttributes,
  wanted: readonly ResourceInfo[],
): Promise<void> | undefined {
  const pending = [...new Set(wanted)].flatMap((to) =>
    [object, old].flatMap((side) => (side && prepareVersion(side, resource, to)) ?? []),
  );
  return pending.length > 0 ? Promise.all(pending).then(() => undefined) : undefined;
}
