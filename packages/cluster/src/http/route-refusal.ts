import { apiError } from '@coxswain/runtime/core';
import type { HttpRequest } from './http-message.ts';
import { namesOutput, protobufType } from './media-type.ts';

const whole = ['application/json', 'application/yaml', protobufType];
const streams = ['application/json;stream=watch', `${protobufType};stream=watch`];

/**
 * The refusal of an `Accept` header that nothing can be made of. At built-in kinds the real server's router is the first to see it, and
 * has other words for types that it does not know at all.
 */
export async function routeRefusal(
  { method, headers }: Pick<HttpRequest, 'method' | 'headers'>,
  path: string,
  refusal: unknown,
): Promise<unknown> {
  const { servesProtobuf } = await import('./protobuf/index.ts');
  // Logs come as text too, of which the router knows no better.
  if (namesOutput(headers.accept ?? '') || path.endsWith('/log') || !servesProtobuf(path)) return refusal;
  const known = method === 'GET' && isCollection(path) ? [...whole, ...streams] : whole;
  const text = `406: Not Acceptable\n\nAvailable representations: ${known.join(', ')}`;
  return apiError(406, 'NotAcceptable', text, {});
}

/** Whether a path names a kind but no object of it. */
function isCollection(path: string): boolean {
  const parts = path.split('/').slice(path.startsWith('/api/') ? 3 : 4);
  return (parts[0] === 'namespaces' && parts.length > 2 ? parts.length - 2 : parts.length) === 1;
}
