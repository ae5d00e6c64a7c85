import {
  mutatingBindingStrategy,
  mutatingPolicyStrategy,
  mutatingWebhookStrategy,
  validatingBindingStrategy,
  validatingPolicyStrategy,
  validatingWebhookStrategy,
} from '../admission/configuration/index.ts';
import { crdStrategy } from '../crd/strategy.ts';
import type { Strategy } from '../types.ts';
import { controllerRevisionStrategy } from './apps/controller-revision.ts';
import { daemonSetStrategy } from './apps/daemon-set.ts';
import { deploymentStrategy } from './apps/deployment.ts';
import { replicaSetStrategy, replicationControllerStrategy } from './apps/replica-set.ts';
import { statefulSetStrategy } from './apps/stateful-set.ts';
import { autoscalerStrategy } from './autoscaling/autoscaler.ts';
import { cronJobStrategy } from './batch/cron-job.ts';
import { jobStrategy } from './batch/job.ts';
import { configMapStrategy } from './core/config-map.ts';
import { endpointSliceStrategy } from './core/endpoint-slice.ts';
import { endpointsStrategy } from './core/endpoints.ts';
import { eventStrategy } from './core/event.ts';
import { leaseStrategy } from './core/lease.ts';
import { limitRangeStrategy } from './core/limit-range.ts';
import { namespaceStrategy } from './core/namespace.ts';
import { nodeStrategy } from './core/node.ts';
import { persistentVolumeStrategy } from './core/persistent-volume.ts';
import { persistentVolumeClaimStrategy } from './core/persistent-volume-claim.ts';
import { resourceQuotaStrategy } from './core/resource-quota.ts';
import { secretStrategy } from './core/secret.ts';
import { serviceAccountStrategy } from './core/service-account.ts';
import { ingressStrategy } from './networking/ingress.ts';
import { ingressClassStrategy } from './networking/ingress-class.ts';
import { networkPolicyStrategy } from './networking/network-policy.ts';
import { podStrategy, podTemplateStrategy } from './pod/pod.ts';
import { podDisruptionBudgetStrategy } from './policy/pod-disruption-budget.ts';
import * as rbac from './rbac/roles.ts';
import { priorityClassStrategy } from './scheduling/priority-class.ts';
import { runtimeClassStrategy } from './scheduling/runtime-class.ts';
import { serverKinds } from './server-kinds.ts';
import { serviceStrategy } from './service/service.ts';
import { csiCapacityStrategy, csiDriverStrategy, csiNodeStrategy } from './storage/csi.ts';
import { attributesClassStrategy, storageClassStrategy } from './storage/storage-class.ts';
import { volumeAttachmentStrategy } from './storage/volume-attachment.ts';

/** Rules of each kind beyond the plain facts, by `group/plural`. */
export const strategies: Readonly<Record<string, Strategy>> = {
  ...serverKinds,
  '/configmaps': configMapStrategy,
  '/endpoints': endpointsStrategy({}),
  '/events': eventStrategy,
  '/limitranges': limitRangeStrategy,
  '/namespaces': namespaceStrategy,
  '/nodes': nodeStrategy,
  '/persistentvolumeclaims': persistentVolumeClaimStrategy,
  '/persistentvolumes': persistentVolumeStrategy,
  '/pods': podStrategy,
  '/podtemplates': podTemplateStrategy,
  '/replicationcontrollers': replicationControllerStrategy,
  '/resourcequotas': resourceQuotaStrategy,
  '/secrets': secretStrategy,
  '/serviceaccounts': serviceAccountStrategy,
  '/services': serviceStrategy,
  'admissionregistration.k8s.io/mutatingadmissionpolicies': mutatingPolicyStrategy,
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': mutatingBindingStrategy,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': mutatingWebhookStrategy,
  'admissionregistration.k8s.io/validatingadmissionpolicies': validatingPolicyStrategy,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': validatingBindingStrategy,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': validatingWebhookStrategy,
  'apiextensions.k8s.io/customresourcedefinitions': crdStrategy,
  'apps/controllerrevisions': controllerRevisionStrategy,
  'apps/daemonsets': daemonSetStrategy,
  'apps/deployments': deploymentStrategy,
  'apps/replicasets': replicaSetStrategy,
  'apps/statefulsets': statefulSetStrategy,
  'autoscaling/horizontalpodautoscalers': autoscalerStrategy,
  'batch/cronjobs': cronJobStrategy,
  'batch/jobs': jobStrategy,
  'coordination.k8s.io/leases': leaseStrategy,
  'discovery.k8s.io/endpointslices': endpointSliceStrategy({}),
  'events.k8s.io/events': eventStrategy,
  'networking.k8s.io/ingressclasses': ingressClassStrategy,
  'networking.k8s.io/ingresses': ingressStrategy,
  'networking.k8s.io/networkpolicies': networkPolicyStrategy,
  'node.k8s.io/runtimeclasses': runtimeClassStrategy,
  'policy/poddisruptionbudgets': podDisruptionBudgetStrategy,
  'rbac.authorization.k8s.io/clusterrolebindings': rbac.clusterRoleBindingStrategy,
  'rbac.authorization.k8s.io/clusterroles': rbac.clusterRoleStrategy,
  'rbac.authorization.k8s.io/rolebindings': rbac.roleBindingStrategy,
  'rbac.authorization.k8s.io/roles': rbac.roleStrategy,
  'scheduling.k8s.io/priorityclasses': priorityClassStrategy,
  'storage.k8s.io/csidrivers': csiDriverStrategy,
  'storage.k8s.io/csinodes': csiNodeStrategy,
  'storage.k8s.io/csistoragecapacities': csiCapacityStrategy,
  'storage.k8s.io/volumeattributesclasses': attributesClassStrategy,
  'storage.k8s.io/volumeattachments': volumeAttachmentStrategy,
  'storage.k8s.io/storageclasses': storageClassStrategy,
};

/** Rules of a cluster whose pods live in the loopback range, where they are others than everywhere. */
export const loopbackStrategies: Readonly<Record<string, Strategy>> = {
  '/endpoints': endpointsStrategy({ loopbackPods: true }),
  'discovery.k8s.io/endpointslices': endpointSliceStrategy({ loopbackPods: true }),
};
