import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { GROUP, VERSION } from './constants.ts';
import { sharedStorage } from './shared.ts';

/** A backup that lies somewhere: a record, not a wish. So it has `meta` instead of `spec`, and no status. */
export const Backup = defineResource({
  group: GROUP,
  version: VERSION,
  kind: 'Backup',
  description: 'A backup that lies somewhere.',
  plural: 'backups',
  scope: 'Cluster',
  root: {
    meta: s.object({
      location: sharedStorage.describe('Where the data of the backup is.'),
      id: s.string().describe('Name of the backup for the backup program.'),
      size: s.quantity().optional().describe('How large the data is.'),
      atTime: s.dateTime().describe('The moment the backup shows.'),
      completeTime: s.dateTime().describe('When the backup was done.'),
      sourceRef: s.string().describe('What it was taken of.'),
      raw: s.string().describe('The record as the backup program wrote it.'),
    }),
  },
  printColumns: [
    { name: 'ID', type: 'string', jsonPath: '.meta.id' },
    { name: 'At', type: 'string', format: 'date-time', jsonPath: '.meta.atTime' },
    { name: 'Source', type: 'string', jsonPath: '.meta.sourceRef' },
  ],
});
export type Backup = ResourceType<typeof Backup>;
