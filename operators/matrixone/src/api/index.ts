/**
 * The kinds of group `core.matrixorigin.io`: their schemas, their types, and the names live objects hold on to.
 * Knows nothing of controllers, pods or TOML.
 */
export { Backup } from './backup.ts';
export { BackupJob } from './backupjob.ts';
export * from './bucket-marks.ts';
export { BucketClaim } from './bucketclaim.ts';
export * from './cn-marks.ts';
export { CNClaim } from './cnclaim.ts';
export { CNClaimSet } from './cnclaimset.ts';
export { CNPool } from './cnpool.ts';
export { CNSet } from './cnset.ts';
export { confirmedPods } from './confirmed-pods.ts';
export * from './constants.ts';
export { DNSet } from './dnset.ts';
export { isLeftAlone } from './left-alone.ts';
export * from './log-marks.ts';
export { LogSet } from './logset.ts';
export { MatrixOneCluster } from './matrixonecluster.ts';
export {
  cnSetNames,
  credentialName,
  dnSetNames,
  logSetNames,
  proxySetNames,
  restoreJobName,
  setLabels,
  webUINames,
} from './names.ts';
export type { MainContainerOverlay, Overlay } from './overlay.ts';
export * from './pool-marks.ts';
export { ProxySet } from './proxyset.ts';
export { resources } from './resources.ts';
export { RestoreJob } from './restorejob.ts';
export type { ObjectDependency } from './shared.ts';
export type * from './specs.ts';
export { WebUI } from './webui.ts';
