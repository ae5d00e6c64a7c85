import type { JobReports } from './report.ts';

/** How backups are taken and restored. */
export interface BackupOptions {
  /** Image of the backup program; default: the Helm chart's. */
  readonly image?: string;
  /** How a program is asked how it goes; default: by HTTP. */
  readonly reports?: JobReports;
}

/** The image that the Helm chart names. */
export const chartBackupImage = 'matrixorigin/mobr:1.0.0-rc1';
