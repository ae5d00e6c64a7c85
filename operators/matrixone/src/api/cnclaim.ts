import type { LabelSelector } from '@coxswain/k8s';
import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { cnLabel } from './cnset.ts';
import { GROUP, VERSION } from './constants.ts';

const podRef = {
  podName: s.string().optional().describe('The pod that is claimed. Written by the controller.'),
  nodeName: s.string().optional().describe('The node of that pod. Written by the controller.'),
};

export const cnClaimSpec = s.object({
  ...podRef,
  sourcePod: s.object(podRef).optional().describe('The pod whose sessions are to move to this one.'),
  selector: s
    .k8s<LabelSelector>('io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector')
    .with({ 'x-kubernetes-map-type': 'atomic' })
    .describe('Which pods may be claimed.'),
  cnLabels: s.list(cnLabel).optional().describe('Labels that the compute node gets when it is claimed.'),
  ownerName: s.string().optional().describe('Who uses the compute node.'),
  additionalPodLabels: s.map(s.string()).optional().describe('Labels that the pod gets when it is claimed.'),
  poolName: s.string().optional().describe('The CNPool that the pod comes from.'),
});

const claimedStore = s.object({
  serviceID: s.string().optional(),
  lockServiceAddress: s.string().optional(),
  pipelineServiceAddress: s.string().optional(),
  sqlAddress: s.string().optional(),
  queryAddress: s.string().optional(),
  workState: s.int32().optional(),
  labels: s.list(cnLabel).optional(),
  string: s.string().optional().describe('Name of the pod, under the key that live objects hold it by.'),
  boundTime: s.dateTime().optional(),
});

export const cnClaimStatus = s.object({
  phase: s.string().optional().describe('"Pending", "Bound", "Lost" or "Outdated".'),
  store: claimedStore.optional(),
  boundTime: s.dateTime().optional(),
  migrate: s
    .object({
      source: s
        .object({ connections: s.int().optional(), pipelines: s.int().optional(), replicas: s.int().optional() })
        .optional()
        .describe('What is still to move away from the source.'),
    })
    .optional(),
});

/** A claim to one compute node of a pool. */
export const CNClaim = defineResource({
  group: GROUP,
  version: VERSION,
  kind: 'CNClaim',
  description: 'A claim to one compute node of a pool.',
  plural: 'cnclaims',
  scope: 'Namespaced',
  spec: cnClaimSpec,
  specOptional: true,
  status: cnClaimStatus,
  printColumns: [
    { name: 'Pod', type: 'string', jsonPath: '.spec.podName' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  subresources: { status: true },
});
export type CNClaim = ResourceType<typeof CNClaim>;
