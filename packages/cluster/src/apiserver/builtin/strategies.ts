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
import { limitRangeStrategy } from './core/limit-range.ts';
import { namespaceStrategy } from './core/namespace.ts';
import { nodeStrategy } from './core/node.ts';
import { persistentVolumeStrategy } from './core/persistent-volume.ts';
import { persistentVolumeClaimStrategy } from './core/persistent-volume-claim.ts';
import { resourceQuotaStrategy } from './core/resource-quota.ts';
import { secretStrategy } from './core/secret.ts';
import { serviceAccountStrategy } from './core/service-account.ts';
import * as misc from './misc/small-kinds.ts';
import { podStrategy, podTemplateStrategy } from './pod/pod.ts';
import { podDisruptionBudgetStrategy } from './policy/pod-disruption-budget.ts';
import * as rbac from './rbac/roles.ts';
import { serverKinds } from './server-kinds.ts';
import { serviceStrategy } from './service/service.ts';

/** Rules of each kind beyond the plain facts, by `group/plural`. */
export const strategies: Readonly<Record<string, Strategy>> = {
  ...serverKinds,
  '/configmaps': configMapStrategy,
  '/endpoints': endpointsStrategy,
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
  'coordination.k8s.io/leases': misc.leaseStrategy,
  'discovery.k8s.io/endpointslices': endpointSliceStrategy,
  'events.k8s.io/events': eventStrategy,
  'networking.k8s.io/ingressclasses': misc.ingressClassStrategy,
  'networking.k8s.io/ingresses': misc.ingressStrategy,
  'networking.k8s.io/networkpolicies': misc.networkPolicyStrategy,
  'node.k8s.io/runtimeclasses': misc.runtimeClassStrategy,
  'policy/poddisruptionbudgets': podDisruptionBudgetStrategy,
  'rbac.authorization.k8s.io/clusterrolebindings': rbac.clusterRoleBindingStrategy,
  'rbac.authorization.k8s.io/clusterroles': rbac.clusterRoleStrategy,
  'rbac.authorization.k8s.io/rolebindings': rbac.roleBindingStrategy,
  'rbac.authorization.k8s.io/roles': rbac.roleStrategy,
  'scheduling.k8s.io/priorityclasses': misc.priorityClassStrategy,
  'storage.k8s.io/csidrivers': misc.csiDriverStrategy,
  'storage.k8s.io/volumeattachments': misc.volumeAttachmentStrategy,
  'storage.k8s.io/storageclasses': misc.storageClassStrategy,
};
