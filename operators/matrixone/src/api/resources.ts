import { Backup } from './backup.ts';
import { BackupJob } from './backupjob.ts';
import { BucketClaim } from './bucketclaim.ts';
import { CNClaim } from './cnclaim.ts';
import { CNClaimSet } from './cnclaimset.ts';
import { CNPool } from './cnpool.ts';
import { CNSet } from './cnset.ts';
import { DNSet } from './dnset.ts';
import { LogSet } from './logset.ts';
import { MatrixOneCluster } from './matrixonecluster.ts';
import { ProxySet } from './proxyset.ts';
import { RestoreJob } from './restorejob.ts';
import { WebUI } from './webui.ts';

/** All kinds of the group: manifests of every one of them are taken. */
export const resources = [
  MatrixOneCluster,
  LogSet,
  DNSet,
  CNSet,
  ProxySet,
  WebUI,
  BucketClaim,
  BackupJob,
  Backup,
  RestoreJob,
  CNPool,
  CNClaim,
  CNClaimSet,
] as const;
