import { VirtualClock } from '@coxswain/runtime/core';
import { type ByteStream, MorpcClient, MorpcServer } from '../morpc/index.ts';
import type { Decoded, Encodable } from '../morpc/protobuf/index.ts';
import { TestNetwork } from '../morpc/test-network.ts';
import { errorCode, HaKeeper, type HaKeeperOptions, logMethods, logService } from './index.ts';

type Request = Decoded<typeof logService.request>;
type Answer = Encodable<typeof logService.response>;

/** A compute node as the fake remembers it. */
interface Node {
  state: number;
  labels: Record<string, readonly string[]>;
  /** Of its query service. */
  queryAddress?: string;
}

/** A transaction node as the fake tells of it. */
export interface TestTn {
  readonly uuid: string;
  readonly lockServiceAddress: string;
  readonly shards: readonly { readonly shardId: bigint; readonly replicaId: bigint }[];
}

/** A log store as the fake tells of it. */
type TestLogStore = NonNullable<NonNullable<Answer['clusterDetails']>['logStores']>[number];

const nameOf = (method: number) => Object.entries(logMethods).find(([, known]) => known === method)?.[0] ?? `${method}`;
const asRecord = (labels: ReadonlyMap<string, { readonly labels: readonly string[] }>) =>
  Object.fromEntries([...labels].map(([key, list]) => [key, list.labels]));

/** Log stores that share one HAKeeper, with the faults of real ones. */
export class TestLogService {
  readonly clock = new VirtualClock();
  readonly network = new TestNetwork();
  readonly client = new MorpcClient({ clock: this.clock, dial: this.network.dial, random: { next: () => 1 } });
  /** Addresses of the stores with a replica, by its id. */
  readonly replicas = new Map<bigint, string>();
  leader = 0n;
  readonly nodes = new Map<string, Node>();
  tnStores: readonly TestTn[] = [];
  logStores: readonly TestLogStore[] = [];
  /** What was asked, in order: `METHOD at address`. */
  readonly asked: string[] = [];
  /** Stores that answer with an error, or (`hang`) not at all, whatever they are asked of HAKeeper. */
  readonly faults = new Map<string, number | 'hang'>();

  /** Starts a store; one with an id has a replica. */
  start(address: string, replica?: bigint): void {
    if (replica !== undefined) this.replicas.set(replica, address);
    const handle = (request: Request) => this.#answer(address, request);
    const server = new MorpcServer({ clock: this.clock, protocol: logService, handle });
    this.network.listen(address, (stream: ByteStream) => server.accept(stream));
  }

  haKeeper(addresses: readonly string[], options: Partial<HaKeeperOptions> = {}): HaKeeper {
    return new HaKeeper({ client: this.client, clock: this.clock, addresses, ...options });
  }

  #answer(address: string, request: Request): Answer | undefined {
    this.asked.push(`${nameOf(request.method)} at ${address}`);
    const { method } = request;
    if (method === logMethods.GET_SHARD_INFO) return { method, shardInfo: this.#shardInfo() };
    const fault = this.faults.get(address);
    const isHaKeeper = [...this.replicas.values()].includes(address);
    if (method === logMethods.CHECK_HAKEEPER) return { method, isHaKeeper };
    if (fault === 'hang') return undefined;
    if (fault !== undefined) return { method, errorCode: fault };
    if (!isHaKeeper) return { method, errorCode: errorCode.noHaKeeper };
    return { method, ...this.#apply(request) };
  }

  #shardInfo() {
    const replicas = [...this.replicas].map(
      ([id, address]) => [id, { uuid: `log-${id}`, serviceAddress: address }] as const,
    );
    return { leaderId: this.leader, replicas: new Map(replicas) };
  }

  #details() {
    const cnStores = [...this.nodes].map(([uuid, { state, labels, queryAddress = '' }]) => {
      const lists = new Map(Object.entries(labels).map(([key, values]) => [key, { labels: values }]));
      return { uuid, workState: state, labels: lists, queryAddress, tick: 5n };
    });
    return { cnStores, tnStores: this.tnStores, logStores: this.logStores };
  }

  #apply(request: Request): Answer {
    const { cnStateLabel, cnStoreLabel, cnWorkState, deleteCnStore } = request;
    const uuid = (cnStateLabel ?? cnStoreLabel ?? cnWorkState)?.uuid;
    const node = uuid === undefined ? undefined : this.nodes.get(uuid);
    if (uuid !== undefined && !node)
      return { errorCode: errorCode.internal, errorMessage: `CN [${uuid}] does not exist` };
    if (node && cnStateLabel) {
      node.state = cnStateLabel.state || 1;
      if (cnStateLabel.labels.size > 0) node.labels = asRecord(cnStateLabel.labels);
    }
    if (node && cnStoreLabel) node.labels = asRecord(cnStoreLabel.labels);
    if (node && cnWorkState) node.state = cnWorkState.state;
    if (deleteCnStore) this.nodes.delete(deleteCnStore.storeId);
    if (request.method === logMethods.GET_CLUSTER_DETAILS) return { clusterDetails: this.#details() };
    if (request.method === logMethods.GET_CLUSTER_STATE) return { checkerState: { tick: 25n, state: 4 } };
    return {};
  }
}

/** What comes of a promise: its value, or its error. */
export function watch<T>(promise: Promise<T>): { value?: T; error?: unknown; done: boolean } {
  const seen: { value?: T; error?: unknown; done: boolean } = { done: false };
  promise.then(
    (value) => Object.assign(seen, { value, done: true }),
    (error) => Object.assign(seen, { error, done: true }),
  );
  return seen;
}
