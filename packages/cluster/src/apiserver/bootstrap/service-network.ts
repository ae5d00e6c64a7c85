import { formatTime } from '@coxswain/runtime/core';
import { appliedCondition, written } from './managed-fields.ts';
import { type BootstrapContext, ensureComplete } from './write.ts';

const apiVersion = 'networking.k8s.io/v1';
const parts = ['lastTransitionTime', 'message', 'status', 'type'];
const claims = [
  appliedCondition('kubernetes-service-cidr-controller', apiVersion, 'Ready', parts),
  written('kube-apiserver', apiVersion, { 'f:spec': { 'f:cidrs': {} } }),
];

/** Makes the object that tells which addresses services get. @param range such as `10.96.0.0/16` */
export function ensureServiceNetwork(context: BootstrapContext, range: string): void {
  const ready = {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: formatTime(context.clock.now()),
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
  };
  const object = {
    apiVersion,
    kind: 'ServiceCIDR',
    metadata: { name: 'kubernetes' },
    spec: { cidrs: [range] },
    status: { conditions: [ready] },
  };
  ensureComplete(context, { resource: 'networking.k8s.io/servicecidrs', object }, claims);
}
