import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { badRequest, conflict, invalid, notFound } from '@coxswain/runtime/core';
import { compileSchema, type SchemaNode } from '@coxswain/schema';
import { checkConfiguration } from '../fieldmanager/index.ts';
import { builtInSchemas } from '../patch/index.ts';
import { type WriteOptions, writeOptions } from '../request/query.ts';
import { selectorText } from '../select/labels.ts';
import type { ApiResponse, ScalePaths } from '../types.ts';
import { draftOf, isObject, textOf } from './clone.ts';
import { apiVersionOf, type Call } from './context.ts';
import { report } from './decode.ts';
import { fieldInvalid } from './field-errors.ts';
import { asObject, metadataOf } from './metadata.ts';
import { appliedDraft, configurationOf, patchTypeOf, reportPatched, reportRepeated } from './patch.ts';
import { checkPatchText, type PatchKind, type PatchTarget, patched, patchedFault } from './patched.ts';
import { reply } from './projection.ts';
import { existing } from './read.ts';
import { strictFindings } from './strict-findings.ts';
import { notHandled, typedBody } from './typed-body.ts';
import { type Change, changeObject } from './update.ts';

const kind = 'Scale';
const apiVersion = 'autoscaling/v1';
const wanted = { group: 'autoscaling', apiVersion, kind } as const;
const count = { type: 'integer', format: 'int32' } as const;
const schema: SchemaNode = {
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { $ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    spec: { type: 'object', properties: { replicas: count } },
    status: { type: 'object', properties: { replicas: count, selector: { type: 'string' } } },
  },
};
const target: PatchTarget = { wanted, builtIn: true, schema };

function read(object: unknown, path: string): unknown {
  let value = object;
  for (const field of path.split('.').filter(Boolean)) {
    value = isObject(value) && Object.hasOwn(value, field) ? value[field] : undefined;
  }
  return value;
}

function write(object: MutableJson, path: string, value: unknown): void {
  const fields = path.split('.').filter(Boolean);
  const last = fields.pop();
  if (last === undefined) return;
  let target = object;
  for (const field of fields) {
    const next = target[field];
    if (isObject(next)) target = next;
    else {
      const made: MutableJson = {};
      target[field] = made;
      target = made;
    }
  }
  target[last] = value;
}

function pathsOf(call: Call): ScalePaths {
  if (!call.resource.scale) throw notFound(call.resource, call.name);
  return call.resource.scale;
}

/** The `autoscaling/v1` Scale of an object. */
function scaleOf(object: DynamicObject, paths: ScalePaths): DynamicObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = read(object, paths.specReplicas);
  const current = read(object, paths.statusReplicas);
  const selector = paths.labelSelector ? selectorText(read(object, paths.labelSelector)) : '';
  return {
    kind,
    apiVersion,
    metadata: {
      name,
      ...(namespace ? { namespace } : {}),
      ...(uid ? { uid } : {}),
      ...(resourceVersion ? { resourceVersion } : {}),
      ...(creationTimestamp ? { creationTimestamp } : {}),
    },
    spec: typeof replicas === 'number' && replicas !== 0 ? { replicas } : {},
    status: { replicas: typeof current === 'number' ? current : 0, ...(selector ? { selector } : {}) },
  };
}

/** The wanted count of a Scale that has been read. @throws ApiError Invalid */
function replicasOf(call: Call, scale: MutableJson): number {
  const replicas = isObject(scale.spec) && typeof scale.spec.replicas === 'number' ? scale.spec.replicas : 0;
  if (replicas >= 0) return replicas;
  const error = fieldInvalid('spec.replicas', replicas, 'must be greater than or equal to 0');
  throw invalid('autoscaling', kind, call.name, [error]);
}

/** The name in a Scale must be that of the object. @throws ApiError BadRequest */
function checkName(call: Call, scale: MutableJson): void {
  const metadata = isObject(scale.metadata) ? scale.metadata : {};
  if (metadata.namespace && metadata.namespace !== call.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (!metadata.name) {
    throw badRequest(`the name of the object (${call.name} based on URL) was undeterminable: name must be provided`);
  }
  if (metadata.name !== call.name) {
    throw badRequest(
      `the name of the object (${textOf(metadata.name)}) does not match the name on the URL (${call.name})`,
    );
  }
}

/** The metadata of a Scale must be that of the object. @throws ApiError */
function checkIdentity(call: Call, scale: MutableJson, live: DynamicObject): void {
  checkName(call, scale);
  const { uid } = isObject(scale.metadata) ? scale.metadata : {};
  if (uid && uid !== live.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${textOf(uid)}, UID in object meta: ${live.metadata.uid}`;
    throw conflict(call.resource, call.name, why);
  }
}

/** Removes what a Scale does not have; answers the paths. */
function pruneScale(scale: MutableJson): readonly string[] {
  return compileSchema(target.schema, builtInSchemas).prune(scale);
}

/** Reads the Scale that a request wants, given that there is. */
type ReadScale = (old: DynamicObject) => MutableJson;

function puttingScale(call: Call, options: WriteOptions): ReadScale {
  const scale = draftOf(typedBody(call.request, wanted));
  const findings = strictFindings(call.request, pruneScale(scale), true);
  report(call, options, findings, (why) => notHandled(wanted, kind, why));
  checkName(call, scale);
  return () => scale;
}

function patchingScale(call: Call, type: PatchKind, options: WriteOptions, paths: ScalePaths): ReadScale {
  checkPatchText(call.request, false);
  return (old) => {
    const { next, refuse } = patched(call.request, type, scaleOf(old, paths), target, options);
    const fault = patchedFault(type, next, wanted);
    if (fault !== undefined) throw refuse(fault);
    const scale = draftOf(next);
    reportPatched(call, type, pruneScale(scale), options, refuse);
    return scale;
  };
}

/** The object without a count of zero, which a Scale does not show: nobody comes to own it there. */
function withoutZero(object: MutableJson, paths: ScalePaths): MutableJson {
  if (read(object, paths.specReplicas) !== 0) return object;
  const shown = { ...draftOf(object), metadata: object.metadata };
  write(shown, paths.specReplicas, undefined);
  return shown;
}

/** GET, PUT and PATCH of `/scale`. */
export async function scale(call: Call): Promise<ApiResponse> {
  const paths = pathsOf(call);
  const { method } = call.request;
  if (method === 'GET') return reply(call, scaleOf(existing(call), paths));
  const type = method === 'PATCH' ? patchTypeOf(call) : undefined;
  const options = writeOptions(call.query, type ? 'PatchOptions' : 'UpdateOptions', type === 'apply');
  const change = type === 'apply' ? applyingScale(call, options, paths) : writingScale(call, type, options, paths);
  const view = {
    show: (object: DynamicObject | MutableJson) => draftOf(scaleOf(asObject(object as MutableJson), paths)),
    write: (shown: MutableJson, draft: MutableJson) => write(draft, paths.specReplicas, replicasOf(call, shown)),
    owned: (object: MutableJson) => withoutZero(object, paths),
  };
  const { object } = await changeObject(call, { create: false, options, view, ...change });
  return reply(call, scaleOf(object, paths));
}

function writingScale(
  call: Call,
  type: PatchKind | undefined,
  options: WriteOptions,
  paths: ScalePaths,
): Pick<Change, 'applied' | 'draft'> {
  const read = type ? patchingScale(call, type, options, paths) : puttingScale(call, options);
  return {
    applied: false,
    draft(old) {
      if (!old) throw notFound(call.resource, call.name);
      const next = read(old);
      checkIdentity(call, next, old);
      const draft = draftOf(old);
      const { resourceVersion } = isObject(next.metadata) ? next.metadata : {};
      // A version in the Scale is one that the object must have.
      if (resourceVersion) metadataOf(draft).resourceVersion = resourceVersion;
      write(draft, paths.specReplicas, replicasOf(call, next));
      return draft;
    },
  };
}

/** Of a Scale only the count can be owned: an apply to it is one of the object, with nothing but the count. */
function applyingScale(call: Call, options: WriteOptions, paths: ScalePaths): Pick<Change, 'applied' | 'draft'> {
  checkPatchText(call.request, true);
  const config = configurationOf(call, wanted);
  return {
    applied: true,
    draft(old) {
      if (!old) throw notFound(call.resource, call.name);
      checkConfiguration(target.schema, config);
      reportRepeated(call, options);
      checkIdentity(call, config, old);
      const count = isObject(config.spec) ? config.spec.replicas : undefined;
      if (count !== undefined && count !== null) replicasOf(call, config);
      const applied: MutableJson = { apiVersion: apiVersionOf(call.resource), kind: call.resource.kind };
      applied.metadata = { name: call.name, ...(call.namespace === '' ? {} : { namespace: call.namespace }) };
      if (count !== undefined) write(applied, paths.specReplicas, count);
      return appliedDraft(call, options, old, applied);
    },
  };
}
