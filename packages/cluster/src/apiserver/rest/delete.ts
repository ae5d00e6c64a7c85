import type { DynamicObject, KubeObject, MutableJson } from '@coxswain/k8s';
import { conflict, deepEqual, deepFreeze, formatTime, notFound } from '@coxswain/runtime/core';
import type { ApiResponse } from '../types.ts';
import { admission } from './admission.ts';
import { draftOf } from './clone.ts';
import { type Call, keyOf, strategyContext, warn } from './context.ts';
import { toStored } from './create.ts';
import { type DeleteOptions, deleteOptions } from './delete-options.ts';
import { asObject, foregroundFinalizer, metadataOf, orphanFinalizer } from './metadata.ts';
import { objectReply, projectorOf, reply } from './projection.ts';
import { prepareServed, served } from './served.ts';

/** What a delete came to: the object is gone, or it waits for finalizers or its grace period. */
export interface Deleted {
  readonly object: DynamicObject;
  readonly gone: boolean;
}

const orphanedPods =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or ' +
  'set propagationPolicy=Orphan to suppress this warning';

/** Jobs leave their pods behind unless one says otherwise, which takes many by surprise. */
export function warnOfOrphans(call: Call, { propagation }: DeleteOptions): void {
  if (call.resource.storage === 'batch/jobs' && propagation === undefined) warn(call, orphanedPods);
}

/** DELETE of one object. */
export async function remove(call: Call): Promise<ApiResponse> {
  return removeAs(call, deleteOptions(call.query, call.request));
}

/** DELETE of one object with the given DeleteOptions; `undefined` reads them from the query. */
export async function removeWith(call: Call, body: unknown): Promise<ApiResponse> {
  return removeAs(call, deleteOptions(call.query, { body: body ?? undefined }));
}

async function removeAs(call: Call, options: DeleteOptions): Promise<ApiResponse> {
  projectorOf(call);
  warnOfOrphans(call, options);
  const { object, gone } = await deleteObject(call, call.name, options);
  const code = !gone && options.orphanDependentsFalse ? 202 : 200;
  if (!gone || call.resource.strategy.deleteReturnsObject) return objectReply(call, object, code);
  const { group, plural } = call.resource;
  return reply(call, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: call.name, ...(group === '' ? {} : { group }), kind: plural, uid: object.metadata.uid },
  });
}

/** Deletes, or starts to. @throws ApiError NotFound, Conflict (preconditions), and what admission throws */
export async function deleteObject(call: Call, name: string, options: DeleteOptions): Promise<Deleted> {
  const { storage } = call.server;
  const key = keyOf(call, name);
  for (;;) {
    const current = storage.get(key);
    if (!current) throw notFound(call.resource, name);
    const pending = prepareServed(call.resource, [current]);
    if (pending) await pending;
    const old = served(call.resource, current);
    checkPreconditions(call, old, options);
    const { dryRun } = options;
    const write = { operation: 'DELETE', name, old, options: { ...options }, dryRun } as const;
    for (const phase of ['admit', 'validate'] as const) {
      const admitted = admission(call, phase, write);
      if (admitted) await admitted;
    }
    if (storage.get(key)?.metadata.resourceVersion !== current.metadata.resourceVersion) continue;
    // Where versions are made elsewhere, the stored form is what is marked: nothing but metadata changes.
    const { remote } = call.resource.conversion ?? {};
    const form = remote ? storedForm : servedForm(call);
    const { object, gone } = commit(call, name, remote ? (current as DynamicObject) : old, options, form);
    if (!dryRun) await storage.flushed();
    if (!remote) return { object, gone };
    await prepareServed(call.resource, [object]);
    return { object: served(call.resource, object), gone };
  }
}

/** The form in which a deletion sees the object. */
interface Form {
  toStored(draft: MutableJson): KubeObject;
  fromStored(object: KubeObject): DynamicObject;
}

const storedForm: Form = { toStored: asObject, fromStored: (object) => object as DynamicObject };

function servedForm(call: Call): Form {
  return { toStored: (draft) => toStored(call, draft), fromStored: (object) => served(call.resource, object) };
}

function checkPreconditions(call: Call, old: DynamicObject, { uid, resourceVersion }: DeleteOptions): void {
  if (call.resource.strategy.beginDelete) checkOwnPreconditions(call, old, uid, resourceVersion);
  // These two name the kind where other conflicts name the resource.
  const resource = { ...call.resource, plural: call.resource.kind };
  const meta = old.metadata;
  if (uid !== undefined && uid !== meta.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${meta.uid}). The object might have been deleted and then recreated`;
    throw conflict(resource, meta.name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== meta.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${meta.resourceVersion}). The object might have been modified`;
    throw conflict(resource, meta.name, why);
  }
}

/** Kinds whose deletion begins in a way of its own check for themselves, in other words. */
function checkOwnPreconditions(
  call: Call,
  { metadata }: DynamicObject,
  uid: string | undefined,
  resourceVersion: string | undefined,
): void {
  const refuse = (what: string, given: string, actual: string | undefined) =>
    conflict(
      call.resource,
      metadata.name,
      `precondition failed: ${what} in precondition: ${given}, ${what} in object meta: ${actual}`,
    );
  if (uid !== undefined && uid !== metadata.uid) throw refuse('UID', uid, metadata.uid);
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw refuse('ResourceVersion', resourceVersion, metadata.resourceVersion);
  }
}

/** The one synchronous step: decides what is left of the object and stores that. */
function commit(call: Call, name: string, old: DynamicObject, options: DeleteOptions, form: Form): Deleted {
  const draft = draftOf(old);
  const { beginDelete } = call.resource.strategy;
  if (beginDelete && old.metadata.deletionTimestamp === undefined) {
    beginDelete(draft, strategyContext(call, options.dryRun));
    const object = options.dryRun ? deepFreeze(asObject(draft)) : store(call, name, draft, old, form);
    return { object, gone: false };
  }
  const grace = startGrace(call, draft, old, options);
  if (grace === 'pending') return { object: old, gone: false };
  setGarbageFinalizers(call, draft, options);
  const { finalizers } = asObject(draft).metadata;
  const { holdsDeletion } = call.resource.strategy;
  const held = (finalizers !== undefined && finalizers.length > 0) || holdsDeletion?.(old) === true;
  if (grace === 'none' && held) markDeleting(call, draft, old);
  const gone = !held && (grace === 'none' || metadataOf(draft).deletionGracePeriodSeconds === 0);
  if (options.dryRun) return { object: deepFreeze(asObject(draft)), gone };
  const object = gone ? erase(call, name, draft, grace, form) : store(call, name, draft, old, form);
  return { object, gone };
}

function store(call: Call, name: string, draft: MutableJson, old: DynamicObject, form: Form): DynamicObject {
  if (deepEqual(draft, old)) return old;
  return form.fromStored(call.server.storage.put(keyOf(call, name), form.toStored(draft)));
}

function erase(call: Call, name: string, draft: MutableJson, grace: Grace, form: Form): DynamicObject {
  const { storage } = call.server;
  const key = keyOf(call, name);
  // A graceful kind shows its deletion mark to watchers before it goes, as on the real server.
  if (grace === 'set') storage.put(key, form.toStored(draft));
  const removed: KubeObject = storage.delete(key);
  call.resource.strategy.afterDelete?.(removed as DynamicObject, strategyContext(call, false));
  return form.fromStored(removed);
}

/** `none`: not a graceful kind, or its grace is over; `pending`: it runs, nothing to change; `set`: started or shortened. */
type Grace = 'none' | 'pending' | 'set';

function startGrace(call: Call, draft: MutableJson, old: DynamicObject, options: DeleteOptions): Grace {
  const { gracePeriod } = call.resource.strategy;
  if (!gracePeriod) return 'none';
  const meta = metadataOf(draft);
  const now = call.server.clock.now();
  if (old.metadata.deletionTimestamp === undefined) {
    const seconds = call.resource.strategy.gracePeriod?.(old, options.gracePeriodSeconds) ?? 0;
    meta.deletionTimestamp = formatTime(now + seconds * 1000);
    meta.deletionGracePeriodSeconds = seconds;
    bumpGeneration(meta);
    return 'set';
  }
  const running = old.metadata.deletionGracePeriodSeconds ?? 0;
  if (running === 0) return 'none';
  const wanted = options.gracePeriodSeconds;
  if (wanted === undefined || wanted >= running) return 'pending';
  const end = Date.parse(old.metadata.deletionTimestamp) - (running - wanted) * 1000;
  // The end cannot lie in the past; who asked for grace still gets the shortest one.
  meta.deletionTimestamp = formatTime(Math.max(end, now));
  meta.deletionGracePeriodSeconds = end < now && wanted !== 0 ? 1 : wanted;
  return 'set';
}

function markDeleting(call: Call, draft: MutableJson, old: DynamicObject): void {
  const meta = metadataOf(draft);
  const now = call.server.clock.now();
  const before = old.metadata.deletionTimestamp;
  if (before === undefined) bumpGeneration(meta);
  if (before === undefined || Date.parse(before) > now) meta.deletionTimestamp = formatTime(now);
  // Where the kind itself holds the object, its own process ends the deletion: no grace is on record.
  if (!call.resource.strategy.holdsDeletion) meta.deletionGracePeriodSeconds = 0;
  call.resource.strategy.prepareDelete?.(draft);
}

function bumpGeneration(meta: MutableJson): void {
  if (typeof meta.generation === 'number' && meta.generation > 0) meta.generation += 1;
}

/** The propagation policy is kept as a finalizer that the garbage collector answers to. */
function setGarbageFinalizers(call: Call, draft: MutableJson, options: DeleteOptions): void {
  if (call.resource.strategy.garbageCollected === false) return;
  const meta = metadataOf(draft);
  const before = asObject(draft).metadata.finalizers ?? [];
  const policy = options.propagation ?? policyOf(before) ?? call.resource.strategy.defaultPropagation ?? 'Background';
  const after = before.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer);
  if (policy === 'Orphan') after.push(orphanFinalizer);
  if (policy === 'Foreground') after.push(foregroundFinalizer);
  const same = after.length === before.length && after.every((name) => before.includes(name));
  if (same) return;
  if (after.length > 0) meta.finalizers = after;
  else delete meta.finalizers;
}

function policyOf(finalizers: readonly string[]): 'Orphan' | 'Foreground' | undefined {
  if (finalizers.includes(orphanFinalizer)) return 'Orphan';
  return finalizers.includes(foregroundFinalizer) ? 'Foreground' : undefined;
}
