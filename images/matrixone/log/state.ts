/** Labels of a compute node. */
export type Labels = Readonly<Record<string, readonly string[]>>;

/** A compute node as HAKeeper keeps it. */
export interface CnRecord {
  readonly tick: number;
  readonly serviceAddress: string;
  readonly sqlAddress: string;
  readonly lockServiceAddress: string;
  readonly queryAddress: string;
  readonly shardServiceAddress: string;
  readonly role: number;
  readonly labels: Labels;
  readonly workState: number;
  /** Milliseconds since the epoch at which it was first heard of. */
  readonly upTime: number;
  readonly commitId: string;
}

export interface TnRecord {
  readonly tick: number;
  readonly serviceAddress: string;
  readonly logtailServerAddress: string;
  readonly lockServiceAddress: string;
  readonly queryAddress: string;
  readonly shardServiceAddress: string;
}

/** A replica as its store last said; nobody else knows better. */
export interface ReplicaRecord {
  readonly shardId: number;
  readonly replicaId: number;
  /** 0: the store knows of none. */
  readonly leaderId: number;
  readonly term: number;
}

export interface LogRecord {
  readonly tick: number;
  readonly raftAddress: string;
  readonly serviceAddress: string;
  readonly gossipAddress: string;
  /** Absent in what earlier stand-ins have kept. */
  readonly replicas?: readonly ReplicaRecord[];
}

export interface ProxyRecord {
  readonly tick: number;
  readonly listenAddress: string;
}

export interface DeletedRecord {
  readonly uuid: string;
  readonly storeType: string;
  readonly address: string;
  readonly upTime: number;
  /** Milliseconds since the epoch. */
  readonly downTime: number;
}

type ById<T> = Readonly<Record<string, T>>;

/** All HAKeeper knows; plain JSON, as it is kept on the disk and sent to replicas. */
export interface KeeperState {
  readonly tick: number;
  /** Whether the log has been set up, which it is for good. */
  readonly running: boolean;
  /** UUID of the store by replica of HAKeeper and of the log. */
  readonly members: ById<string>;
  readonly nextId: number;
  readonly cn: ById<CnRecord>;
  readonly tn: ById<TnRecord>;
  readonly log: ById<LogRecord>;
  readonly proxy: ById<ProxyRecord>;
  /** The transaction node that has the one shard, and its replica. */
  readonly shard?: { readonly uuid: string; readonly replicaId: number };
  readonly deleted: readonly DeletedRecord[];
}

/** What changes HAKeeper's state. */
export type Command =
  | { readonly kind: 'tick'; readonly ticks: number; readonly now: number }
  | { readonly kind: 'cn'; readonly uuid: string; readonly now: number; readonly store: CnHeartbeat }
  | { readonly kind: 'tn'; readonly uuid: string; readonly store: Omit<TnRecord, 'tick'> }
  | { readonly kind: 'log'; readonly uuid: string; readonly store: Omit<LogRecord, 'tick'> }
  | { readonly kind: 'proxy'; readonly uuid: string; readonly store: Omit<ProxyRecord, 'tick'> }
  | { readonly kind: 'patch'; readonly uuid: string; readonly workState?: number; readonly labels?: Labels }
  | { readonly kind: 'delete'; readonly uuid: string; readonly now: number };

/** What a compute node says of itself. */
export interface CnHeartbeat extends Omit<CnRecord, 'tick' | 'labels' | 'workState' | 'upTime'> {
  /** The state it has when HAKeeper does not know it. */
  readonly initWorkState: number;
}

/** Ticks without heartbeat after which stores are expired. */
export interface Expiry {
  readonly log: number;
  readonly tn: number;
  readonly cn: number;
  readonly proxy: number;
}

/** What a command came to: the next state, or why not. */
export type Outcome = { readonly state: KeeperState } | { readonly refused: string };

/** Milliseconds that deleted stores are remembered. */
const remembered = 7 * 24 * 3_600_000;

/** A cluster of which nothing has been heard yet. */
export function newKeeperState(members: readonly { readonly replicaId: number; readonly uuid: string }[]): KeeperState {
  return {
    tick: 0,
    running: false,
    members: Object.fromEntries(members.map(({ replicaId, uuid }) => [replicaId, uuid])),
    nextId: 262_144,
    cn: {},
    tn: {},
    log: {},
    proxy: {},
    deleted: [],
  };
}

const without = <T>(all: ById<T>, gone: readonly string[]): ById<T> =>
  Object.fromEntries(Object.entries(all).filter(([uuid]) => !gone.includes(uuid)));

const expired = (tick: number, after: number, all: ById<{ readonly tick: number }>): string[] =>
  Object.entries(all)
    .filter(([, store]) => tick - store.tick > after)
    .map(([uuid]) => uuid);

function removeCns(state: KeeperState, uuids: readonly string[], now: number): KeeperState {
  const gone = uuids.flatMap((uuid) => {
    const store = state.cn[uuid];
    if (!store) return [];
    return [{ uuid, storeType: 'CN', address: store.sqlAddress, upTime: store.upTime, downTime: now }];
  });
  const deleted = [...state.deleted, ...gone].filter(({ downTime }) => now - downTime < remembered);
  return { ...state, cn: without(state.cn, uuids), deleted };
}

/** Gives the shard to a transaction node that is heard of, when the one that had it no longer is. */
function placeShard(state: KeeperState, expiry: Expiry): KeeperState {
  const late = expired(state.tick, expiry.tn, state.tn);
  const heard = Object.keys(state.tn).filter((uuid) => !late.includes(uuid));
  const [next] = heard;
  if (next === undefined || (state.shard && heard.includes(state.shard.uuid))) return state;
  return { ...state, shard: { uuid: next, replicaId: state.nextId }, nextId: state.nextId + 1 };
}

/** Gives the replica of a log store that is no longer heard of to one that is, one at a time. */
function replaceReplica(state: KeeperState, expiry: Expiry): KeeperState {
  const late = expired(state.tick, expiry.log, state.log);
  const uuids = Object.values(state.members);
  const gone = Object.entries(state.members).find(([, uuid]) => late.includes(uuid));
  const spare = Object.keys(state.log).find((uuid) => !late.includes(uuid) && !uuids.includes(uuid));
  if (!gone || spare === undefined) return state;
  const members = { ...without(state.members, [gone[0]]), [state.nextId]: spare };
  return { ...state, members, nextId: state.nextId + 1 };
}

/** Time passes: what was not heard of for long is expired. */
function onTick(state: KeeperState, ticks: number, now: number, expiry: Expiry): KeeperState {
  const tick = state.tick + ticks;
  const left = removeCns({ ...state, tick }, expired(tick, expiry.cn, state.cn), now);
  const proxy = without(left.proxy, expired(tick, expiry.proxy, left.proxy));
  return replaceReplica(placeShard({ ...left, proxy }, expiry), expiry);
}

function onCn(state: KeeperState, uuid: string, heartbeat: CnHeartbeat, now: number): KeeperState {
  const { initWorkState, ...store } = heartbeat;
  const before = state.cn[uuid] ?? { labels: {}, workState: initWorkState, upTime: now };
  const { labels, workState, upTime } = before;
  return { ...state, cn: { ...state.cn, [uuid]: { ...store, tick: state.tick, labels, workState, upTime } } };
}

/** The log is set up once a majority of its replicas has been heard of. */
function onLog(state: KeeperState, uuid: string, store: Omit<LogRecord, 'tick'>): KeeperState {
  const log = { ...state.log, [uuid]: { ...store, tick: state.tick } };
  const members = Object.values(state.members);
  const heard = members.filter((member) => log[member] !== undefined);
  return { ...state, log, running: state.running || heard.length > members.length / 2 };
}

function onPatch(state: KeeperState, { uuid, workState, labels }: Extract<Command, { kind: 'patch' }>): Outcome {
  const store = state.cn[uuid];
  if (!store) return { refused: `CN [${uuid}] does not exist` };
  const patched = { ...store, workState: workState ?? store.workState, labels: labels ?? store.labels };
  return { state: { ...state, cn: { ...state.cn, [uuid]: patched } } };
}

/** HAKeeper's state after a command. */
export function apply(state: KeeperState, command: Command, expiry: Expiry): Outcome {
  const { tick } = state;
  switch (command.kind) {
    case 'tick':
      return { state: onTick(state, command.ticks, command.now, expiry) };
    case 'cn':
      return { state: onCn(state, command.uuid, command.store, command.now) };
    case 'tn': {
      const tn = { ...state.tn, [command.uuid]: { ...command.store, tick } };
      return { state: placeShard({ ...state, tn }, expiry) };
    }
    case 'log':
      return { state: onLog(state, command.uuid, command.store) };
    case 'proxy':
      return { state: { ...state, proxy: { ...state.proxy, [command.uuid]: { ...command.store, tick } } } };
    case 'patch':
      return onPatch(state, command);
    case 'delete':
      return { state: removeCns(state, [command.uuid], command.now) };
  }
}
