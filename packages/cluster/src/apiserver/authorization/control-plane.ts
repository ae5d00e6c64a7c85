import type { UserInfo } from '../types.ts';
import type { ShortPolicy } from './policy.ts';

/** Whom the parts of the control plane act as. */
export const controlPlaneUsers = {
  controllers: { name: 'system:kube-controller-manager', groups: [] },
  scheduler: { name: 'system:kube-scheduler', groups: [] },
  // One program is all nodes, so it is no `system:node:NAME`, which may only touch what is on it. It is in the group of nodes for
  // policies and webhooks that let nodes do their work.
  nodes: { name: 'system:kubelet', groups: ['system:nodes'] },
  // One proxy and one name server for all nodes of this machine.
  network: { name: 'system:kube-proxy', groups: [] },
} as const satisfies Readonly<Record<string, UserInfo>>;

const controllers = 'coxswain:controllers';
const nodes = 'coxswain:nodes';
const network = 'coxswain:network';

/**
 * What those need beside the roles that every cluster has. The real controllers have a service account each; ours share a client,
 * and so have one role. It grants what it must to garbage collection and the deletion of namespaces, which know no kinds: any
 * object can go or lose an owner. Reading all there is, events and secrets of tokens are in `system:kube-controller-manager`.
 */
export const controlPlanePolicy: ShortPolicy = {
  clusterRoles: [
    {
      name: controllers,
      rules: [
        'delete,deletecollection,get,patch|*|*',
        'create||endpoints,persistentvolumeclaims,persistentvolumes,pods',
        'create|apps|controllerrevisions,replicasets',
        'create|batch|jobs',
        'create,update|discovery.k8s.io|endpointslices',
        'update||endpoints,namespaces/finalize,namespaces/status,nodes,resourcequotas/status',
        'update|apps|controllerrevisions',
        // owners whose deletion waits for what was made for them, where `OwnerReferencesPermissionEnforcement` is on
        'update||endpoints/finalizers,pods/finalizers,replicationcontrollers/finalizers,services/finalizers',
        'update|apps,apps.kruise.io|clonesets/finalizers,daemonsets/finalizers,deployments/finalizers,replicasets/finalizers,statefulsets/finalizers',
        'update|batch|cronjobs/finalizers,jobs/finalizers',
        'create|authorization.k8s.io|subjectaccessreviews',
        'approve|certificates.k8s.io|signers|kubernetes.io/kube-apiserver-client-kubelet',
        'sign|certificates.k8s.io|signers|kubernetes.io/kube-apiserver-client,kubernetes.io/kube-apiserver-client-kubelet,kubernetes.io/kubelet-serving,kubernetes.io/legacy-unknown',
      ],
    },
    {
      name: nodes,
      rules: [
        'create,delete,list,watch||nodes',
        'patch||nodes/status,pods/status',
        'delete,list,watch||pods',
        'get,list,watch||configmaps,persistentvolumeclaims,secrets,services',
        'get||nodes',
        'get,list,watch||persistentvolumes',
        'create||serviceaccounts/token',
        'get,list|certificates.k8s.io|clustertrustbundles',
        'create,delete,get,update|coordination.k8s.io|leases',
        'create,patch|events.k8s.io|events',
      ],
    },
    {
      name: network,
      rules: [
        'list,watch||namespaces,nodes,pods,services',
        'create,get||services',
        'create,get,list,watch|discovery.k8s.io|endpointslices',
        'create,patch|events.k8s.io|events',
      ],
    },
  ],
  clusterRoleBindings: [
    { name: controllers, role: `ClusterRole/${controllers}`, subjects: [`User/${controlPlaneUsers.controllers.name}`] },
    { name: nodes, role: `ClusterRole/${nodes}`, subjects: [`User/${controlPlaneUsers.nodes.name}`] },
    { name: network, role: `ClusterRole/${network}`, subjects: [`User/${controlPlaneUsers.network.name}`] },
  ],
  roles: [],
  roleBindings: [],
};
