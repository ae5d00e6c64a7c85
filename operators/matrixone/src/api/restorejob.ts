import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { GROUP, VERSION } from './constants.ts';
import { jobOverlay } from './overlay-schema.ts';
import { conditionalStatus, jobUID, sharedStorage } from './shared.ts';

/** Brings a backup into the storage of a cluster that is to be. */
export const RestoreJob = defineResource({
  group: GROUP,
  version: VERSION,
  kind: 'RestoreJob',
  description: 'Brings a backup into the storage of a database that is to be.',
  plural: 'restorejobs',
  scope: 'Namespaced',
  spec: s.object({
    ttl: s.string().optional().describe('How long the job is kept after its end. Default 1h.'),
    backupName: s.string().optional().describe('Name of the Backup to restore.'),
    externalSource: sharedStorage.optional().describe('A backup that no Backup tells of.'),
    target: sharedStorage.describe('Where the data goes.'),
  }),
  status: s.object({
    ...conditionalStatus,
    phase: s.string().describe('"Pending", "Running", "Completed" or "Failed".'),
    jobUID,
  }),
  root: { overlay: jobOverlay.optional().describe('Fields laid over the generated pod template.') },
  printColumns: [
    { name: 'phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  subresources: { status: true },
});
export type RestoreJob = ResourceType<typeof RestoreJob>;
