import type { DynamicObject } from '@coxswain/k8s';
import { notFound } from '@coxswain/runtime/core';
import type { ApiResponse } from '../types.ts';
import type { Call } from './context.ts';
import { selectionOf } from './list-options.ts';
import { objectReply, projectorOf, reply } from './projection.ts';

/** GET of one of a resource's computed objects. @throws ApiError NotFound */
export function getComputed(call: Call, objects: readonly DynamicObject[]): ApiResponse {
  const found = objects.find(({ metadata }) => metadata.name === call.name);
  if (!found) throw notFound({ group: call.resource.group, plural: call.resource.singular }, call.name);
  return objectReply(call, found);
}

/** GET of all of them, by the selectors asked for. */
export function listComputed(call: Call, objects: readonly DynamicObject[]): ApiResponse {
  const projector = projectorOf(call);
  const { matches } = selectionOf(call);
  return reply(call, projector.list(matches ? objects.filter(matches) : objects, {}));
}
