import { nodeState, type WorkState } from '@coxswain/operator-matrixone/mo';
import type { StoreAnswer } from '../wire/heartbeats.ts';
import type { Expiry, KeeperState, Labels, ReplicaRecord } from './state.ts';

/** Who leads the replicas; 0 when nobody is known to. */
export interface Leadership {
  readonly leaderId: number;
  readonly term: number;
}

const labelMap = (labels: Labels) => new Map(Object.entries(labels).map(([key, values]) => [key, { labels: values }]));
const nanoseconds = (ms: number) => BigInt(ms) * 1_000_000n;

const stateOf = (state: KeeperState, tick: number, after: number) =>
  state.tick - tick > after ? nodeState.timeout : nodeState.normal;

/** Shards that there are: HAKeeper's own, and the log. Both have the same replicas here. */
export const logShards = [0, 1] as const;

/** Who leads a shard by what the stores said: of all who know a leader, the one of the latest term knows best. */
function leaderOf(state: KeeperState, shardId: number): Leadership {
  const said = Object.values(state.log).flatMap(({ replicas = [] }) => replicas);
  return said
    .filter((replica) => replica.shardId === shardId && replica.leaderId !== 0)
    .reduce<Leadership>((best, one) => (one.term > best.term ? one : best), { leaderId: 0, term: 0 });
}

function shardOf(state: KeeperState, shardId: number, { leaderId, term }: Leadership) {
  const replicas = new Map(Object.entries(state.members).map(([id, uuid]) => [BigInt(id), uuid]));
  return {
    shardId: BigInt(shardId),
    replicas,
    epoch: BigInt(replicas.size),
    leaderId: BigInt(leaderId),
    term: BigInt(term),
  };
}

/** As the real one does, what each store said itself; that of one which is gone is of an earlier term, or the last that anybody led. */
const replicasOf = (state: KeeperState, replicas: readonly ReplicaRecord[] = []) =>
  replicas.map((replica) => ({
    shard: shardOf(state, replica.shardId, replica),
    replicaId: BigInt(replica.replicaId),
  }));

const tnShards = (state: KeeperState, uuid: string) =>
  state.shard?.uuid === uuid ? [{ shardId: 1n, replicaId: BigInt(state.shard.replicaId) }] : [];

/** What GET_CLUSTER_DETAILS answers. */
export function clusterDetails(state: KeeperState, expiry: Expiry): StoreAnswer['clusterDetails'] {
  return {
    cnStores: Object.entries(state.cn).map(([uuid, { labels, tick, upTime, ...store }]) => ({
      uuid,
      ...store,
      tick: BigInt(tick),
      labels: labelMap(labels),
      upTime: nanoseconds(upTime),
      state: stateOf(state, tick, expiry.cn),
    })),
    tnStores: Object.entries(state.tn).map(([uuid, { tick, ...store }]) => ({
      uuid,
      ...store,
      tick: BigInt(tick),
      shards: tnShards(state, uuid),
      state: stateOf(state, tick, expiry.tn),
    })),
    logStores: Object.entries(state.log).map(([uuid, { tick, serviceAddress, replicas }]) => ({
      uuid,
      serviceAddress,
      tick: BigInt(tick),
      replicas: replicasOf(state, replicas),
      state: stateOf(state, tick, expiry.log),
    })),
    proxyStores: Object.entries(state.proxy).map(([uuid, { tick, listenAddress }]) => ({
      uuid,
      tick: BigInt(tick),
      listenAddress,
    })),
    deletedStores: state.deleted.map(({ upTime, downTime, ...store }) => ({
      ...store,
      upTime: nanoseconds(upTime),
      downTime: nanoseconds(downTime),
    })),
  };
}

/** What GET_CLUSTER_STATE answers. */
export function checkerState(state: KeeperState, expiry: Expiry): StoreAnswer['checkerState'] {
  const details = clusterDetails(state, expiry);
  const byUuid = <T extends { readonly uuid?: string | undefined }>(stores: readonly T[] = []) =>
    new Map(stores.map((store) => [store.uuid ?? '', store]));
  const logStores = Object.entries(state.log).map(([uuid, { tick, replicas, ...store }]) => {
    return [uuid, { ...store, tick: BigInt(tick), replicas: replicasOf(state, replicas) }] as const;
  });
  const shards = logShards.map((shardId) => shardOf(state, shardId, leaderOf(state, shardId)));
  return {
    tick: BigInt(state.tick),
    state: state.running ? 4 : 1,
    taskSchedulerState: state.running ? 1 : 0,
    nextId: BigInt(state.nextId),
    cnState: { stores: byUuid(details?.cnStores) },
    tnState: { stores: byUuid(details?.tnStores) },
    logState: {
      shards: new Map(shards.map((shard) => [shard.shardId, shard])),
      stores: new Map(logStores),
    },
    proxyState: { stores: byUuid(details?.proxyStores) },
  };
}

/** What GET_SHARD_INFO answers; `addressOf` has what gossip says. `undefined` for a shard that does not exist. */
export function shardInfo(
  members: KeeperState['members'],
  shardId: bigint,
  leadership: Leadership,
  addressOf: (uuid: string) => string | undefined,
): StoreAnswer['shardInfo'] {
  if (shardId > 1n) return undefined;
  const replicas = Object.entries(members).flatMap(([id, uuid]) => {
    const serviceAddress = addressOf(uuid);
    return serviceAddress === undefined ? [] : [[BigInt(id), { uuid, serviceAddress }] as const];
  });
  const { leaderId, term } = leadership;
  return {
    shardId,
    replicas: new Map(replicas),
    epoch: BigInt(Object.keys(members).length),
    leaderId: BigInt(leaderId),
    term: BigInt(term),
  };
}

/** The number of a work state as configurations write it. @throws Error for one that there is not */
export function workStateOf(text: string): WorkState {
  const states: Readonly<Record<string, WorkState>> = { unknown: 0, working: 1, draining: 2, drained: 3 };
  const state = states[text.toLowerCase()];
  if (state === undefined)
    throw new Error(`init-work-state ${JSON.stringify(text)} is none of Working, Draining, Drained`);
  return state === 0 ? 1 : state;
}
