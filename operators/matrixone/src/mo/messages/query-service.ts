import type { Protocol } from '../../morpc/index.ts';
import {
  bool,
  bytes,
  type Decoded,
  type Encodable,
  int32,
  int64,
  message,
  optional,
  plain,
  repeated,
  string,
  uint32,
  uint64,
} from '../../morpc/protobuf/index.ts';

/** Commands of the query service, with their numbers; each has the field of the same name in request and answer. */
export const queryCommands = {
  showProcessList: 1,
  killConn: 3,
  getTxnInfo: 6,
  getCacheInfo: 7,
  getProtocolVersion: 10,
  getPipelineInfo: 19,
  migrateConnFrom: 20,
  migrateConnTo: 21,
  getReplicaCount: 24,
  resetSession: 25,
} as const;
export type QueryCommand = keyof typeof queryCommands;

const Empty = message({});
const Count = message({ count: plain(1, int64) });
const Success = message({ success: plain(1, bool) });
const Time = message({ seconds: plain(1, int64), nanos: plain(2, int32) });
const UserLevelLock = message({ name: plain(1, string), count: plain(2, uint64) });
const Transaction = message({ created: optional(1, Time), isUsers: plain(3, bool) });
const Cache = message({
  nodeType: plain(1, string),
  nodeId: plain(2, string),
  cacheType: plain(3, string),
  used: plain(4, uint64),
  free: plain(5, uint64),
});
const PreparedStatement = message({ name: plain(1, string), sql: plain(2, string), paramTypes: plain(3, bytes) });

/** A session at a compute node. `info` is the statement it runs, with whatever is in it: not for logs. */
export const Session = message({
  nodeId: plain(1, string),
  connId: plain(2, uint32),
  sessionId: plain(3, string),
  account: plain(4, string),
  user: plain(5, string),
  host: plain(6, string),
  db: plain(7, string),
  sessionStart: optional(8, Time),
  command: plain(9, string),
  info: plain(10, string),
  txnId: plain(11, string),
  statementId: plain(12, string),
  statementType: plain(13, string),
  queryType: plain(14, string),
  sqlSourceType: plain(15, string),
  queryStart: optional(16, Time),
  clientHost: plain(17, string),
  role: plain(18, string),
  /** Came through a proxy, which can move it to another node. */
  fromProxy: plain(19, bool),
  proxyHost: plain(20, string),
});
export type Session = Decoded<typeof Session>;

const QueryRequest = message({
  requestId: plain(1, uint64),
  method: plain(2, int32),
  showProcessList: optional(4, message({ tenant: plain(1, string), sysTenant: plain(2, bool) })),
  killConn: optional(6, message({ accountId: plain(1, int64), version: plain(2, uint64) })),
  getTxnInfo: optional(9, Empty),
  getCacheInfo: optional(10, Empty),
  getProtocolVersion: optional(13, Empty),
  getPipelineInfo: optional(22, Empty),
  migrateConnFrom: optional(23, message({ connId: plain(1, uint32), action: plain(2, int32) })),
  migrateConnTo: optional(
    24,
    message({
      connId: plain(1, uint32),
      db: plain(2, string),
      setVarStmts: repeated(3, string),
      prepareStmts: repeated(4, PreparedStatement),
      lastAffectedRows: plain(5, int64),
      userLevelLocks: repeated(6, UserLevelLock),
    }),
  ),
  getReplicaCount: optional(27, message({ cn: plain(1, string) })),
  resetSession: optional(28, message({ connId: plain(1, uint32) })),
});

const QueryResponse = message({
  requestId: plain(1, uint64),
  method: plain(2, int32),
  /** An encoded `ErrorMessage`; empty: fine. */
  error: plain(3, bytes),
  showProcessList: optional(4, message({ sessions: repeated(1, Session) })),
  killConn: optional(6, Success),
  getTxnInfo: optional(9, message({ cnId: plain(1, string), transactions: repeated(2, Transaction) })),
  getCacheInfo: optional(10, message({ caches: repeated(1, Cache) })),
  getProtocolVersion: optional(13, message({ version: plain(1, int64) })),
  getPipelineInfo: optional(22, Count),
  migrateConnFrom: optional(
    23,
    message({
      db: plain(1, string),
      prepareStmts: repeated(2, PreparedStatement),
      lastAffectedRows: plain(3, int64),
      userLevelLocks: repeated(4, UserLevelLock),
    }),
  ),
  migrateConnTo: optional(24, Success),
  getReplicaCount: optional(27, Count),
  resetSession: optional(28, message({ success: plain(1, bool), authString: plain(2, bytes) })),
});
export type QueryRequest = Encodable<typeof QueryRequest>;
export type QueryResponse = Decoded<typeof QueryResponse>;

const commandOf = new Map(Object.entries(queryCommands).map(([name, method]) => [method, name as QueryCommand]));

/** Handlers look into the part of their command without asking whether it is there; not all of them survive that. */
function wrong(request: QueryRequest): string | undefined {
  const command = commandOf.get(request.method as (typeof queryCommands)[QueryCommand]);
  return command && request[command] === undefined ? `command ${request.method} without ${command}` : undefined;
}

/** What a compute node is doing, at each CN. */
export const queryService: Protocol<
  Decoded<typeof QueryRequest>,
  QueryRequest,
  QueryResponse,
  Encodable<typeof QueryResponse>
> = { name: 'query service', request: QueryRequest, response: QueryResponse, payload: false, wrong };
