import type { LabelSelector } from '@coxswain/k8s';
import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { cnClaimSpec, cnClaimStatus } from './cnclaim.ts';
import { GROUP, VERSION } from './constants.ts';
import { replicaScale } from './shared.ts';

const claimMetadata = s.object({
  name: s.string().optional(),
  labels: s.map(s.string()).optional(),
  annotations: s.map(s.string()).optional(),
});

/** A number of claims that are all alike. */
export const CNClaimSet = defineResource({
  group: GROUP,
  version: VERSION,
  kind: 'CNClaimSet',
  plural: 'cnclaimsets',
  scope: 'Namespaced',
  spec: s.object({
    replicas: s.int32(),
    template: s.object({ metadata: claimMetadata.optional(), spec: cnClaimSpec.optional() }),
    selector: s
      .k8s<LabelSelector>('io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector')
      .with({ 'x-kubernetes-map-type': 'atomic' })
      .optional()
      .describe('Which claims belong to the set.'),
  }),
  specOptional: true,
  status: s.object({
    replicas: s.int32(),
    readyReplicas: s.int32(),
    claims: s.list(cnClaimStatus).optional(),
    labelSelector: s.string().optional().describe('Selects the pods of the claims, for autoscalers.'),
    podSelector: s.string().optional().describe('Deprecated: use labelSelector.'),
  }),
  printColumns: [
    { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  subresources: { status: true, scale: replicaScale },
});
export type CNClaimSet = ResourceType<typeof CNClaimSet>;
