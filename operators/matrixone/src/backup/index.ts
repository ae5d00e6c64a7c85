/**
 * Backups and restores: a BackupJob runs the backup program once and leaves a Backup, a RestoreJob brings one back. Their Jobs, what is
 * asked of these, and the order of writes that keeps either from ever running twice. Knows nothing of sets, nor of what is in a backup.
 */
export { type BackupOptions, chartBackupImage } from './options.ts';
export { decodeReport, httpReports, type JobReport, type JobReports } from './report.ts';
export { setupBackups } from './setup.ts';
