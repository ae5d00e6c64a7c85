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

export const cnLabel = s.object({
  key: s.string().optional().describe('Key of the label.'),
  values: s.list(s.string()).optional().describe('Its values.'),
});

/** Every field of a CNSet's spec; also the fields of a CN group and of a pool's template. */
export const cnSetFields = {
  ...podSet,
  ...serviceFields,
  cacheVolume: volume.optional().describe('Where each node has its caches; without it in the container.'),
  sharedStorageCache: sharedStorageCache.optional().describe('Caches of the shared storage.'),
  pythonUdfSidecar: pythonUdfSidecar.optional().describe('A container that runs functions written in Python.'),
  role: s.string().optional().describe('Deprecated: use cnLabels. "TP" or "AP".'),
  cnLabels: s.list(cnLabel).optional().describe('Labels by which proxies choose the nodes for a session.'),
  scalingConfig: s
    .object({
      storeDrainEnabled: s
        .boolean()
        .optional()
        .describe('Nodes that go or are updated hand over their sessions first. Default false.'),
      storeDrainTimeout: s.string().optional().describe('For how long a node is waited for at most. Default 5m.'),
      minDelaySeconds: s
        .int32()
        .optional()
        .describe('For how long at least, for sessions that are on their way. Default 15.'),
    })
    .optional()
    .describe('How nodes leave.'),
  updateStrategy: updateStrategy.optional().describe('How many nodes more or less there may be during an update.'),
  terminationPolicy: s.string().optional().describe('"Delete" or "Drain". Default Delete.'),
  podManagementPolicy: s.string().optional().describe('"Pooling" for the sets of a pool.'),
  podsToDelete: s.list(s.string()).optional().describe('Pods that go first when there are to be fewer.'),
  pauseUpdate: s.boolean().optional().describe('Holds updates of its pods back. Default false.'),
  reusePVC: s.boolean().optional().describe('A new pod takes the cache volume of one that is gone. Default false.'),
};

/** What compute nodes need: a log service and transaction nodes. */
export const cnSetDeps = s.object({
  ...logSetRef,
  dnSet: s.anyObject<ObjectDependency>().optional().describe('The DNSet, by metadata.name and metadata.namespace.'),
});

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
  description: 'A group of compute nodes that serve SQL.',
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
