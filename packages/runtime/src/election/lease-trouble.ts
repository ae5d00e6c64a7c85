import { ApiError, deniedVerb, isForbidden, isNotFound, messageOf } from '../core/index.ts';

/**
 * What keeps a Lease from being read or written, and what to do, to be put after what could not be done: `: there is no namespace …`.
 * `''` when the error says all there is.
 * @param needs the verbs that are used on Leases: `get, create and update`
 */
export function leaseTrouble(error: unknown, namespace: string, needs: string): string {
  if (isNotFound(error) && error instanceof ApiError && error.details.kind === 'namespaces') {
    return `: there is no namespace ${namespace}; create it, or name another one for the Leases`;
  }
  if (!isForbidden(error)) return '';
  const verb = deniedVerb(messageOf(error));
  const lacks = verb ? `lacks the verb "${verb}"` : 'lacks a verb';
  return `: its Role in namespace ${namespace} ${lacks} on leases in the API group "coordination.k8s.io" (it needs ${needs})`;
}
