import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { GROUP, VERSION } from './constants.ts';
import { conditionalStatus, failoverStatus, imageColumns, podSet, sharedStorage, volume } from './shared.ts';

export const initialConfig = s.object({
  logShards: s.int().optional().describe('Default 1.'),
  dnShards: s.int().optional().describe('Default 1.'),
  logShardReplicas: s.int().optional().describe('Default 3 with three or more stores, else 1.'),
  restoreFrom: s.string().optional(),
});

export const logSetSpec = s.object({
  ...podSet,
  volume,
  sharedStorage,
  initialConfig: initialConfig.optional().describe('Used once, when the service is bootstrapped. Immutable.'),
  storeFailureTimeout: s
    .string()
    .optional()
    .describe('How long a store may be down before it is replaced. Default 10m.'),
  failedPodStrategy: s.string().optional().describe('"Delete" or "Orphan". Default Delete.'),
  pvcRetentionPolicy: s.string().optional().describe('"Delete" or "Retain". Default: s3RetentionPolicy, else Delete.'),
});

export const logSetStatus = s.object({
  ...conditionalStatus,
  ...failoverStatus,
  discovery: s.object({ port: s.int32().optional(), address: s.string().optional() }).optional(),
});

/** The log service: a group of stores with a quorum, and the cluster's HAKeeper. */
export const LogSet = defineResource({
  group: GROUP,
  version: VERSION,
  kind: 'LogSet',
  plural: 'logsets',
  scope: 'Namespaced',
  spec: logSetSpec,
  status: logSetStatus,
  printColumns: imageColumns,
  subresources: { status: true },
});
export type LogSet = ResourceType<typeof LogSet>;
