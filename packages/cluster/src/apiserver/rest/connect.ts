import { badRequest } from '@coxswain/runtime/core';
import type { ApiResponse, ConnectHandler } from '../types.ts';
import { admission } from './admission.ts';
import type { Call } from './context.ts';

/** What follows the subresource; a slash at the end of the path is one at its end. */
function restOf({ path, request }: Call): string {
  return request.path.endsWith('/') && path.rest !== '' ? `${path.rest}/` : path.rest;
}

/**
 * Serves a subresource that leads out of the server. What the client wants goes through admission as an object of its own.
 * @param authorize throws when the user may not do another verb as well
 */
export async function callConnect(
  call: Call,
  handler: ConnectHandler,
  authorize: (verb: string) => void,
): Promise<ApiResponse> {
  const { request, resource, namespace, name, server } = call;
  if (call.query.dryRun) throw badRequest('dryRun is not supported');
  const rest = restOf(call);
  const options = handler.options(request, rest);
  const connection = { operation: 'CONNECT', name, object: options, options: {}, dryRun: false } as const;
  for (const phase of ['admit', 'validate'] as const) {
    const pending = admission(call, phase, connection);
    if (pending) await pending;
  }
  const { storage } = server;
  return handler.connect({ request, resource, namespace, name, rest, options, storage, authorize });
}
