import type { KubeObject } from '@coxswain/k8s';
import type { Operator } from '@coxswain/runtime/manager';
import { rbacObjects, rulesOf } from '@coxswain/runtime/manifests';

/** ServiceAccount, roles and bindings for an operator that runs in the namespace `demo`. */
export function permissions(operator: Operator): readonly KubeObject[] {
  const rules = rulesOf(operator, { election: { namespace: 'demo', lease: operator.name } });
  return rbacObjects(rules, { name: operator.name, user: `system:serviceaccount:demo:${operator.name}` });
}
