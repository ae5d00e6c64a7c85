import type { DynamicObject, MutableJson, ObjectMeta, OwnerReference } from '@coxswain/k8s';
import { parseApiVersion } from '@coxswain/k8s';
import { formatTime, labelValueErrors, qualifiedNameErrors, randomUuid } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import { repeated } from '../request/repeated.ts';
import type { ResourceInfo } from '../types.ts';
import { type Call, warn } from './context.ts';
import { fieldForbidden, fieldInvalid, fieldRequired, fieldTooLong } from './field-errors.ts';
import { labelErrors, pathSegmentErrors, subdomainErrors } from './names.ts';

export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';
const annotationLimit = 256 * 1024;

/** The metadata of a draft. Decoding has made sure that it is an object. */
export function metadataOf(draft: MutableJson): MutableJson {
  return draft.metadata as MutableJson;
}

/** A draft seen as an object. */
export function asObject(draft: MutableJson): DynamicObject {
  return draft as unknown as DynamicObject;
}

/** Wipes what only the server sets and stamps a new identity. */
export function stampNew(call: Call, draft: MutableJson): void {
  const meta = metadataOf(draft);
  for (const field of [
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'selfLink',
    'resourceVersion',
    'generation',
  ]) {
    delete meta[field];
  }
  if (call.namespace === '') delete meta.namespace;
  else meta.namespace = call.namespace;
  meta.uid = randomUuid(call.server.random);
  meta.creationTimestamp = formatTime(call.server.clock.now());
  if (call.resource.strategy.generation) meta.generation = 1;
}

/** Brings over from the stored object what an update can never change. */
export function keepIdentity(draft: MutableJson, old: DynamicObject): void {
  const meta = metadataOf(draft);
  const before = old.metadata;
  delete meta.selfLink;
  if (!meta.uid) meta.uid = before.uid;
  keep(meta, 'creationTimestamp', before.creationTimestamp);
  keep(meta, 'generation', before.generation);
  keep(meta, 'resourceVersion', before.resourceVersion);
  if (before.deletionTimestamp !== undefined) meta.deletionTimestamp = before.deletionTimestamp;
  if (before.deletionGracePeriodSeconds !== undefined && meta.deletionGracePeriodSeconds === undefined) {
    meta.deletionGracePeriodSeconds = before.deletionGracePeriodSeconds;
  }
}

function keep(meta: MutableJson, field: string, value: unknown): void {
  if (value === undefined) delete meta[field];
  else meta[field] = value;
}

/** Drops second mentions of an owner, with a warning. */
export function dropDuplicateOwners(call: Call, draft: MutableJson): void {
  const meta = metadataOf(draft);
  const owners = meta.ownerReferences;
  if (!Array.isArray(owners) || owners.length < 2) return;
  const again = repeated(owners);
  const uids = owners.filter((_, index) => again[index]).map((owner: MutableJson) => String(owner.uid));
  if (uids.length === 0) return;
  meta.ownerReferences = owners.filter((_, index) => !again[index]);
  const what =
    '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may';
  const advice = `reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids.join(', ')}`;
  warn(call, `${what} ${advice}`);
}

function ownerErrors(owners: readonly OwnerReference[]): FieldError[] {
  const errors: FieldError[] = [];
  let controller = '';
  owners.forEach((owner, index) => {
    const path = `metadata.ownerReferences[${index}]`;
    for (const field of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if (!owner[field]) errors.push(fieldRequired(`${path}.${field}`, 'must not be empty'));
    }
    if ((owner.apiVersion ?? '').split('/').length > 2) {
      const why = 'must be <group>/<version> or <version>';
      errors.push(fieldInvalid(`${path}.apiVersion`, owner.apiVersion, why));
    }
    const { group, version } = parseApiVersion(owner.apiVersion ?? '');
    if (group === '' && version === 'v1' && owner.kind === 'Event') {
      errors.push(fieldInvalid(path, owner, '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (!owner.controller) return;
    const named = `${owner.kind}/${owner.name}`;
    if (controller === '') controller = named;
    else {
      const why = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${named}`;
      errors.push(fieldInvalid('metadata.ownerReferences', owners, why));
    }
  });
  return errors;
}

function finalizerErrors(finalizers: readonly string[]): FieldError[] {
  const path = 'metadata.finalizers';
  const errors = finalizers.flatMap((name) => qualifiedNameErrors(name).map((why) => fieldInvalid(path, name, why)));
  if (finalizers.includes(orphanFinalizer) && finalizers.includes(foregroundFinalizer)) {
    const why = `finalizer ${orphanFinalizer} and ${foregroundFinalizer} cannot be both set`;
    errors.push(fieldInvalid(path, finalizers, why));
  }
  return errors;
}

function labelsErrors(labels: Readonly<Record<string, string>>): FieldError[] {
  const path = 'metadata.labels';
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameErrors(key).map((why) => fieldInvalid(path, key, why)),
    ...labelValueErrors(value).map((why) => fieldInvalid(path, value, why)),
  ]);
}

function annotationErrors(annotations: Readonly<Record<string, string>>): FieldError[] {
  const path = 'metadata.annotations';
  const entries = Object.entries(annotations);
  const errors = entries.flatMap(([key]) =>
    qualifiedNameErrors(key.toLowerCase()).map((why) => fieldInvalid(path, key, why)),
  );
  const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (size > annotationLimit) errors.push(fieldTooLong(path, annotationLimit));
  return errors;
}

function nameErrors(resource: ResourceInfo, meta: ObjectMeta): FieldError[] {
  const rule = resource.strategy.validateName ?? subdomainErrors;
  const errors: FieldError[] = [];
  if (meta.generateName) {
    // A prefix may end in a dash: the suffix completes it.
    const whole = meta.generateName.endsWith('-') ? `${meta.generateName}a` : meta.generateName;
    errors.push(...rule(whole).map((why) => fieldInvalid('metadata.generateName', meta.generateName, why)));
  }
  if (!meta.name) errors.push(fieldRequired('metadata.name', 'name or generateName is required'));
  else {
    const own = rule(meta.name);
    const messages = own.length > 0 ? own : pathSegmentErrors(meta.name);
    errors.push(...messages.map((why) => fieldInvalid('metadata.name', meta.name, why)));
  }
  return errors;
}

function namespaceErrors(resource: ResourceInfo, meta: ObjectMeta): FieldError[] {
  if (!resource.namespaced) {
    return meta.namespace ? [fieldForbidden('metadata.namespace', 'not allowed on this type')] : [];
  }
  if (!meta.namespace) return [fieldRequired('metadata.namespace', '')];
  return labelErrors(meta.namespace).map((why) => fieldInvalid('metadata.namespace', meta.namespace, why));
}

function commonErrors(meta: ObjectMeta): FieldError[] {
  return [
    ...labelsErrors(meta.labels ?? {}),
    ...annotationErrors(meta.annotations ?? {}),
    ...ownerErrors(meta.ownerReferences ?? []),
    ...finalizerErrors(meta.finalizers ?? []),
  ];
}

const standardFinalizers: readonly string[] = ['kubernetes', orphanFinalizer, foregroundFinalizer];

/** Built-in kinds take finalizers without a domain only when Kubernetes itself knows them. */
function bareFinalizerErrors(resource: ResourceInfo, { finalizers = [] }: ObjectMeta): FieldError[] {
  if (!resource.builtIn) return [];
  return finalizers.flatMap((name, index) => {
    if (name.includes('/') || standardFinalizers.includes(name)) return [];
    const why = 'name is neither a standard finalizer name nor is it fully qualified';
    return [fieldInvalid(`metadata.finalizers[${index}]`, name, why)];
  });
}

/** Custom kinds take any finalizer, but one is told when a name could belong to someone else. */
export function warnOfBareFinalizers(call: Call, object: DynamicObject, old?: DynamicObject): void {
  if (call.resource.builtIn) return;
  for (const name of [...(object.metadata.finalizers ?? [])].sort()) {
    if (name.includes('/') || standardFinalizers.includes(name) || old?.metadata.finalizers?.includes(name)) continue;
    const form = name.includes('.') ? 'name including a path (/)' : 'name';
    const reason = 'to avoid accidental conflicts with other finalizer writers';
    warn(call, `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer ${form} ${reason}`);
  }
}

/** Violations of the metadata of a new object, whose name has been generated if need be. */
export function createErrors(resource: ResourceInfo, object: DynamicObject): FieldError[] {
  const meta = object.metadata;
  return [
    ...nameErrors(resource, meta),
    ...namespaceErrors(resource, meta),
    ...commonErrors(meta),
    ...bareFinalizerErrors(resource, meta),
  ];
}

/** Violations of the metadata of a changed object. */
export function updateErrors(resource: ResourceInfo, object: DynamicObject, old: DynamicObject): FieldError[] {
  const meta = object.metadata;
  const before = old.metadata;
  const errors = commonErrors(meta);
  if (before.deletionTimestamp !== undefined) {
    const added = (meta.finalizers ?? []).filter((name) => !(before.finalizers ?? []).includes(name)).sort();
    if (added.length > 0) {
      const list = added.map((name) => JSON.stringify(name)).join(', ');
      const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
      errors.push(fieldForbidden('metadata.finalizers', why));
    }
  }
  for (const field of ['name', 'namespace', 'uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (meta[field] !== before[field])
      errors.push(fieldInvalid(`metadata.${field}`, meta[field], 'field is immutable'));
  }
  errors.push(...bareFinalizerErrors(resource, meta));
  return errors;
}
