import type { PodTemplateSpec } from '@coxswain/k8s';
import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { GROUP, VERSION } from './constants.ts';
import { conditionalStatus, s3 } from './shared.ts';

/** Exclusive ownership of one S3 path. Its status is written with plain updates: there is no status subresource. */
export const BucketClaim = defineResource({
  group: GROUP,
  version: VERSION,
  kind: 'BucketClaim',
  description: 'Exclusive ownership of one S3 path.',
  plural: 'bucketclaims',
  shortNames: ['bucket'],
  scope: 'Namespaced',
  spec: s.object({
    s3: s3.describe('The path that is claimed.'),
    logSetSpec: s.any<PodTemplateSpec>().describe('The pod template of the log service, for the cleaning job.'),
  }),
  status: s.object({
    ...conditionalStatus,
    bindTo: s.string().describe('"namespace/name" of the LogSet, or empty.'),
    state: s.enum('InUse', 'Released', 'Deleting').optional(),
  }),
  printColumns: [
    { name: 'Status', type: 'string', jsonPath: '.status.state' },
    { name: 'Bind', type: 'string', jsonPath: '.status.bindTo' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});
export type BucketClaim = ResourceType<typeof BucketClaim>;
