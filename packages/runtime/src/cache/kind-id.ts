import { apiVersionOf, type Kind } from '@coxswain/k8s';

/** What objects of a kind are kept under: a version of a resource. */
export function kindId(kind: Kind): string {
  return `${apiVersionOf(kind)}/${kind.plural}`;
}
