/**
 * The MatrixOne operator: a MatrixOneCluster becomes a log service, transaction nodes, groups of compute nodes and
 * proxies, and stays so. Rooms, from the inside out: api (kinds) · toml, identity, version (pure helpers) · config,
 * scripts, pods (what a role consists of) · defaults, validation (what a spec means) · plan, children (all objects as
 * values) · cnstore, controllers (what happens when). Nothing here knows whether the cluster is embedded or real.
 */
export { type AdmissionOptions, matrixoneWebhooks } from './admission/index.ts';
export {
  Backup,
  BackupJob,
  BucketClaim,
  CNClaim,
  CNClaimSet,
  CNPool,
  CNSet,
  DNSet,
  LogSet,
  MatrixOneCluster,
  ProxySet,
  RestoreJob,
  WebUI,
} from './api/index.ts';
export {
  type CnStore,
  type CnStoreService,
  type HaKeeperCnStores,
  type HaKeeperCnStoresOptions,
  hakeeperCnStores,
  type StoreLoad,
  unmanagedCnStores,
} from './cnstore/index.ts';
export { chartServiceArgs, type DefaultServiceArgs } from './defaults/index.ts';
export { logStoreUuid } from './identity/index.ts';
export { matrixoneOperator } from './operator.ts';
export type { MatrixOneOptions } from './options.ts';
