import type { DynamicObject } from '@coxswain/k8s';
import { notFound } from '@coxswain/runtime/core';
import type { ApiResponse } from '../types.ts';
import type { Call } from './context.ts';
import { selectionOf } from './list-options.ts';
import { objectReply, projectorOf, reply } from './projection.ts';

/** GET of one of a resource's computed objects. @throws ApiError NotFound */
export function getComputed(call: Call, objects: readonly DynamicObject[]): ApiResponse {
  const found = within(call, objects).find(({ metadata }) => metadata.name === call.name);
  const { group, kind } = call.resource;
  const named = call.namespace ? `${call.namespace}/${call.name}` : call.name;
  if (!found) throw notFound({ group, plural: kind.toLowerCase() }, named);
  return objectReply(call, found);
}

/** GET of all of them, by the selectors asked for. */
export function listComputed(call: Call, objects: readonly DynamicObject[]): ApiResponse {
  const projector = projectorOf(call);
  const { matches } = selectionOf(call);
  const found = within(call, objects);
  return reply(call, projector.list(matches ? found.filter(matches) : found, {}));
}

function within({ namespace }: Call, objects: readonly DynamicObject[]): readonly DynamicObject[] {
  return namespace ? objects.filter(({ metadata }) => metadata.namespace === namespace) : objects;
}
