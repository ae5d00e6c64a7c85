import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { GROUP, VERSION } from './constants.ts';
import {
  conditionalStatus,
  failoverStatus,
  imageColumns,
  logSetRef,
  needsLogService,
  podSet,
  sharedStorageCache,
  volume,
} from './shared.ts';

export const dnSetSpec = s.object({
  ...podSet,
  cacheVolume: volume.optional().describe('Without it the data sits on the container file system.'),
  sharedStorageCache: sharedStorageCache.optional().describe('Caches of the shared storage.'),
});

export const dnSetStatus = s.object({ ...conditionalStatus, ...failoverStatus });

/** The transaction nodes. */
export const DNSet = defineResource({
  group: GROUP,
  version: VERSION,
  kind: 'DNSet',
  description: 'The transaction nodes.',
  plural: 'dnsets',
  scope: 'Namespaced',
  spec: dnSetSpec,
  status: dnSetStatus,
  root: { deps: s.object(logSetRef).optional() },
  rules: [needsLogService],
  printColumns: imageColumns,
  subresources: { status: true },
});
export type DNSet = ResourceType<typeof DNSet>;
