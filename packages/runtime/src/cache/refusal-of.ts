import { apiVersionOf, type Kind, resourceName } from '@coxswain/k8s';
import { ApiError, deniedVerb } from '../core/index.ts';

/**
 * Whether an answer refuses the kind as such, not one object: it is not served, or may not be read. `undefined` when not; else what
 * is the matter and what to do, as a sentence without its full stop.
 * @param namespace the one that was asked for; absent: all
 */
export function refusalOf(kind: Kind, error: unknown, namespace?: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  // One object that is not there is named.
  if (error.code === 404 && !error.details.name) return notServed(kind);
  return error.code === 403 ? forbidden(kind, error.message, namespace) : undefined;
}

/** `widgets of test.dev/v1`, as people are told. */
export const describeKind = (kind: Kind): string => `${kind.plural} of ${apiVersionOf(kind)}`;

function notServed(kind: Kind): string {
  const remedy = isBuiltIn(kind)
    ? 'it needs an API server that has this API and version turned on'
    : `install the CRD ${resourceName(kind)}`;
  return `the server does not serve ${describeKind(kind)}: ${remedy}`;
}

function forbidden(kind: Kind, said: string, namespace: string | undefined): string {
  const verb = deniedVerb(said);
  const role = namespace ? `its Role in namespace ${namespace}, or its ClusterRole,` : 'its ClusterRole';
  const lacks = verb ? `lacks the verb "${verb}"` : 'lacks a verb';
  const needs = verb === 'get' ? 'get, list and watch' : 'list and watch';
  return `${describeKind(kind)} may not be read: ${role} ${lacks} on ${kind.plural} in the API group "${kind.group}" (it needs ${needs})`;
}

/** Groups of Kubernetes itself have no dot, or end as only its own may. */
function isBuiltIn({ group }: Kind): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}
