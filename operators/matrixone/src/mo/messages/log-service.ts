import type { Protocol } from '../../morpc/index.ts';
import {
  bool,
  type Decoded,
  type Encodable,
  int32,
  map,
  message,
  optional,
  plain,
  string,
  uint32,
  uint64,
} from '../../morpc/protobuf/index.ts';
import { CheckerState, ClusterDetails, LabelList, ShardInfo } from './stores.ts';

/**
 * Methods of the log service that do not touch the log, and that every release since 1.0 has: a log store panics when it is sent one it does
 * not know, so later ones (`CHECK_HEALTH`, 26) are not for a client that does not know whom it talks to.
 */
export const logMethods = {
  CHECK_HAKEEPER: 10,
  GET_CLUSTER_DETAILS: 11,
  GET_SHARD_INFO: 12,
  GET_CLUSTER_STATE: 14,
  UPDATE_CN_LABEL: 15,
  UPDATE_CN_WORK_STATE: 16,
  PATCH_CN_STORE: 17,
  DELETE_CN_STORE: 18,
} as const;
export type LogMethod = keyof typeof logMethods;

const LogRequest = message({
  name: plain(1, string),
  shardId: plain(2, uint64),
  lsn: plain(3, uint64),
  maxSize: plain(4, uint64),
  tnShardId: plain(5, uint64),
  tnId: plain(6, uint64),
  includeExpiredReplicaAddresses: plain(8, bool),
  excludeHardDownReplicaAddresses: plain(9, bool),
});

const LogServiceRequest = message({
  requestId: plain(1, uint64),
  method: plain(2, int32),
  logRequest: optional(3, LogRequest),
  /** Replaces all labels of a node. */
  cnStoreLabel: optional(9, message({ uuid: plain(1, string), labels: map(3, string, LabelList) })),
  cnWorkState: optional(10, message({ uuid: plain(1, string), state: plain(2, int32) })),
  /** Sets the state; replaces all labels when there are some, and else leaves them. */
  cnStateLabel: optional(
    11,
    message({ uuid: plain(1, string), state: plain(2, int32), labels: map(3, string, LabelList) }),
  ),
  deleteCnStore: optional(12, message({ storeId: plain(1, string) })),
});
export type LogServiceRequest = Encodable<typeof LogServiceRequest>;

const LogServiceResponse = message({
  requestId: plain(1, uint64),
  method: plain(2, int32),
  /** 0: fine. */
  errorCode: plain(3, uint32),
  errorMessage: plain(4, string),
  isHaKeeper: plain(5, bool),
  /** Of appends and reads, which are not made here; servers always send one, if empty. */
  logResponse: optional(6, message({})),
  clusterDetails: optional(9, ClusterDetails),
  shardInfo: optional(10, ShardInfo),
  checkerState: optional(12, CheckerState),
});
export type LogServiceResponse = Decoded<typeof LogServiceResponse>;

/** The part without which a log store panics on a method. */
const parts = new Map<number, keyof LogServiceRequest>([
  [logMethods.UPDATE_CN_LABEL, 'cnStoreLabel'],
  [logMethods.UPDATE_CN_WORK_STATE, 'cnWorkState'],
  [logMethods.PATCH_CN_STORE, 'cnStateLabel'],
  [logMethods.DELETE_CN_STORE, 'deleteCnStore'],
]);
const known: readonly number[] = Object.values(logMethods);

function wrong(request: LogServiceRequest): string | undefined {
  const { method = 0 } = request;
  if (!known.includes(method)) return `method ${method}, which not every release knows`;
  const part = parts.get(method);
  return part && request[part] === undefined ? `method ${method} without ${part}` : undefined;
}

/** HAKeeper and the log, port 32001. */
export const logService: Protocol<
  Decoded<typeof LogServiceRequest>,
  LogServiceRequest,
  LogServiceResponse,
  Encodable<typeof LogServiceResponse>
> = { name: 'log service', request: LogServiceRequest, response: LogServiceResponse, payload: true, wrong };
