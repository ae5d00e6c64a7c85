import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { GROUP, VERSION } from './constants.ts';
import { conditionalStatus, failoverStatus, imageColumns, podSet, s3, sharedStorage, volume } from './shared.ts';

const configFields = {
  logShards: s.int().optional().describe('Default 1.'),
  dnShards: s.int().optional().describe('Default 1.'),
  logShardReplicas: s.int().optional().describe('Default 3 with three or more stores, else 1.'),
  restoreFrom: s.string().optional().describe('Name of the Backup that the log service begins with.'),
};

/** CEL: each of the fields is what it was. One that was left open may be filled in: that is what defaulting does. */
function kept(fields: readonly string[]): string {
  return fields
    .map((name) => `(!has(oldSelf.${name}) || (has(self.${name}) && self.${name} == oldSelf.${name}))`)
    .join(' && ');
}

export const initialConfig = s.object(configFields).rule(kept(Object.keys(configFields)), 'initialConfig is immutable');

const s3Immutable = 'sharedStorage.s3 is immutable';

/** Where a log service has its data: it cannot be led elsewhere. */
export const logSharedStorage = sharedStorage
  .extend({
    s3: s3
      .rule(kept(Object.keys(s3.props)), s3Immutable)
      .optional()
      .describe('A path in a bucket.'),
  })
  .rule('has(self.s3) == has(oldSelf.s3)', { message: s3Immutable, fieldPath: '.s3' });

export const logSetSpec = s
  .object({
    ...podSet,
    volume: volume.describe('Where each store keeps its log.'),
    sharedStorage: logSharedStorage.describe(
      'Where the database has its data: one of s3 and fileSystem. It cannot be led elsewhere.',
    ),
    initialConfig: initialConfig.optional().describe('Used once, when the service is bootstrapped. Immutable.'),
    storeFailureTimeout: s
      .string()
      .optional()
      .describe('How long a store may be down before it is replaced. Default 10m.'),
    failedPodStrategy: s.string().optional().describe('"Delete" or "Orphan". Default Delete.'),
    pvcRetentionPolicy: s
      .string()
      .optional()
      .describe('"Delete" or "Retain". Default: s3RetentionPolicy, else Delete.'),
  })
  .rule('!has(oldSelf.initialConfig) || has(self.initialConfig)', {
    message: 'initialConfig is immutable',
    fieldPath: '.initialConfig',
  })
  .rule(
    `!has(self.initialConfig) || !has(self.initialConfig.logShardReplicas) || self.replicas == 0
      || self.initialConfig.logShardReplicas <= self.replicas`,
    {
      message: 'logShardReplicas must not larger then logservice replicas',
      fieldPath: '.initialConfig.logShardReplicas',
    },
  );

export const logSetStatus = s.object({
  ...conditionalStatus,
  ...failoverStatus,
  discovery: s
    .object({
      port: s.int32().optional().describe('Port of HAKeeper.'),
      address: s.string().optional().describe('Host of HAKeeper.'),
    })
    .optional()
    .describe('Where HAKeeper is found.'),
});

/** The log service: a group of stores with a quorum, and the cluster's HAKeeper. */
export const LogSet = defineResource({
  group: GROUP,
  version: VERSION,
  kind: 'LogSet',
  description: 'The log service: stores with a quorum, and HAKeeper of the database.',
  plural: 'logsets',
  scope: 'Namespaced',
  spec: logSetSpec,
  status: logSetStatus,
  printColumns: imageColumns,
  subresources: { status: true },
});
export type LogSet = ResourceType<typeof LogSet>;
