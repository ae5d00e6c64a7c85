import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { GROUP, VERSION } from './constants.ts';
import { jobOverlay } from './overlay-schema.ts';
import { conditionalStatus, jobUID, sharedStorage } from './shared.ts';

/** Takes one backup of a running cluster, and goes when its time is over. */
export const BackupJob = defineResource({
  group: GROUP,
  version: VERSION,
  kind: 'BackupJob',
  description: 'Takes one backup of a running database, and goes when its time is over.',
  plural: 'backupjobs',
  scope: 'Namespaced',
  spec: s.object({
    ttl: s.string().optional().describe('How long the job is kept after its end. Default 1h.'),
    source: s
      .object({
        clusterRef: s.string().optional().describe('Name of the MatrixOneCluster to back up.'),
        cnSetRef: s.string().optional().describe('Name of the CNSet to back up through.'),
        secretRef: s.string().optional().describe('Name of the Secret with username and password.'),
      })
      .describe('What to back up: a cluster or a CNSet.'),
    target: sharedStorage.describe('Where the backup goes.'),
    overlay: jobOverlay.optional().describe('Fields laid over the generated pod template.'),
  }),
  status: s.object({
    ...conditionalStatus,
    phase: s.string().optional().describe('"Pending", "Running", "Completed" or "Failed".'),
    backup: s.string().optional().describe('Name of the Backup that came of it.'),
    jobUID,
  }),
  printColumns: [
    { name: 'phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Backup', type: 'string', jsonPath: '.status.backup' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  subresources: { status: true },
});
export type BackupJob = ResourceType<typeof BackupJob>;
