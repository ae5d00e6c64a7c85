import type { DynamicObject } from '@coxswain/k8s';
import { badRequest, parseFieldSelector } from '@coxswain/runtime/core';
import type { ResourceInfo } from '../types.ts';
import { readSelector } from './labels.ts';

/** A field selector, ready to use. */
export interface FieldMatcher {
  matches(object: DynamicObject): boolean;
  /** The only name that can match, when the selector asks for one. */
  readonly name?: string;
  /** The only namespace that can match, when the selector asks for one. */
  readonly namespace?: string;
}

function reader(resource: ResourceInfo, field: string): (object: DynamicObject) => string {
  if (field === 'metadata.name') return (object) => object.metadata.name;
  if (field === 'metadata.namespace') return (object) => object.metadata.namespace ?? '';
  const read = Object.hasOwn(resource.selectable, field) ? resource.selectable[field] : undefined;
  const known = 'only "metadata.name", "metadata.namespace"';
  if (!read && resource.builtIn && Object.keys(resource.selectable).length === 0)
    throw badRequest(`${JSON.stringify(field)} is not a known field selector: ${known}`);
  if (!read) throw badRequest(`field label not supported: ${field}`);
  return read;
}

/**
 * The `fieldSelector` of a request (`=`, `==`, `!=`; all terms must hold); `undefined` for an empty one.
 * @throws ApiError BadRequest for a form or field that the resource does not support
 */
export function fieldMatcher(resource: ResourceInfo, text: string | undefined): FieldMatcher | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const terms = readSelector(() => parseFieldSelector(text));
  const tests = terms.map(({ field, equal, value }) => ({ read: reader(resource, field), equal, value }));
  const only = (field: string) => terms.find((term) => term.field === field && term.equal)?.value;
  const name = only('metadata.name');
  const namespace = only('metadata.namespace');
  return {
    matches: (object) => tests.every(({ read, equal, value }) => (read(object) === value) === equal),
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}
