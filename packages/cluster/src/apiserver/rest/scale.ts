import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { apiError, badRequest, conflict, invalid, notFound } from '@coxswain/runtime/core';
import { writeOptions } from '../request/query.ts';
import { selectorText } from '../select/labels.ts';
import type { ApiResponse, ScalePaths } from '../types.ts';
import { draftOf, isObject, textOf } from './clone.ts';
import type { Call } from './context.ts';
import { fieldInvalid } from './field-errors.ts';
import { asObject } from './metadata.ts';
import { patched, patchTypeOf } from './patch.ts';
import { reply } from './projection.ts';
import { found } from './read.ts';
import { changeObject, staleVersion } from './update.ts';

const kind = 'Scale';
const apiVersion = 'autoscaling/v1';
const maxReplicas = 2 ** 31 - 1;
/** A Scale has no lists, so a strategic patch needs to know no more of it. */
const scaleSchema = { type: 'object' } as const;

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

const undecodable = (why: string): Error => badRequest(`Scale in version "v1" cannot be handled as a Scale: ${why}`);

/** The wanted count of a Scale. @throws ApiError BadRequest, Invalid */
function replicasOf(call: Call, scale: unknown): number {
  if (!isObject(scale))
    throw badRequest('the object provided is unrecognized (must be of type Scale): it must be a JSON object');
  if ((scale.kind ?? kind) !== kind || (scale.apiVersion ?? apiVersion) !== apiVersion) {
    throw badRequest(`the object provided is unrecognized (must be of type Scale in ${apiVersion})`);
  }
  const spec = scale.spec ?? {};
  if (!isObject(spec)) throw undecodable('spec must be an object');
  const replicas = spec.replicas ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas) || Math.abs(replicas) > maxReplicas) {
    throw undecodable('spec.replicas must be a whole number of 32 bits');
  }
  if (replicas < 0) {
    throw invalid('autoscaling', kind, call.name, [
      fieldInvalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ]);
  }
  return replicas;
}

function checkIdentity(call: Call, scale: unknown, live: DynamicObject): void {
  const metadata = isObject(scale) && isObject(scale.metadata) ? scale.metadata : {};
  if (!metadata.name) {
    throw badRequest(`the name of the object (${call.name} based on URL) was undeterminable: name must be provided`);
  }
  if (metadata.name !== call.name) {
    throw badRequest(
      `the name of the object (${textOf(metadata.name)}) does not match the name on the URL (${call.name})`,
    );
  }
  const { uid, resourceVersion } = metadata;
  if (uid && uid !== live.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${textOf(uid)}, UID in object meta: ${live.metadata.uid}`;
    throw conflict(call.resource, call.name, why);
  }
  if (resourceVersion && resourceVersion !== live.metadata.resourceVersion) {
    throw conflict(call.resource, call.name, staleVersion);
  }
}

/** GET, PUT and PATCH of `/scale`. */
export async function scale(call: Call): Promise<ApiResponse> {
  const paths = pathsOf(call);
  const { method, body } = call.request;
  if (method === 'GET') return reply(call, scaleOf(await found(call), paths));
  const type = method === 'PATCH' ? patchTypeOf(call) : undefined;
  if (type === 'apply') {
    throw apiError(415, 'UnsupportedMediaType', 'apply patches of scale are not supported; use a merge patch');
  }
  const options = writeOptions(call.query, method === 'PUT' ? 'UpdateOptions' : 'PatchOptions');
  const { object } = await changeObject(call, {
    create: false,
    applied: false,
    options,
    view: {
      show: (object) => draftOf(scaleOf(asObject(object as MutableJson), paths)),
      write: (shown, draft) => write(draft, paths.specReplicas, replicasOf(call, shown)),
    },
    draft(old) {
      if (!old) throw notFound(call.resource, call.name);
      const next = type ? patched(call, type, scaleOf(old, paths), scaleSchema) : body;
      checkIdentity(call, next, old);
      const draft = draftOf(old);
      write(draft, paths.specReplicas, replicasOf(call, next));
      return draft;
    },
  });
  return reply(call, scaleOf(object, paths));
}
