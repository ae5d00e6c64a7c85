import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { cnSetDeps, cnSetFields } from './cnset.ts';
import { GROUP, VERSION } from './constants.ts';

/** Compute nodes kept ready for claims. */
export const CNPool = defineResource({
  group: GROUP,
  version: VERSION,
  kind: 'CNPool',
  description: 'Compute nodes kept ready for claims.',
  plural: 'cnpools',
  scope: 'Namespaced',
  spec: s.object({
    template: s
      .object({ ...cnSetFields, replicas: s.int32().optional().describe('Ignored: the pool counts for itself.') })
      .describe('The CNSet that the pool makes.'),
    podLabels: s.map(s.string()).optional().describe('Labels of all pods of the pool.'),
    deps: cnSetDeps.describe('The database that the nodes belong to.'),
    strategy: s
      .object({
        updateStrategy: s
          .object({
            reclaimTimeout: s.string().optional().describe('For how long a pod that is given back is drained at most.'),
          })
          .describe('How pods are taken back.'),
        scaleStrategy: s
          .object({
            maxIdle: s.int32().describe('How many pods wait for claims at most.'),
            maxPods: s.int32().optional().describe('How many pods there are at most. Default: no limit.'),
          })
          .describe('How many pods there are.'),
      })
      .describe('How the pool keeps its pods.'),
  }),
  status: s.object({}),
  printColumns: [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }],
  subresources: { status: true },
});
export type CNPool = ResourceType<typeof CNPool>;
