import type { CNLabel } from '../api/index.ts';

/** A compute node as the cluster knows it. */
export interface CnStore {
  /** Namespace and name of the LogSet whose HAKeeper knows the node. */
  readonly logSet: { readonly namespace: string; readonly name: string };
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
  /** Whether other nodes have taken over its locks. */
  readonly locksReleased: boolean;
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

/**
 * Puts compute nodes into and out of service. The implementations differ in whom they ask; controllers do not know.
 * Every call may be repeated, and fails when the answer is not known: not knowing is never "nothing to do".
 */
export interface CnStoreService {
  /** Milliseconds after which a serving node is told its labels again; absent: it remembers. */
  readonly refreshAfter?: number;
  /** The node takes new sessions for the given labels. */
  serve(store: CnStore, labels: readonly CNLabel[], signal: AbortSignal): Promise<void>;
  /** The node takes no new sessions, and hands over those it has. */
  drain(store: CnStore, signal: AbortSignal): Promise<void>;
  /** What the node still serves; `undefined` when the cluster does not know the node. */
  load(store: CnStore, signal: AbortSignal): Promise<StoreLoad | undefined>;
  /** The node as the cluster describes it; `undefined` when it does not know the node. Absent: nobody can be asked. */
  describe?(store: CnStore, signal: AbortSignal): Promise<StoreRecord | undefined>;
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
