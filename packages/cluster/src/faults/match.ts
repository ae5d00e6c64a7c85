import { attributesOf } from '../apiserver/authorization/index.ts';
import type { ApiRequest } from '../apiserver/types.ts';
import { matchesPattern } from './pattern.ts';
import type { FaultMatch, Pattern } from './types.ts';

/** What rules look at. `undefined` where a request that is not for a resource has none. */
export type RequestFacts = Readonly<Record<keyof FaultMatch, string | undefined>>;

/** The name an object is to be created under, if its body gives one. */
function bodyName(body: unknown): string {
  const name = (body as { metadata?: { name?: unknown } } | null | undefined)?.metadata?.name;
  return typeof name === 'string' ? name : '';
}

export function factsOf(request: ApiRequest): RequestFacts {
  const attributes = attributesOf(request);
  const who = { verb: attributes.verb, user: request.user.name, userAgent: request.userAgent ?? '' };
  if (attributes.kind !== 'resource') {
    return {
      ...who,
      resource: undefined,
      group: undefined,
      subresource: undefined,
      namespace: undefined,
      name: undefined,
    };
  }
  const { resource, group, subresource, namespace, verb } = attributes;
  const name = attributes.name === '' && verb === 'create' ? bodyName(request.body) : attributes.name;
  return { ...who, resource, group, subresource, namespace, name };
}

/** Compiles a match, once a rule. */
export function matcher(match: FaultMatch = {}): (facts: RequestFacts) => boolean {
  const tests = (Object.entries(match) as [keyof FaultMatch, Pattern][]).map(([key, pattern]) => {
    return (facts: RequestFacts) => {
      const text = facts[key];
      return text !== undefined && matchesPattern(text, pattern);
    };
  });
  return (facts) => tests.every((test) => test(facts));
}
