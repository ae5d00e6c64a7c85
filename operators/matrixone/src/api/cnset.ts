import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { GROUP, VERSION } from './constants.ts';
import {
  conditionalStatus,
  imageColumns,
  logSetRef,
  needsLogService,
  type ObjectDependency,
  podSet,
  pythonUdfSidecar,
  replicaScale,
  serviceFields,
  sharedStorageCache,
  updateStrategy,
  volume,
} from './shared.ts';

export const cnLabel = s.object({ key: s.string().optional(), values: s.list(s.string()).optional() });

/** Every field of a CNSet's spec; also the fields of a CN group and of a pool's template. */
export const cnSetFields = {
  ...podSet,
  ...serviceFields,
  cacheVolume: volume.optional(),
  sharedStorageCache: sharedStorageCache.optional(),
  pythonUdfSidecar: pythonUdfSidecar.optional(),
  role: s.string().optional().describe('Deprecated: use cnLabels. "TP" or "AP".'),
  cnLabels: s.list(cnLabel).optional(),
  scalingConfig: s
    .object({
      storeDrainEnabled: s.boolean().optional(),
      storeDrainTimeout: s.string().optional().describe('Default 5m.'),
      minDelaySeconds: s.int32().optional().describe('Default 15.'),
    })
    .optional(),
  updateStrategy: updateStrategy.optional(),
  terminationPolicy: s.string().optional().describe('"Delete" or "Drain". Default Delete.'),
  podManagementPolicy: s.string().optional().describe('"Pooling" for the sets of a pool.'),
  podsToDelete: s.list(s.string()).optional(),
  pauseUpdate: s.boolean().optional(),
  reusePVC: s.boolean().optional(),
};

/** What compute nodes need: a log service and transaction nodes. */
export const cnSetDeps = s.object({ ...logSetRef, dnSet: s.anyObject<ObjectDependency>().optional() });

/** A node port is one of a service that has any. */
export const nodePortNeedsType = {
  rule: '!has(self.nodePort) || self.nodePort == 0 || self.serviceType != "ClusterIP"',
  message: 'cannot set node port when serviceType is ClusterIP',
  fieldPath: '.nodePort',
} as const;

export const cnSetSpec = s.object(cnSetFields).rule(nodePortNeedsType.rule, nodePortNeedsType);

export const cnSetStatus = s.object({
  ...conditionalStatus,
  stores: s
    .list(s.object({ uuid: s.string().optional(), podName: s.string().optional(), state: s.string().optional() }))
    .optional(),
  replicas: s.int32().optional(),
  readyReplicas: s.int32().optional(),
  labelSelector: s.string().optional(),
  host: s.string().optional(),
  port: s.int().optional(),
});

/** A group of compute nodes that serve SQL. */
export const CNSet = defineResource({
  group: GROUP,
  version: VERSION,
  kind: 'CNSet',
  plural: 'cnsets',
  scope: 'Namespaced',
  spec: cnSetSpec,
  status: cnSetStatus,
  root: { deps: cnSetDeps.optional() },
  rules: [needsLogService],
  printColumns: imageColumns,
  subresources: { status: true, scale: replicaScale },
});
export type CNSet = ResourceType<typeof CNSet>;
