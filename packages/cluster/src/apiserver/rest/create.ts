import type { DynamicObject, KubeObject, MutableJson } from '@coxswain/k8s';
import {
  ApiError,
  alreadyExists,
  apiError,
  deepFreeze,
  formatTime,
  invalid,
  randomSuffix,
} from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import { type KindVersions, trackUpdate } from '../fieldmanager/index.ts';
import { type WriteOptions, writeOptions } from '../request/query.ts';
import type { ApiResponse, ResourceInfo, StrategyContext } from '../types.ts';
import { type Admission, admission } from './admission.ts';
import { draftOf, withoutFiller } from './clone.ts';
import { apiVersionOf, type Call, keyOf, managerOf, strategyContext, warn } from './context.ts';
import { decodeObject, dropUnknown, matchNamespace } from './decode.ts';
import { asObject, createErrors, dropDuplicateOwners, metadataOf, stampNew, warnOfBareFinalizers } from './metadata.ts';
import { objectReply } from './projection.ts';
import { putObject } from './put.ts';
import { resetsOf } from './resets.ts';
import { applyDefaults, schemaErrors } from './schema.ts';
import { prepareServed, served } from './served.ts';

/** Tries to find a free generated name, the first included. */
const generateAttempts = 8;

/** POST to a collection. */
export async function create(call: Call): Promise<ApiResponse> {
  const options = writeOptions(call.query, 'CreateOptions');
  const draft = decodeObject(call);
  if (metadataOf(draft).resourceVersion) {
    throw apiError(500, '', 'resourceVersion should not be set on objects to be created');
  }
  matchNamespace(call, draft);
  dropUnknown(call, draft, options);
  if (call.resource.answer) return answer(call, draft, options);
  const object = await createObject(call, draft, options);
  return objectReply(call, object, 201);
}

/** Kinds that are questions: the answer is made, nothing is stored. */
function answer(call: Call, draft: MutableJson, options: WriteOptions): ApiResponse {
  applyDefaults(call.resource, draft);
  track(call, draft, undefined, options);
  const answered = call.resource.answer?.(draft, strategyContext(call, options.dryRun)) ?? draft;
  return objectReply(call, deepFreeze(asObject(answered)), 201);
}

/**
 * Stores a new object made of `draft`, which is given up.
 * @param applied the draft already has its managedFields
 */
export async function createObject(
  call: Call,
  draft: MutableJson,
  options: WriteOptions,
  applied = false,
): Promise<DynamicObject> {
  const { resource } = call;
  if (resource.status && call.subresource === '' && !resource.strategy.createsStatus) delete draft.status;
  applyDefaults(call.resource, draft, call.server.clock);
  stampNew(call, draft);
  dropDuplicateOwners(call, draft);
  // Before admission and the rules of the kind: what those fill in belongs to nobody.
  if (!applied) track(call, draft, undefined, options);
  const write: Admission = {
    operation: 'CREATE',
    name: String(metadataOf(draft).name ?? ''),
    object: draft,
    options: { ...call.query },
    dryRun: options.dryRun,
  };
  const admitted = admission(call, 'admit', write);
  if (admitted) await admitted;
  const ready = resource.strategy.ready?.(draft);
  if (ready) await ready;
  applyDefaults(call.resource, draft);
  return storeNew(call, draft, options, write, strategyContext(call, options.dryRun));
}

/** Records in the draft's managedFields what this request changed. */
export function track(
  call: Call,
  next: MutableJson,
  live: DynamicObject | undefined,
  options: WriteOptions,
  versions?: KindVersions,
): void {
  trackUpdate(call.resource.schema, {
    versions,
    live,
    // A built-in kind fills fields with nothing of its own accord: a creation does not set them.
    next:
      call.resource.builtIn && !live ? { ...withoutFiller(next, call.request.body), metadata: next.metadata } : next,
    manager: managerOf(call, options.fieldManager),
    apiVersion: apiVersionOf(call.resource),
    ...resetsOf(call),
    subresource: call.subresource,
    time: formatTime(call.server.clock.now()),
  });
}

async function storeNew(
  call: Call,
  draft: MutableJson,
  options: WriteOptions,
  write: Admission,
  context: StrategyContext,
): Promise<DynamicObject> {
  const { resource, server } = call;
  const base = metadataOf(draft).generateName;
  const generated = !metadataOf(draft).name && typeof base === 'string' && base !== '';
  for (let attempt = 1; ; attempt++) {
    const next = generated ? draftOf(draft) : draft;
    const given = generated ? `${base.slice(0, 58)}${randomSuffix(server.random)}` : metadataOf(next).name;
    // A missing name is refused below; until then the rules of the kind see an object like any other.
    const name = typeof given === 'string' ? given : '';
    metadataOf(next).name = name;
    const key = keyOf(call, name);
    const taken = () => server.storage.get(key);
    if (generated && attempt < generateAttempts && taken()) continue;
    resource.strategy.prepareCreate?.(next, context);
    refuse(call, name, validate(call, asObject(next), context));
    for (const text of call.resource.strategy.warnings?.(asObject(next), undefined) ?? []) warn(call, text);
    warnOfBareFinalizers(call, asObject(next));
    const checked = admission(call, 'validate', { ...write, object: next, name });
    if (checked) await checked;
    const remote = options.dryRun ? undefined : resource.conversion?.remote?.write(asObject(next));
    const form = remote && (await remote);
    if (taken()) {
      if (generated && attempt < generateAttempts) continue;
      throw generated ? generatedNameTaken(call, name) : nameTaken(call, name, taken());
    }
    if (options.dryRun) return deepFreeze(asObject(next));
    return committed(call, putObject(call, key, form ? asObject(form) : toStored(call, next)));
  }
}

/** What was just stored, as it is served. Resolves when it is durable. */
export async function committed({ server, resource }: Call, object: KubeObject): Promise<DynamicObject> {
  await server.storage.flushed();
  const pending = prepareServed(resource, [object]);
  if (pending) await pending;
  return served(resource, object);
}

/** The draft in the form it is stored in. */
export function toStored(call: Call, draft: MutableJson): KubeObject {
  return asObject(call.resource.conversion?.toStored(asObject(draft)) ?? draft);
}

function validate(call: Call, object: DynamicObject, context: StrategyContext): FieldError[] {
  const { resource } = call;
  const errors = [
    ...createErrors(resource, object),
    ...schemaErrors(resource, object),
    ...(resource.strategy.validate?.(object, context) ?? []),
    ...(resource.strategy.validateCreate?.(object, context) ?? []),
  ];
  return [...errors, ...(resource.strategy.validateRules?.(object, undefined, errors, context) ?? [])];
}

/** @throws ApiError Invalid when there are errors */
export function refuse(call: Call, name: string, errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  // Events are events of the core group, whichever group they come in by.
  const [group = ''] = call.resource.storage.split('/');
  throw invalid(group, call.resource.kind, name, distinct(call.resource, errors));
}

/** The same fault of a built-in kind is told once, however many rules found it. Definitions tell all. */
function distinct({ builtIn, group }: ResourceInfo, errors: readonly FieldError[]): readonly FieldError[] {
  if (!builtIn || group === 'apiextensions.k8s.io') return errors;
  const seen = new Set<string>();
  return errors.filter(({ field, message }) => {
    const key = `${field}: ${message}`;
    return !seen.has(key) && seen.add(key);
  });
}

function nameTaken(call: Call, name: string, current: KubeObject | undefined): Error {
  const { status } = alreadyExists(call.resource, name);
  if (current?.metadata.deletionTimestamp === undefined) return new ApiError(status);
  return new ApiError({ ...status, message: `object is being deleted: ${status.message}` });
}

function generatedNameTaken(call: Call, name: string): Error {
  const { status } = alreadyExists(call.resource, name);
  const message = `${status.message}, the server was not able to generate a unique name for the object`;
  return apiError(409, 'AlreadyExists', message, { ...status.details, retryAfterSeconds: 1 });
}
