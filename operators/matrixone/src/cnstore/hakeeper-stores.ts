import { type Clock, type Logger, type Random, silentLogger } from '@coxswain/runtime/core';
import { type CNLabel, PORT_CN_RPC } from '../api/index.ts';
import {
  type ClusterDetails,
  cnLoad,
  errorCode,
  heartbeatAge,
  isUnknownStore,
  logReplicas,
  MatrixOneError,
  shardLeaders,
  tnLocks,
  workState,
} from '../mo/index.ts';
import { CallError, type Dial, type FinishedCall, MorpcClient } from '../morpc/index.ts';
import type { ClusterLink } from './cluster-link.ts';
import { ClusterLinks } from './cluster-links.ts';
import { UnregisteredNodeError } from './errors.ts';
import { hasLabels, nodeLabels } from './node-labels.ts';
import type { CnStore, CnStoreService, LockHandover, LogStoreRecord, StoreLoad, StoreRecord } from './service.ts';

/** Options of {@link hakeeperCnStores}. */
export interface HaKeeperCnStoresOptions {
  readonly clock: Clock;
  /** Spreads the times of new attempts. Default: the machine's. */
  readonly random?: Random;
  /** How connections are made. Default: TCP, names resolved as the machine (or pod) does. */
  readonly dial?: Dial;
  readonly log?: Logger;
  /** Is told of each call when it is over: for metrics. */
  readonly onCall?: (call: FinishedCall) => void;
}

/** A service that has connections. */
export interface HaKeeperCnStores extends CnStoreService {
  /** Addresses of the clusters that were asked in the last 30 seconds. */
  readonly clusters: readonly string[];
  /** Ends all connections. Calls that wait, and those still to come, fail. */
  close(): void;
}

/**
 * Compute nodes by what their cluster's HAKeeper, transaction node and they themselves say (`spec/matrixone.md` §2.13, §7).
 * One connection to each address serves all, and goes 30 s after its last use. What HAKeeper knows is read once a second at
 * most for each cluster, and written only where it is not so already. Each call has 10 s.
 *
 * All calls throw when the answer is not known: `MatrixOneError`, `CallError`, `NoHaKeeperError`, {@link UnregisteredNodeError}, or
 * the reason of their signal.
 */
export function hakeeperCnStores(options: HaKeeperCnStoresOptions): HaKeeperCnStores {
  return new HaKeeperStores(options);
}

/** Milliseconds after which a serving node is looked at again; less than clusters are remembered for. */
const refreshAfter = 20_000;
/** Milliseconds without a call after which a connection is closed. */
const idleTimeout = 30_000;
/** Where the query service of a compute node is, unless HAKeeper says otherwise. */
const queryPort = PORT_CN_RPC + 2;

type Node = ClusterDetails['cnStores'][number];

class HaKeeperStores implements HaKeeperCnStores {
  readonly refreshAfter = refreshAfter;
  readonly #client: MorpcClient;
  readonly #links: ClusterLinks;

  constructor({ log = silentLogger, ...connecting }: HaKeeperCnStoresOptions) {
    const { clock } = connecting;
    this.#client = new MorpcClient({ idleTimeout, ...connecting });
    this.#links = new ClusterLinks(this.#client, clock, log);
  }

  get clusters(): readonly string[] {
    return this.#links.addresses;
  }

  async serve(
    store: CnStore,
    labels: readonly CNLabel[],
    signal: AbortSignal,
    takingBack?: () => Promise<void>,
  ): Promise<void> {
    const link = this.#link(store);
    const node = await find(link, store, signal);
    if (!node) throw new UnregisteredNodeError(store.podName);
    const wanted = nodeLabels(labels);
    const labelled = hasLabels(node.labels, wanted);
    const isServing = node.workState === workState.working || node.workState === workState.unknown;
    if (isServing && labelled) return;
    if (!isServing) await takingBack?.();
    try {
      await link.patch(store.uuid, workState.working, labelled ? undefined : wanted, signal);
    } catch (error) {
      throw isUnknownStore(error) ? new UnregisteredNodeError(store.podName, { cause: error }) : error;
    }
  }

  async drain(store: CnStore, signal: AbortSignal): Promise<void> {
    const link = this.#link(store);
    const node = await find(link, store, signal);
    if (!node || node.workState === workState.draining || node.workState === workState.drained) return;
    try {
      await link.patch(store.uuid, workState.draining, undefined, signal);
    } catch (error) {
      if (!isUnknownStore(error)) throw error;
    }
  }

  async load(store: CnStore, signal: AbortSignal): Promise<StoreLoad | undefined> {
    const { cnStores, proxyStores } = await this.#link(store).details(signal);
    const proxies = proxyStores.length > 0;
    const node = cnStores.find(({ uuid }) => uuid === store.uuid);
    if (!node) return this.#loadOfStranger(store, proxies, signal);
    if (node.queryAddress === '')
      throw new Error(`compute node ${store.podName} has no query service that can be asked`);
    return cnLoad(this.#client, node.queryAddress, proxies, { signal });
  }

  /**
   * HAKeeper gives a node up of which it has not heard for 30 s, as one that was short of breath; its sessions do not notice. So it is asked at its pod. One
   * that nobody can reach has never begun, or is gone.
   */
  async #loadOfStranger({ podIP }: CnStore, proxies: boolean, signal: AbortSignal): Promise<StoreLoad | undefined> {
    if (podIP === undefined) return undefined;
    const host = podIP.includes(':') ? `[${podIP}]` : podIP;
    try {
      return await cnLoad(this.#client, `${host}:${queryPort}`, proxies, { signal });
    } catch (error) {
      if (error instanceof CallError && error.failure === 'unreachable') return undefined;
      throw error;
    }
  }

  async handOverLocks(store: CnStore, asked: boolean, signal: AbortSignal): Promise<LockHandover> {
    const { tnStores } = await this.#link(store).details(signal);
    const tn = tnStores.find(({ shards }) => shards.length > 0) ?? tnStores[0];
    if (!tn?.lockServiceAddress)
      throw new Error('no transaction node that could say who holds locks is known to HAKeeper');
    const [locks, address] = [tnLocks(this.#client), tn.lockServiceAddress];
    try {
      if (await locks.canRestart(address, store.uuid, { signal })) return { released: true, asked };
      const accepted = asked || (await locks.setRestart(address, store.uuid, { signal }));
      const transactions = await locks.remainingTransactions(address, store.uuid, { signal });
      return { released: false, asked: accepted, ...(transactions === undefined ? {} : { transactions }) };
    } catch (error) {
      // Releases before 1.2 and 2.0 hand over nothing.
      if (error instanceof MatrixOneError && error.code === errorCode.notSupported) return { released: true, asked };
      throw error;
    }
  }

  async describe(store: CnStore, signal: AbortSignal): Promise<StoreRecord | undefined> {
    const node = await find(this.#link(store), store, signal);
    return node && recordOf(node);
  }

  async logStores(haKeeper: string, age: number, signal: AbortSignal): Promise<readonly LogStoreRecord[]> {
    const details = await this.#links.of(haKeeper).details(signal, age);
    const { logStores, cnStores, tnStores } = details;
    const leaders = [...shardLeaders(logStores)];
    const replicas = logReplicas(logStores);
    // HAKeeper does not tell its own time: the newest heartbeat of all is a second old at most.
    const tick = [...logStores, ...cnStores, ...tnStores].reduce(
      (most, store) => (store.tick > most ? store.tick : most),
      0n,
    );
    return logStores.map((store) => ({
      uuid: store.uuid,
      leads: numbers(leaders.filter(([, leader]) => leader === store.uuid).map(([shardId]) => shardId)),
      works: numbers(replicas.get(store.uuid)?.works ?? []),
      missing: numbers(replicas.get(store.uuid)?.missing ?? []),
      silentFor: heartbeatAge({ tick }, store),
    }));
  }

  async forget(store: CnStore, signal: AbortSignal): Promise<void> {
    const link = this.#link(store);
    if (await find(link, store, signal)) await link.remove(store.uuid, signal);
  }

  close(): void {
    this.#links.close();
    this.#client.close();
  }

  #link({ haKeeper, podName }: CnStore): ClusterLink {
    if (haKeeper === undefined)
      throw new Error(`nobody knows the HAKeeper of compute node ${podName}: its CNSet is gone`);
    return this.#links.of(haKeeper);
  }
}

async function find(link: ClusterLink, { uuid }: CnStore, signal: AbortSignal): Promise<Node | undefined> {
  const { cnStores } = await link.details(signal);
  return cnStores.find((node) => node.uuid === uuid);
}

const numbers = (shards: readonly bigint[]): readonly number[] => shards.map(Number).sort((a, b) => a - b);

function recordOf({
  lockServiceAddress,
  serviceAddress,
  sqlAddress,
  queryAddress,
  workState: state,
}: Node): StoreRecord {
  return {
    ...(lockServiceAddress ? { lockServiceAddress } : {}),
    ...(serviceAddress ? { pipelineServiceAddress: serviceAddress } : {}),
    ...(sqlAddress ? { sqlAddress } : {}),
    ...(queryAddress ? { queryAddress } : {}),
    workState: state,
  };
}
