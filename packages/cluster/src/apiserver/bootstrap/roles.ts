import type { DynamicObject, KubeObject, MutableJson } from '@coxswain/k8s';
import { type Clock, formatTime, type Random, randomUuid } from '@coxswain/runtime/core';
import type { Storage, StorageKey } from '../../storage/types.ts';
import {
  bootstrapPolicy,
  controlPlanePolicy,
  objectsOf,
  type PolicyObject,
  type PolicyRule,
  policyAutoUpdate,
  uncovered,
} from '../authorization/index.ts';
import { listAt, objectAt, objectsAt, sameJson } from '../builtin/shared/draft.ts';

interface RolesContext {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
}

/** @param now as timestamps are written */
function store({ storage, random }: RolesContext, now: string, key: StorageKey, object: DynamicObject): void {
  const metadata = { ...object.metadata, uid: randomUuid(random), creationTimestamp: now };
  storage.put(key, { ...object, metadata } as KubeObject);
}

/** The stored labels and annotations with those of the policy; what is there already stays. */
function withMetadata(stored: DynamicObject, { metadata: wanted }: DynamicObject): DynamicObject['metadata'] {
  const { metadata } = stored;
  const labels = { ...wanted.labels, ...metadata.labels };
  const annotations = { ...wanted.annotations, ...metadata.annotations };
  const same = sameJson(labels, metadata.labels) && sameJson(annotations, metadata.annotations);
  return same ? metadata : { ...metadata, labels, annotations };
}

/** What the policy has and the stored object lacks is added; what it has beyond stays. */
function completed(stored: DynamicObject, wanted: DynamicObject): DynamicObject {
  const next: DynamicObject = { ...stored, metadata: withMetadata(stored, wanted) };
  if (wanted.aggregationRule !== undefined) {
    return sameJson(stored.aggregationRule, wanted.aggregationRule)
      ? next
      : { ...next, aggregationRule: wanted.aggregationRule };
  }
  if (wanted.rules !== undefined) {
    const rules = listAt(stored, 'rules') as readonly PolicyRule[];
    const missing = sameJson(rules, wanted.rules) ? [] : uncovered(rules, wanted.rules as readonly PolicyRule[]);
    return missing.length === 0 ? next : { ...next, rules: [...rules, ...missing] };
  }
  const subjects: readonly MutableJson[] = objectsAt(stored, 'subjects');
  const further = objectsAt(wanted, 'subjects').filter((one) => !subjects.some((other) => sameJson(one, other)));
  return further.length === 0 ? next : { ...next, subjects: [...subjects, ...further] };
}

function reconcile(context: RolesContext, now: string, { resource, object }: PolicyObject): void {
  const { storage } = context;
  const { namespace = '', name } = object.metadata;
  const key = { resource, namespace, name };
  const stored = storage.get(key) as DynamicObject | undefined;
  // What a binding refers to cannot change.
  const another = stored && object.roleRef !== undefined && !sameJson(objectAt(stored, 'roleRef'), object.roleRef);
  if (stored?.metadata.annotations?.[policyAutoUpdate] === 'false') return;
  if (another) storage.delete(key);
  if (!stored || another) {
    store(context, now, key, object);
    return;
  }
  const next = completed(stored, object);
  if (!sameJson(next, stored)) storage.put(key, next as KubeObject);
}

/**
 * Brings the roles and bindings that every cluster has to what they must at least say. Touches only what differs.
 * @param controlPlane also those of our own control plane
 */
export function bootstrapRoles(context: RolesContext, controlPlane: boolean): void {
  const now = formatTime(context.clock.now());
  const own = controlPlane ? objectsOf(controlPlanePolicy) : [];
  for (const object of [...bootstrapPolicy(), ...own]) reconcile(context, now, object);
}
