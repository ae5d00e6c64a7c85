import type { MorpcClient } from '@coxswain/operator-matrixone/morpc';
import type { Decoded } from '@coxswain/operator-matrixone/morpc/protobuf';
import { repeat } from '../nodes/repeat.ts';
import type { Surroundings } from '../nodes/surroundings.ts';
import {
  type Heartbeats,
  heartbeatMethods,
  type StoreAnswer,
  type StoreRequest,
  storeService,
} from '../wire/heartbeats.ts';
import { peerService } from '../wire/peers.ts';
import { isNewer, type Question, type Replica, type Reply, type Version } from './replica.ts';
import type { KeeperState } from './state.ts';

/** A log store as it says of itself. */
export interface Peer {
  readonly uuid: string;
  readonly serviceAddress: string;
  readonly raftAddress: string;
  readonly gossipAddress: string;
}

interface Hello {
  readonly from: Peer;
  readonly known: readonly Peer[];
  /** Of HAKeeper, in the newest state that this store has heard of. */
  readonly members: KeeperState['members'];
  readonly version: Version;
}

/** What gossip needs of its store. */
interface Store {
  readonly replica: Replica;
  readonly replicas: NonNullable<Heartbeats['logHeartbeat']>['replicas'];
  carryOut(request: StoreRequest): Promise<StoreAnswer | undefined>;
}

export interface GossipOptions {
  readonly own: Peer;
  readonly seeds: readonly string[];
  readonly surroundings: Surroundings;
  readonly client: MorpcClient;
  readonly store: Store;
}

/** Milliseconds: between two rounds of greetings, and how long a peer may take to answer. */
const times = { round: 500, answer: 500 };

type Said = Decoded<typeof peerService.request>;

/** How log stores find each other, and the way they talk. */
export class Gossip {
  readonly #options: GossipOptions;
  readonly #peers = new Map<string, Peer>();
  #newest: { readonly members: KeeperState['members']; readonly version: Version };
  #round: { stop(): Promise<void> } | undefined;

  constructor(options: GossipOptions) {
    this.#options = options;
    this.#newest = options.store.replica;
    this.#peers.set(options.own.uuid, options.own);
  }

  /** The members of HAKeeper, by the newest that anybody says. */
  get members(): KeeperState['members'] {
    return this.#current().members;
  }

  start(): void {
    const { surroundings } = this.#options;
    this.#round = repeat(surroundings.clock, times.round, async () => {
      await Promise.all(this.#addresses().map((address) => this.#greet(address).catch(() => {})));
    });
  }

  stop(): void {
    this.#round?.stop();
  }

  /** Where a store's log service is. */
  addressOf(uuid: string): string | undefined {
    return this.#peers.get(uuid)?.serviceAddress;
  }

  /** Asks a member. Rejects without an answer. */
  async ask(uuid: string, question: Question): Promise<Reply> {
    const { json } = await this.#call(this.#gossipAddressOf(uuid), 'raft', JSON.stringify(question), times.answer);
    return JSON.parse(json) as Reply;
  }

  /** Has another member answer a request. `undefined` when it cannot. */
  async forward(uuid: string, request: StoreRequest, timeout: number): Promise<StoreAnswer | undefined> {
    const body = storeService.request.encode(request);
    const answer = await this.#call(this.#gossipAddressOf(uuid), 'forward', '', timeout, body);
    return answer.kind === 'forwarded' ? storeService.response.decode(answer.body) : undefined;
  }

  /** Reports this store to HAKeeper, wherever it is. */
  async heartbeat(): Promise<void> {
    const { own, store } = this.#options;
    const request = storeService.request.decode(
      storeService.request.encode({
        method: heartbeatMethods.LOG_HEARTBEAT,
        logHeartbeat: { ...own, replicas: store.replicas },
      }),
    );
    if (await store.carryOut(request)) return;
    const leader = store.replica.leader;
    const others = leader !== undefined ? [leader] : Object.values(this.members);
    for (const uuid of others) if (await this.forward(uuid, request, times.answer).catch(() => undefined)) return;
  }

  /** Answers a peer. */
  async answer({ kind, json, body }: Said): Promise<{ kind: string; json?: string; body?: Uint8Array }> {
    const { store } = this.#options;
    if (kind === 'raft')
      return { kind, json: JSON.stringify(await store.replica.answer(JSON.parse(json) as Question)) };
    if (kind === 'forward') {
      const answer = await store.carryOut(storeService.request.decode(body));
      // An answer without anything in it is one, too.
      return answer ? { kind: 'forwarded', body: storeService.response.encode(answer) } : { kind };
    }
    this.#learn(JSON.parse(json) as Hello);
    return { kind, json: JSON.stringify(this.#hello()) };
  }

  #hello(): Hello {
    const { members, version } = this.#current();
    return { from: this.#options.own, known: [...this.#peers.values()], members, version };
  }

  #current(): { readonly members: KeeperState['members']; readonly version: Version } {
    const { replica } = this.#options.store;
    return isNewer(this.#newest.version, replica.version) ? this.#newest : replica;
  }

  #learn({ from, known, members, version }: Hello): void {
    for (const peer of known) if (!this.#peers.has(peer.uuid)) this.#peers.set(peer.uuid, peer);
    // What it says of itself is newer than what was heard of it.
    this.#peers.set(from.uuid, from);
    if (isNewer(version, this.#current().version)) this.#newest = { members, version };
  }

  async #greet(address: string): Promise<void> {
    const { json } = await this.#call(address, 'hello', JSON.stringify(this.#hello()), times.answer);
    this.#learn(JSON.parse(json) as Hello);
  }

  #addresses(): readonly string[] {
    const { own, seeds } = this.#options;
    const known = [...this.#peers.values()].map(({ gossipAddress }) => gossipAddress);
    return [...new Set([...seeds, ...known])].filter((address) => address !== own.gossipAddress);
  }

  #gossipAddressOf(uuid: string): string {
    const peer = this.#peers.get(uuid);
    if (!peer) throw new Error(`log store ${uuid} has not been heard of`);
    return peer.gossipAddress;
  }

  #call(address: string, kind: string, json: string, timeout: number, body?: Uint8Array): Promise<Said> {
    const request = { kind, json, ...(body ? { body } : {}) };
    return this.#options.client.call(peerService, address, kind, request, { timeout });
  }
}
