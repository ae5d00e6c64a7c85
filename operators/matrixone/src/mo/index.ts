/**
 * MatrixOne's own services, as the operator and stand-ins use them: HAKeeper, the lock service of transaction nodes, the query service
 * of compute nodes. Knows their messages and their errors; nothing of Kubernetes, nor what to do with what it learns.
 */
export { type CnLoad, cnLoad, queryCn, usersSessions } from './cn-query.ts';
export { errorCode, isPassing, isUnknownStore, MatrixOneError, NoHaKeeperError } from './errors.ts';
export { type CnLabels, HaKeeper, type HaKeeperOptions } from './hakeeper.ts';
export { heartbeatAge } from './heartbeat.ts';
export { type LogReplicas, logReplicas } from './log-replicas.ts';
export { lockMethods, lockService } from './messages/lock-service.ts';
export { type LogServiceRequest, type LogServiceResponse, logMethods, logService } from './messages/log-service.ts';
export {
  type QueryCommand,
  type QueryRequest,
  type QueryResponse,
  queryCommands,
  queryService,
  type Session,
} from './messages/query-service.ts';
export {
  type CheckerState,
  type ClusterDetails,
  type CnStore,
  ErrorMessage,
  haKeeperState,
  type LogShard,
  type LogStore,
  nodeState,
  type ShardInfo,
  type TnStore,
  type WorkState,
  workState,
} from './messages/stores.ts';
export { haKeeperShard, shardLeaders } from './shard-leaders.ts';
export { type TnLocks, tnLocks } from './tn-locks.ts';
