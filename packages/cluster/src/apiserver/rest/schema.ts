import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { badRequest, type Clock } from '@coxswain/runtime/core';
import { type CompiledSchema, compileSchema, type FieldError } from '@coxswain/schema';
import { definitionOf, faultOf } from '../go-types/index.ts';
import { builtInSchemas } from '../patch/index.ts';
import type { ResourceInfo } from '../types.ts';
import { apiVersionOf } from './context.ts';

function compiled(resource: ResourceInfo): CompiledSchema {
  return compileSchema(resource.schema, builtInSchemas);
}

/** Removes fields the kind does not have from the draft; answers their paths. */
export function prune(resource: ResourceInfo, draft: MutableJson): readonly string[] {
  return compiled(resource).prune(draft);
}

/**
 * What a typed server could not even decode. Custom kinds have no types to decode into: validation answers for them.
 * @throws ApiError BadRequest
 */
export function checkTypes(resource: ResourceInfo, draft: MutableJson): void {
  if (!resource.builtIn) return;
  const { kind, version } = resource;
  const definition = definitionOf(apiVersionOf(resource), kind);
  const why = definition && faultOf(definition, draft);
  if (why) throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}

/** The schema's defaults (custom kinds only: built-in ones have theirs in code), then the kind's own. */
export function applyDefaults(resource: ResourceInfo, draft: MutableJson, clock?: Clock): void {
  if (!resource.builtIn) compiled(resource).applyDefaults(draft);
  resource.strategy.default?.(draft, clock);
}

/**
 * Violations of the schema of a custom kind; what an update left as it was is not held against it. A write of the status is held to
 * the schema of the status.
 */
export function schemaErrors(
  resource: ResourceInfo,
  object: DynamicObject,
  old?: DynamicObject,
  subresource = '',
): readonly FieldError[] {
  if (resource.builtIn) return [];
  if (subresource !== 'status') return compiled(resource).validate(object, old ? { old } : {});
  const status = resource.schema.properties?.status;
  if (!status || object.status === undefined) return [];
  return compileSchema(status, builtInSchemas).validate(object.status, { old: old?.status, path: 'status' });
}
