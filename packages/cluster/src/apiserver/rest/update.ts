import type { DynamicObject, KubeObject, MutableJson } from '@coxswain/k8s';
import { ApiError, apiError, cloneJson, conflict, deepFreeze, invalid, notFound } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import type { KindVersions } from '../fieldmanager/index.ts';
import { type WriteOptions, writeOptions } from '../request/query.ts';
import type { ApiResponse, StrategyContext } from '../types.ts';
import { admission } from './admission.ts';
import { draftOf, sameFields, textOf } from './clone.ts';
import { type Call, keyOf, strategyContext, warn } from './context.ts';
import { committed, createObject, refuse, toStored, track } from './create.ts';
import { decodeObject, dropUnknown, matchNamespace, matchUrl } from './decode.ts';
import { etcdKey } from './etcd-key.ts';
import { fieldInvalid } from './field-errors.ts';
import { withVersions } from './kind-versions.ts';
import {
  asObject,
  dropDuplicateOwners,
  keepIdentity,
  metadataOf,
  updateErrors,
  warnOfBareFinalizers,
} from './metadata.ts';
import { sameButTimes } from './no-op.ts';
import { objectReply } from './projection.ts';
import { putObject } from './put.ts';
import { applyDefaults, schemaErrors } from './schema.ts';
import { prepareServed, served } from './served.ts';
import { statusDraft } from './status-write.ts';

export const staleVersion =
  'the object has been modified; please apply your changes to the latest version and try again';

/** How the next state is made. */
export interface Change {
  /** A private draft made from the newest state; runs again after a concurrent change. `undefined` when there is no object yet. */
  draft(old: DynamicObject | undefined, versions?: KindVersions): MutableJson;
  /** A missing object is created. */
  readonly create: boolean;
  /** The draft already has its managedFields. */
  readonly applied: boolean;
  readonly options: WriteOptions;
  /** What admission sees instead of the object; default: the object. */
  readonly view?: View;
}

/** An object in another shape: its scale. */
export interface View {
  show(object: DynamicObject | MutableJson): MutableJson;
  /** Brings what was changed in a view into the draft it is of. */
  write(view: MutableJson, draft: MutableJson): void;
  /** The object as far as its fields can be owned through the view. */
  owned(object: MutableJson): MutableJson;
}

export interface Changed {
  readonly object: DynamicObject;
  readonly created: boolean;
}

/** PUT to an object or its status. */
export async function update(call: Call): Promise<ApiResponse> {
  const options = writeOptions(call.query, 'UpdateOptions');
  const body = decodeObject(call);
  matchNamespace(call, body);
  matchUrl(call, body);
  dropUnknown(call, body, options);
  const { object, created } = await changeObject(call, {
    draft: () => draftOf(body),
    create: call.subresource === '' && call.resource.strategy.createOnUpdate === true,
    applied: false,
    options,
  });
  return objectReply(call, object, created ? 201 : 200);
}

/**
 * Brings an object to its next state: preconditions, generic rules, the kind's rules, admission, commit.
 * Runs again from the newest state when another write came in between.
 */
export async function changeObject(call: Call, change: Change): Promise<Changed> {
  const context = strategyContext(call, change.options.dryRun);
  for (;;) {
    const current = call.server.storage.get(keyOf(call));
    if (!current) {
      if (!change.create) throw notFound(call.resource, call.name);
      return { object: await createMissing(call, change), created: true };
    }
    const pending = prepareServed(call.resource, [current]);
    if (pending) await pending;
    const old = served(call.resource, current);
    const made = withVersions(call, (versions) => change.draft(old, versions));
    const draft = made instanceof Promise ? await made : made;
    checkPreconditions(call, draft, old);
    const object = await attempt(call, change, { current, old, draft, context });
    if (object) return { object, created: false };
  }
}

function createMissing(call: Call, change: Change): Promise<DynamicObject> {
  const draft = change.draft(undefined);
  const { uid } = metadataOf(draft);
  if (uid) {
    const missing = `uid mismatch: the provided object specified uid ${textOf(uid)}, and no existing object was found`;
    throw conflict(call.resource, call.name, change.applied ? missing : uidMismatch(String(uid), ''));
  }
  return createObject(call, draft, change.options, change.applied);
}

const uidMismatch = (given: string, actual: string): string =>
  `Precondition failed: UID in precondition: ${given}, UID in object meta: ${actual}`;

/** The refusal of an update whose object has another uid, in the words of the real server's storage. */
function otherUid(call: Call, given: string, actual: string): Error {
  const storage = `StorageError: invalid object, Code: 4, Key: ${etcdKey(call)}, ResourceVersion: 0`;
  return conflict(call.resource, call.name, `${storage}, AdditionalErrorMsg: ${uidMismatch(given, actual)}`);
}

function checkPreconditions(call: Call, draft: MutableJson, old: DynamicObject): void {
  const { resource, name } = call;
  const { uid, resourceVersion } = metadataOf(draft);
  // To a patch the uid is a field like any other, and one that cannot change.
  if (uid && uid !== old.metadata.uid && call.request.method === 'PUT') {
    throw otherUid(call, String(uid), old.metadata.uid ?? '');
  }
  if (!resourceVersion || resourceVersion === '0') {
    if (resource.strategy.unconditionalUpdate !== false) return;
    const error = fieldInvalid('metadata.resourceVersion', 0, 'must be specified for an update');
    throw invalid(resource.group, resource.plural, name, [error]);
  }
  if (!/^\d+$/.test(textOf(resourceVersion))) {
    throw apiError(500, '', `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
  }
  if (resourceVersion !== old.metadata.resourceVersion) throw conflict(resource, name, staleVersion);
}

interface Attempt {
  /** As stored. */
  readonly current: KubeObject;
  /** The same, as served. */
  readonly old: DynamicObject;
  readonly draft: MutableJson;
  readonly context: StrategyContext;
}

/** One try; answers `undefined` when the object changed meanwhile. */
async function attempt(call: Call, change: Change, state: Attempt): Promise<DynamicObject | undefined> {
  const { server, resource, name } = call;
  const { current, old, context } = state;
  let { draft } = state;
  const { dryRun } = change.options;
  keepIdentity(draft, old);
  call.form?.restrict(draft, old);
  const partial = resource.builtIn && resource.status && call.subresource === 'status';
  if (partial) draft = statusDraft(resource, draft, old);
  else if (!change.view) applyDefaults(resource, draft, server.clock);
  dropDuplicateOwners(call, draft);
  // Before admission and the rules of the kind: what those fill in belongs to nobody.
  if (!change.applied && !sameButTimes(draft, old)) {
    const tracked = trackChange(call, change, draft, old);
    if (tracked) await tracked;
  }
  if (!partial) keepOtherFields(call, draft, old);
  const { view } = change;
  const shown = view ? { object: view.show(draft), old: asObject(view.show(old)) } : { object: draft, old };
  const write = { operation: 'UPDATE', name, ...shown, options: { ...call.query }, dryRun } as const;
  const admitted = admission(call, 'admit', write);
  if (admitted) await admitted;
  const ready = resource.strategy.ready?.(draft);
  if (ready) await ready;
  view?.write(shown.object, draft);
  if (!partial && !view) {
    applyDefaults(resource, draft);
    // What admission or a default changed elsewhere does not count here.
    if (call.subresource === 'status') keepOtherFields(call, draft, old);
  }
  resource.strategy.prepareUpdate?.(draft, old, context);
  countGeneration(call, draft, old);
  refuse(call, name, validate(call, asObject(draft), old, context));
  const whole = call.subresource === '' || call.subresource === 'scale';
  const texts = whole ? call.resource.strategy.warnings?.(asObject(draft), old) : undefined;
  for (const text of texts ?? []) warn(call, text);
  warnOfBareFinalizers(call, asObject(draft), old);
  const checked = admission(call, 'validate', write);
  if (checked) await checked;
  const lastWrite = lastHoldGone(call, draft, old);
  const remote = dryRun || lastWrite ? undefined : resource.conversion?.remote?.write(asObject(draft));
  const form = remote && (await remote);
  if (server.storage.get(keyOf(call))?.metadata.resourceVersion !== current.metadata.resourceVersion) return undefined;
  if (lastWrite) return removeFinalized(call, draft, dryRun, context);
  const same = sameButTimes(draft, old);
  if (same && (dryRun || resource.builtIn)) return old;
  if (dryRun) return deepFreeze(asObject(draft));
  const next = form ? asObject(form) : storedNext(call, draft, current);
  // What is stored in another version than new objects are is written anew: so a migration is a write that changes nothing.
  if (same && next.apiVersion === current.apiVersion) return old;
  return committed(call, putObject(call, keyOf(call), next));
}

/**
 * The next state as it is stored. A built-in kind of several versions keeps the part that the write leaves alone: what a version
 * only carries of it may come back in another order.
 */
function storedNext(call: Call, draft: MutableJson, current: KubeObject): KubeObject {
  const next = toStored(call, draft);
  const { builtIn, conversion, status } = call.resource;
  if (!builtIn || !conversion || !status) return next;
  const kept = call.subresource === 'status' ? 'spec' : 'status';
  return asObject({ ...next, [kept]: (current as DynamicObject)[kept] });
}

function trackChange(
  call: Call,
  { view, options }: Change,
  draft: MutableJson,
  old: DynamicObject,
): void | Promise<void> {
  if (view) {
    track(call, view.owned(draft), asObject(view.owned(old as unknown as MutableJson)), options);
    return;
  }
  const tracked = withVersions(call, (versions) => track(call, draft, old, options, versions));
  // Who owns what is kept as it was when it cannot be told; the write goes on.
  return tracked?.catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    metadataOf(draft).managedFields = old.metadata.managedFields;
  });
}

/**
 * The main endpoint (and scale) leaves the status alone, the status endpoint everything else (built-in kinds: {@link statusDraft}).
 * Handlers of subresources answer for what they change.
 */
function keepOtherFields(call: Call, draft: MutableJson, old: DynamicObject): void {
  if (!call.resource.status) return;
  if (call.subresource === '' || call.subresource === 'scale') {
    if (old.status === undefined) delete draft.status;
    else draft.status = cloneJson(old.status);
    return;
  }
  if (call.subresource !== 'status') return;
  for (const key of Object.keys(draft)) if (key !== 'status' && key !== 'metadata') delete draft[key];
  for (const key of Object.keys(old)) {
    if (key !== 'status' && key !== 'metadata') draft[key] = cloneJson(old[key]);
  }
  const { managedFields } = metadataOf(draft);
  draft.metadata = draftOf(old.metadata);
  if (managedFields !== undefined) metadataOf(draft).managedFields = managedFields;
}

function countGeneration(call: Call, draft: MutableJson, old: DynamicObject): void {
  const meta = metadataOf(draft);
  if (!call.resource.strategy.generation) return;
  const outside = call.resource.status
    ? ['apiVersion', 'kind', 'metadata', 'status']
    : ['apiVersion', 'kind', 'metadata'];
  if (!sameFields(draft, old, outside)) meta.generation = (old.metadata.generation ?? 0) + 1;
}

function validate(call: Call, object: DynamicObject, old: DynamicObject, context: StrategyContext): FieldError[] {
  const { resource } = call;
  const errors = [
    ...updateErrors(resource, object, old),
    ...schemaErrors(resource, object, old, call.subresource),
    ...(resource.strategy.validate?.(object, context) ?? []),
    ...(resource.strategy.validateUpdate?.(object, old, context) ?? []),
  ];
  return [...errors, ...(resource.strategy.validateRules?.(object, old, errors, context) ?? [])];
}

/** Whether the write takes the last thing away that kept a deleted object. */
function lastHoldGone(call: Call, draft: MutableJson, old: DynamicObject): boolean {
  const { finalizers } = asObject(draft).metadata;
  if (old.metadata.deletionTimestamp === undefined || (finalizers && finalizers.length > 0)) return false;
  if (call.resource.strategy.holdsDeletion?.(asObject(draft))) return false;
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

async function removeFinalized(
  call: Call,
  draft: MutableJson,
  dryRun: boolean,
  context: StrategyContext,
): Promise<DynamicObject> {
  // The answer keeps the version that the object had: only watchers see that of its end.
  if (!dryRun) {
    const removed = call.server.storage.delete(keyOf(call));
    call.resource.strategy.afterDelete?.(removed as DynamicObject, context);
    await call.server.storage.flushed();
  }
  return deepFreeze(asObject(draft));
}

/** Changes an object past the rules of its kind, in one synchronous step. `change` may throw ApiError. */
export async function amendObject(
  call: Call,
  dryRun: boolean,
  change: (draft: MutableJson, old: DynamicObject) => void,
): Promise<DynamicObject> {
  const current = call.server.storage.get(keyOf(call));
  if (!current) throw notFound(call.resource, call.name);
  const old = served(call.resource, current);
  const draft = draftOf(old);
  change(draft, old);
  if (sameButTimes(draft, old)) return old;
  if (dryRun) return deepFreeze(asObject(draft));
  const object = call.server.storage.put(keyOf(call), toStored(call, draft));
  await call.server.storage.flushed();
  return served(call.resource, object);
}
