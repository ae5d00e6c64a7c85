import type { Backup } from './backup.ts';
import type { BackupJob } from './backupjob.ts';
import type { BucketClaim } from './bucketclaim.ts';
import type { CNClaim } from './cnclaim.ts';
import type { CNClaimSet } from './cnclaimset.ts';
import type { CNPool } from './cnpool.ts';
import type { CNSet } from './cnset.ts';
import type { DNSet } from './dnset.ts';
import type { LogSet } from './logset.ts';
import type { MatrixOneCluster } from './matrixonecluster.ts';
import type { ProxySet } from './proxyset.ts';
import type { RestoreJob } from './restorejob.ts';
import type { WebUI } from './webui.ts';

export type LogSetSpec = LogSet['spec'];
export type DNSetSpec = DNSet['spec'];
export type CNSetSpec = CNSet['spec'];
export type ProxySetSpec = ProxySet['spec'];
export type MatrixOneClusterSpec = MatrixOneCluster['spec'];
export type CNGroup = NonNullable<MatrixOneClusterSpec['cnGroups']>[number];
export type SharedStorage = LogSetSpec['sharedStorage'];
export type S3Storage = NonNullable<SharedStorage['s3']>;
export type StorageCache = NonNullable<DNSetSpec['sharedStorageCache']>;
export type DataVolume = LogSetSpec['volume'];
export type WebUISpec = NonNullable<WebUI['spec']>;
export type BucketClaimSpec = BucketClaim['spec'];
export type BackupJobSpec = BackupJob['spec'];
export type BackupMeta = Backup['meta'];
export type RestoreJobSpec = RestoreJob['spec'];
/** The overlay of backup and restore jobs. */
export type JobOverlay = NonNullable<BackupJobSpec['overlay']>;
export type CNPoolSpec = CNPool['spec'];
export type CNClaimSpec = NonNullable<CNClaim['spec']>;
export type CNClaimStatus = NonNullable<CNClaim['status']>;
export type CNClaimSetSpec = NonNullable<CNClaimSet['spec']>;
export type CNClaimSetStatus = NonNullable<CNClaimSet['status']>;
export type CNLabel = NonNullable<CNSetSpec['cnLabels']>[number];

/** The part that all sets of pods share. */
export type PodSetSpec = Pick<
  LogSetSpec,
  | 'replicas'
  | 'image'
  | 'resources'
  | 'overlay'
  | 'topologySpread'
  | 'nodeSelector'
  | 'config'
  | 'dnsBasedIdentity'
  | 'clusterDomain'
  | 'serviceArgs'
  | 'memoryLimitPercent'
  | 'exportToPrometheus'
  | 'promDiscoveryScheme'
  | 'semanticVersion'
  | 'operatorVersion'
  | 'memoryFsSize'
>;

/** One of the kinds that own pods. */
export type SetKind = 'LogSet' | 'DNSet' | 'CNSet' | 'ProxySet' | 'WebUI';

/** One of the kinds that own a Job. */
export type JobKind = 'BackupJob' | 'RestoreJob';
