import type { DynamicObject, KubeObject, ManagedFieldsEntry, MutableJson } from '@coxswain/k8s';
import { type Clock, formatTime, type Random, randomUuid } from '@coxswain/runtime/core';
import type { Storage, StorageKey } from '../../storage/types.ts';
import { copyJson, sameJson } from '../builtin/shared/draft.ts';
import type { Registry, ResourceInfo, StrategyContext } from '../types.ts';
import type { BootstrapObject } from './objects.ts';

/** What the server itself needs to write objects, outside any request. */
export interface BootstrapContext {
  readonly registry: Registry;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
}

function resourceFor(registry: Registry, id: string): ResourceInfo {
  const found = registry.all().find(({ group, plural, conversion }) => `${group}/${plural}` === id && !conversion);
  if (!found) throw new Error(`bootstrap: the resource ${id} is not served, but the cluster needs an object of it`);
  return found;
}

function contextOf({ clock, random, storage }: BootstrapContext): StrategyContext {
  const user = { name: 'system:apiserver', groups: ['system:masters'] };
  return { clock, random, storage, user, dryRun: false, subresource: '', warn: () => {} };
}

function keyOf(resource: string, object: KubeObject): StorageKey {
  return { resource, namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}

/** Writes an object as a create request would store it, unless one of its name is there. Answers the stored object. */
export function ensureStored(context: BootstrapContext, { resource: id, object }: BootstrapObject): KubeObject {
  const key = keyOf(id, object);
  const present = context.storage.get(key);
  if (present) return present;
  const { strategy } = resourceFor(context.registry, id);
  const draft = copyJson(object) as unknown as MutableJson;
  strategy.default?.(draft);
  const metadata = draft.metadata as MutableJson;
  metadata.uid = randomUuid(context.random);
  metadata.creationTimestamp = formatTime(context.clock.now());
  if (strategy.generation) metadata.generation = 1;
  strategy.prepareCreate?.(draft, contextOf(context));
  return context.storage.put(key, draft as unknown as KubeObject);
}

/**
 * Writes an object that says all that a stored one does, unless one of its name is there: no defaults, no rules. A start is waited
 * for, and there are dozens of these.
 * @param claims whom its fields belong to
 */
export function ensureComplete(
  { storage, clock, random }: BootstrapContext,
  { resource, object }: BootstrapObject,
  claims: readonly Omit<ManagedFieldsEntry, 'time'>[],
): void {
  const key = keyOf(resource, object);
  if (storage.get(key)) return;
  const time = formatTime(clock.now());
  const stamps = { uid: randomUuid(random), creationTimestamp: time };
  const managedFields = claims.map((claim) => ({ ...claim, time }));
  storage.put(key, { ...object, metadata: { ...object.metadata, ...stamps, managedFields } });
}

/** Brings the fields `object` gives to what it says; keeps everything else of the stored one. */
export function ensureCurrent(context: BootstrapContext, bootstrap: BootstrapObject): void {
  const { resource: id, object } = bootstrap;
  const present = ensureStored(context, bootstrap) as DynamicObject;
  const next = copyJson(present) as unknown as MutableJson;
  for (const [key, value] of Object.entries(object)) if (key !== 'metadata') next[key] = copyJson(value);
  resourceFor(context.registry, id).strategy.default?.(next);
  if (!sameJson(next, present)) context.storage.put(keyOf(id, object), next as unknown as KubeObject);
}
