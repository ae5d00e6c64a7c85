import type { Random } from '@coxswain/runtime/core';
import type { BackupOptions } from './backup/index.ts';
import type { BucketOptions } from './buckets/index.ts';
import type { CnStoreService } from './cnstore/index.ts';
import type { DefaultServiceArgs } from './defaults/index.ts';
import type { SqlService } from './sql/index.ts';

/** Options of the MatrixOne operator. */
export interface MatrixOneOptions {
  /** Arguments of services whose set names none; default: those of the Helm chart. */
  readonly serviceArgs?: DefaultServiceArgs;
  /** Whether failed log stores are replaced; default true. */
  readonly failover?: boolean;
  /** How compute nodes are put into and taken out of service; default: by Kubernetes alone. */
  readonly cnStores?: CnStoreService;
  /** Whether proxies are acted on; default true. Without, a cluster that has proxies does not become ready. */
  readonly proxies?: boolean;
  /** Whether pools of compute nodes and claims to them are acted on; default true. */
  readonly pools?: boolean;
  /** Backups and restores; default: they are on. `false`: nothing acts on them, and no cluster starts from a backup. */
  readonly backup?: BackupOptions | false;
  /** Who owns which S3 path. Default: paths have no owners, and data stays when its cluster goes. */
  readonly buckets?: BucketOptions;
  /** Runs SQL, for the users that metrics are read with. Default: none are made, and clusters that ask for one say so. */
  readonly sql?: SqlService;
  /** Names of what is made in numbers; default: the machine's. */
  readonly random?: Random;
}
