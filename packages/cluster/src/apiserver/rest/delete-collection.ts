import { isNotFound } from '@coxswain/runtime/core';
import type { ApiResponse } from '../types.ts';
import type { Call } from './context.ts';
import { deleteObject, warnOfOrphans } from './delete.ts';
import { deleteOptions } from './delete-options.ts';
import { listOptions } from './list-options.ts';
import { projectorOf, reply } from './projection.ts';
import { listObjects } from './read.ts';

/** DELETE of a collection: deletes what the selectors name and answers the list of it. */
export async function removeCollection(call: Call): Promise<ApiResponse> {
  const projector = projectorOf(call);
  const options = deleteOptions(call.query, call.request);
  warnOfOrphans(call, options);
  const { objects, metadata } = await listObjects(call, listOptions(call));
  for (const object of objects) {
    try {
      await deleteObject({ ...call, namespace: object.metadata.namespace ?? '' }, object.metadata.name, options);
    } catch (error) {
      // Someone else was faster.
      if (!isNotFound(error)) throw error;
    }
  }
  return reply(call, projector.list(objects, metadata));
}
