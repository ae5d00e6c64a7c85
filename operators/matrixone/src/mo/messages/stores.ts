import {
  bool,
  type Decoded,
  double,
  int32,
  int64,
  map,
  message,
  optional,
  plain,
  repeated,
  string,
  uint32,
  uint64,
} from '../../morpc/protobuf/index.ts';

/*
 * Stores as HAKeeper tells of them. The numbers of fields are the real ones (`spec/matrixone-real.md` §6.3); fields that nobody needs, as the
 * configuration of each store, are left out and passed over.
 */

/** Whether a node takes sessions. Draining: none that are new, and those it has are moved away. */
export const workState = { unknown: 0, working: 1, draining: 2, drained: 3 } as const;
export type WorkState = (typeof workState)[keyof typeof workState];

/** Whether heartbeats of a store arrive. */
export const nodeState = { normal: 0, timeout: 1 } as const;

export const LabelList = message({ labels: repeated(1, string) });

const Resource = message({
  cpuTotal: plain(1, uint64),
  cpuAvailable: plain(2, double),
  memTotal: plain(3, uint64),
  memAvailable: plain(4, uint64),
});

/** A compute node in {@link ClusterDetails}. */
export const CnStore = message({
  uuid: plain(1, string),
  serviceAddress: plain(2, string),
  sqlAddress: plain(3, string),
  lockServiceAddress: plain(4, string),
  /** 0 TP, 1 AP. */
  role: plain(6, int32),
  /** Of the last heartbeat; see `heartbeatAge`. */
  tick: plain(7, uint64),
  state: plain(8, int32),
  labels: map(9, string, LabelList),
  workState: plain(10, int32),
  queryAddress: plain(11, string),
  resource: optional(13, Resource),
  /** Start, in nanoseconds since the epoch. */
  upTime: plain(14, int64),
  shardServiceAddress: plain(15, string),
  commitId: plain(16, string),
});
export type CnStore = Decoded<typeof CnStore>;

const TnShard = message({ shardId: plain(1, uint64), replicaId: plain(2, uint64) });

/** A transaction node in {@link ClusterDetails}. */
export const TnStore = message({
  uuid: plain(1, string),
  serviceAddress: plain(2, string),
  tick: plain(3, uint64),
  state: plain(4, int32),
  shards: repeated(5, TnShard),
  logtailServerAddress: plain(6, string),
  lockServiceAddress: plain(7, string),
  queryAddress: plain(10, string),
  shardServiceAddress: plain(11, string),
});
export type TnStore = Decoded<typeof TnStore>;

/** A shard of the log; shard 0 is HAKeeper's own. */
export const LogShard = message({
  shardId: plain(1, uint64),
  /** UUID of the store by replica. */
  replicas: map(2, uint64, string),
  epoch: plain(3, uint64),
  /** 0: none is known. */
  leaderId: plain(4, uint64),
  term: plain(5, uint64),
  nonVotingReplicas: map(6, uint64, string),
});
export type LogShard = Decoded<typeof LogShard>;

const LogReplica = message({
  shard: optional(1, LogShard),
  replicaId: plain(2, uint64),
  isNonVoting: plain(3, bool),
});

/** A log store in {@link ClusterDetails}. */
export const LogStore = message({
  uuid: plain(1, string),
  serviceAddress: plain(2, string),
  tick: plain(3, uint64),
  state: plain(4, int32),
  replicas: repeated(5, LogReplica),
});
export type LogStore = Decoded<typeof LogStore>;

export const ProxyStore = message({ uuid: plain(1, string), tick: plain(2, uint64), listenAddress: plain(3, string) });

export const DeletedStore = message({
  uuid: plain(1, string),
  storeType: plain(2, string),
  address: plain(3, string),
  upTime: plain(4, int64),
  downTime: plain(5, int64),
});

export const ClusterDetails = message({
  tnStores: repeated(1, TnStore),
  cnStores: repeated(2, CnStore),
  logStores: repeated(3, LogStore),
  proxyStores: repeated(4, ProxyStore),
  /** Stores that were removed within 7 days. */
  deletedStores: repeated(5, DeletedStore),
});
/** All stores of a cluster, as they reported themselves. */
export type ClusterDetails = Decoded<typeof ClusterDetails>;

const CnStoreInfo = message({
  tick: plain(1, uint64),
  serviceAddress: plain(2, string),
  sqlAddress: plain(3, string),
  lockServiceAddress: plain(4, string),
  role: plain(6, int32),
  taskServiceCreated: plain(7, bool),
  labels: map(8, string, LabelList),
  workState: plain(9, int32),
  queryAddress: plain(10, string),
  gossipAddress: plain(11, string),
  gossipJoined: plain(12, bool),
  resource: optional(14, Resource),
  upTime: plain(15, int64),
  shardServiceAddress: plain(16, string),
  commitId: plain(17, string),
});

const LogStoreInfo = message({
  tick: plain(1, uint64),
  raftAddress: plain(2, string),
  serviceAddress: plain(3, string),
  gossipAddress: plain(4, string),
  replicas: repeated(5, LogReplica),
  taskServiceCreated: plain(6, bool),
});

const TnStoreInfo = message({
  tick: plain(1, uint64),
  serviceAddress: plain(2, string),
  shards: repeated(3, TnShard),
  taskServiceCreated: plain(4, bool),
  logtailServerAddress: plain(5, string),
  lockServiceAddress: plain(6, string),
  queryAddress: plain(9, string),
  shardServiceAddress: plain(10, string),
  replayedLsn: plain(11, uint64),
});

/** Of HAKeeper itself: what {@link CheckerState} has in `state`. */
export const haKeeperState = {
  created: 0,
  bootstrapping: 1,
  bootstrapCommandsReceived: 2,
  bootstrapFailed: 3,
  running: 4,
} as const;

/**
 * HAKeeper's whole state. The user of internal tasks is left out on purpose: its password must not get into memory, and so not into logs.
 */
export const CheckerState = message({
  tick: plain(1, uint64),
  tnState: optional(3, message({ stores: map(1, string, TnStoreInfo) })),
  logState: optional(4, message({ shards: map(1, uint64, LogShard), stores: map(2, string, LogStoreInfo) })),
  cnState: optional(5, message({ stores: map(1, string, CnStoreInfo) })),
  state: plain(6, int32),
  /** 0 created, 1 running, 2 stopped. */
  taskSchedulerState: plain(7, int32),
  nextId: plain(9, uint64),
  proxyState: optional(11, message({ stores: map(1, string, ProxyStore) })),
  nonVotingReplicaNum: plain(13, uint64),
});
export type CheckerState = Decoded<typeof CheckerState>;

/** What every log store knows of a shard by gossip. */
export const ShardInfo = message({
  shardId: plain(1, uint64),
  replicas: map(2, uint64, message({ uuid: plain(1, string), serviceAddress: plain(2, string) })),
  epoch: plain(3, uint64),
  leaderId: plain(4, uint64),
  term: plain(5, uint64),
});
export type ShardInfo = Decoded<typeof ShardInfo>;

/** An error as TN and CN send it. */
export const ErrorMessage = message({
  code: plain(1, uint32),
  mysqlCode: plain(2, uint32),
  message: plain(3, string),
  sqlState: plain(4, string),
});
