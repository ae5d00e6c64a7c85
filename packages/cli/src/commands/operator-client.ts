import type { Cluster } from '@coxswain/cluster';
import { ServiceAccount } from '@coxswain/k8s';
import { grant } from '@coxswain/runtime/apply';
import { apply, type Client } from '@coxswain/runtime/client';
import type { Operator } from '@coxswain/runtime/manager';

const namespace = 'kube-system';
const fieldManager = 'cox';

/**
 * A client that may do what the operator declares, and no more: as a service account of its own, `NAME-operator` in
 * `kube-system`, with a ClusterRole of that name. An operator that declares nothing is run as the administrator.
 */
export async function operatorClient(cluster: Cluster, operator: Operator): Promise<Client> {
  const rules = operator.rules?.();
  if (!rules) return cluster.client;
  const name = `${operator.name}-operator`;
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
  const options = { force: true, fieldManager };
  await cluster.client.of(ServiceAccount).patch({ namespace, name }, apply(account), options);
  const user = `system:serviceaccount:${namespace}:${name}`;
  await grant(cluster.client, { name, rules, user, fieldManager });
  return cluster.clientAs({
    name: user,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  });
}
