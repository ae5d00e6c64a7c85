import type { LabelSelector } from '@coxswain/k8s';
import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { cnClaimSpec, cnClaimStatus } from './cnclaim.ts';
import { GROUP, VERSION } from './constants.ts';
import { replicaScale } from './shared.ts';

const claimMetadata = s.object({
  name: s.string().optional().describe('Ignored: each claim has a name of its own.'),
  labels: s.map(s.string()).optional().describe('Labels of the claims.'),
  annotations: s.map(s.string()).optional().describe('Annotations of the claims.'),
});

/** A number of claims that are all alike. */
export const CNClaimSet = defineResource({
  group: GROUP,
  version: VERSION,
  kind: 'CNClaimSet',
  description: 'A number of claims that are all alike.',
  plural: 'cnclaimsets',
  scope: 'Namespaced',
  spec: s.object({
    replicas: s.int32().describe('How many claims there are to be.'),
    template: s
      .object({
        metadata: claimMetadata.optional().describe('Labels and annotations of the claims.'),
        spec: cnClaimSpec.optional().describe('Spec of the claims.'),
      })
      .describe('What the claims are like.'),
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
