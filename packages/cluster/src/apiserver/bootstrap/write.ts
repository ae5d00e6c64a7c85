import type { DynamicObject, KubeObject, MutableJson } from '@coxswain/k8s';
import { type Clock, formatTime, type Random, randomUuid } from '@coxswain/runtime/core';
import type { Storage, StorageKey } from '../../storage/types.ts';
import { copyJson, sameJson } from '../builtin/shared/draft.ts';
import { trackUpdate } from '../fieldmanager/index.ts';
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

/** The managedFields of what was made before, by what decides about them. */
const claims = new Map<string, unknown>();

/** What of an object decides which fields it claims: its keys, and the items of its lists. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shapeOf(field)]));
}

/** Objects of one shape claim the same fields: it is worked out once for the dozens of them that a start makes. */
function claimFields({ clock }: BootstrapContext, resource: ResourceInfo, next: MutableJson, manager: string): void {
  const { group, version, plural, schema } = resource;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const time = formatTime(clock.now());
  const shape = JSON.stringify([apiVersion, plural, manager, shapeOf(next)]);
  const metadata = next.metadata as MutableJson;
  const known = claims.get(shape);
  if (known) {
    metadata.managedFields = (known as readonly MutableJson[]).map((entry) => ({ ...entry, time }));
    return;
  }
  trackUpdate(schema, { live: undefined, next, manager, apiVersion, subresource: '', time });
  claims.set(shape, metadata.managedFields);
}

/** Writes an object as a create request would store it, unless one of its name is there. Answers the stored object. */
export function ensureStored(
  context: BootstrapContext,
  { resource: id, object, manager }: BootstrapObject,
): KubeObject {
  const key = keyOf(id, object);
  const present = context.storage.get(key);
  if (present) return present;
  const resource = resourceFor(context.registry, id);
  const { strategy } = resource;
  const draft = copyJson(object) as unknown as MutableJson;
  strategy.default?.(draft);
  const metadata = draft.metadata as MutableJson;
  metadata.uid = randomUuid(context.random);
  metadata.creationTimestamp = formatTime(context.clock.now());
  if (strategy.generation) metadata.generation = 1;
  if (manager !== undefined) claimFields(context, resource, draft, manager);
  strategy.prepareCreate?.(draft, contextOf(context));
  return context.storage.put(key, draft as unknown as KubeObject);
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
