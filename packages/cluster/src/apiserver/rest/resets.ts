import type { Call } from './context.ts';

/** The `reset` of managed-field tracking for a request: what its path takes back before it stores. */
export function resetsOf({ resource, subresource }: Call): { readonly reset?: readonly string[] } {
  const own = resource.strategy.resets?.[subresource];
  if (own) return { reset: own };
  return resource.status ? {} : { reset: [] };
}
