import type { CNLabel } from '../api/index.ts';

/** A compute node as the cluster knows it. */
export interface CnStore {
  /** Namespace and name of the LogSet whose HAKeeper knows the node. */
  readonly logSet: { readonly namespace: string; readonly name: string };
  /** `host:port` of that HAKeeper; absent: the set of the node is gone, and with it all knowledge of whom to ask. */
  readonly haKeeper?: string;
  readonly uuid: string;
  readonly podName: string;
  readonly podIP: string | undefined;
}

/** What a node still serves. */
export interface StoreLoad {
  readonly sessions: number;
  readonly pipelines: number;
  /** Replicas of shards. */
  readonly replicas: number;
}

/** Of a node that does nothing. */
export const noLoad: StoreLoad = { sessions: 0, pipelines: 0, replicas: 0 };

/** How far the hand-over of a node's locks is. */
export interface LockHandover {
  /** No lock of the node is in the way of its end. */
  readonly released: boolean;
  /** Whether the node has been asked to give its locks away, now or before. */
  readonly asked: boolean;
  /** Open transactions that hold locks; absent when that is not known. */
  readonly transactions?: number;
}

/** A node as the cluster describes it; absent parts are not known. */
export interface StoreRecord {
  readonly lockServiceAddress?: string;
  readonly pipelineServiceAddress?: string;
  readonly sqlAddress?: string;
  readonly queryAddress?: string;
  /** As MatrixOne counts them: 1 is Working, 2 is Draining. */
  readonly workState?: number;
}

/** A log store as its cluster's HAKeeper tells of it. */
export interface LogStoreRecord {
  readonly uuid: string;
  /** The shards that it leads, in order; 0 is HAKeeper's own. */
  readonly leads: readonly number[];
  /** Shards of which it has a replica that works, as it said last. */
  readonly works: readonly number[];
  /** Shards of which it should have a replica and has none that works. */
  readonly missing: readonly number[];
  /** Milliseconds since its last heartbeat, to a second. */
  readonly silentFor: number;
}

/**
 * Puts compute nodes into and out of service. The implementations differ in whom they ask; controllers do not know.
 * Every call may be repeated, and fails when the answer is not known: not knowing is never "nothing to do".
 */
export interface CnStoreService {
  /** Milliseconds after which a node is looked at again, as it may have forgotten what it was told; absent: it remembers. */
  readonly refreshAfter?: number;
  /**
   * The node takes new sessions for the given labels.
   * @param takingBack called before a node that drains takes sessions again, which it does not when this throws
   * @throws UnregisteredNodeError when the cluster does not know it (yet)
   */
  serve(
    store: CnStore,
    labels: readonly CNLabel[],
    signal: AbortSignal,
    takingBack?: () => Promise<void>,
  ): Promise<void>;
  /** The node takes no new sessions, and hands over those it has. One that the cluster does not know has none. */
  drain(store: CnStore, signal: AbortSignal): Promise<void>;
  /** What the node still serves; `undefined` when the cluster does not know the node, and it does not say itself. */
  load(store: CnStore, signal: AbortSignal): Promise<StoreLoad | undefined>;
  /**
   * Gets a node that has nothing else left to give its locks away. There is no way back, so it is only for nodes that stop.
   * @param asked whether it has been asked to before. Absent: there are no locks that anybody could be asked about
   */
  handOverLocks?(store: CnStore, asked: boolean, signal: AbortSignal): Promise<LockHandover>;
  /** The node as the cluster describes it; `undefined` when it does not know the node. Absent: nobody can be asked. */
  describe?(store: CnStore, signal: AbortSignal): Promise<StoreRecord | undefined>;
  /**
   * The log stores of a cluster, as its HAKeeper tells of them. Absent: nobody can be asked.
   * @param haKeeper `host:port` of it
   * @param age milliseconds since when the answer may be known
   */
  logStores?(haKeeper: string, age: number, signal: AbortSignal): Promise<readonly LogStoreRecord[]>;
  /** The node will not come back. */
  forget(store: CnStore, signal: AbortSignal): Promise<void>;
}

/**
 * For clusters whose HAKeeper is not asked: a node serves while its pod is ready, and goes when Kubernetes takes it.
 * MatrixOne notices missing nodes by itself, later than when it is told.
 */
export const unmanagedCnStores: CnStoreService = {
  async serve() {},
  async drain() {},
  load: () => Promise.resolve(undefined),
  async forget() {},
};
