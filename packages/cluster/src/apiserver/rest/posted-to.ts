import { notFound } from '@coxswain/runtime/core';
import type { ApiResponse, ResourceInfo } from '../types.ts';
import { isObject } from './clone.ts';
import type { Call } from './context.ts';
import { callHandler } from './subresource.ts';

/** POST of an object that is an order to another one, which it has the name of: as if posted to that one's subresource. */
export function postToSubresource(
  call: Call,
  { plural, subresource }: NonNullable<ResourceInfo['postsTo']>,
): Promise<ApiResponse> {
  const { server, resource, request } = call;
  const parent = server.registry.find(resource.group, resource.version, plural);
  const handler = server.subresources.find((entry) => entry.resource === parent?.storage && entry.name === subresource);
  const metadata = isObject(request.body) ? request.body.metadata : undefined;
  const name = isObject(metadata) && typeof metadata.name === 'string' ? metadata.name : '';
  if (!parent || !handler || name === '') throw notFound({ group: resource.group, plural }, name);
  return callHandler({ ...call, resource: parent, name, subresource }, handler);
}
