import { errorCode } from '@coxswain/operator-matrixone/mo';
import { MorpcClient, MorpcServer, type RequestContext } from '@coxswain/operator-matrixone/morpc';
import { messageOf, sleep } from '@coxswain/runtime/core';
import type { LogConfig } from '../config/service-config.ts';
import { listen, type Port } from '../nodes/listen.ts';
import { repeat } from '../nodes/repeat.ts';
import { type Service, ServiceEnd, type Surroundings } from '../nodes/surroundings.ts';
import { type StoreAnswer, type StoreRequest, storeService } from '../wire/heartbeats.ts';
import { peerService } from '../wire/peers.ts';
import { checkerState, clusterDetails, logShards, shardInfo } from './answers.ts';
import { commandOf } from './commands.ts';
import { checkIdentity, DiskValue } from './disk.ts';
import { Gossip } from './gossip.ts';
import { type Durable, Replica } from './replica.ts';
import { type Expiry, newKeeperState } from './state.ts';

const methods = { CHECK_HAKEEPER: 10, GET_CLUSTER_DETAILS: 11, GET_SHARD_INFO: 12, GET_CLUSTER_STATE: 14 } as const;
/** Milliseconds between two heartbeats. */
const heartbeatInterval = 1000;
/** Milliseconds between two attempts to have a request carried out. */
const retryInterval = 100;
/** The share of a request's time after which it is answered that there was no answer. */
const lastMoment = 0.9;

function expiryOf({ timeouts, ticksPerSecond }: LogConfig): Expiry {
  const ticks = (ms: number) => (ms / 1000) * ticksPerSecond;
  return { log: ticks(timeouts.log), tn: ticks(timeouts.tn), cn: ticks(timeouts.cn), proxy: ticks(timeouts.proxy) };
}

/** A log store: HAKeeper's replica, if it has one, and what it knows of the others. */
class LogStore {
  readonly #config: LogConfig;
  readonly #surroundings: Surroundings;
  readonly #expiry: Expiry;
  readonly #client: MorpcClient;
  readonly replica: Replica;
  gossip: Gossip | undefined;

  constructor(config: LogConfig, surroundings: Surroundings, saved: Durable | undefined, disk: DiskValue<Durable>) {
    const { clock, random, logger, dial } = surroundings;
    this.#config = config;
    this.#surroundings = surroundings;
    this.#expiry = expiryOf(config);
    this.#client = new MorpcClient({ clock, random, dial, maxBackoff: 500 });
    this.replica = new Replica({
      uuid: config.uuid,
      clock,
      random,
      logger,
      expiry: this.#expiry,
      ticksPerSecond: config.ticksPerSecond,
      saved: saved ?? { term: 0, version: { term: 0, index: 0 }, value: newKeeperState(config.members) },
      isMember: () => this.#isMember(),
      save: (durable) => disk.write(durable),
      ask: async (uuid, question) => {
        if (!this.gossip) throw new Error('gossip has not begun');
        return this.gossip.ask(uuid, question);
      },
    });
  }

  get client(): MorpcClient {
    return this.#client;
  }

  /** Answers whoever uses the log service. */
  async handle(request: StoreRequest, context: RequestContext): Promise<StoreAnswer | undefined> {
    if ((await this.#surroundings.faults.get('mute')) !== undefined) return undefined;
    const { method } = request;
    return { method, logResponse: {}, ...(await this.#answer(request, context)) };
  }

  async #answer(request: StoreRequest, context: RequestContext): Promise<StoreAnswer> {
    const { method } = request;
    if (method === methods.GET_SHARD_INFO) return this.#shardInfo(request.logRequest?.shardId ?? 0n);
    const isHaKeeper = this.#isMember();
    if (method === methods.CHECK_HAKEEPER) return { isHaKeeper };
    if (!isHaKeeper) return { errorCode: errorCode.noHaKeeper };
    const { clock } = this.#surroundings;
    const deadline = clock.monotonic() + context.timeout * lastMoment;
    for (;;) {
      const answer = (await this.carryOut(request)) ?? (await this.#forward(request, deadline));
      if (answer) return answer;
      if (clock.monotonic() + retryInterval >= deadline) return { errorCode: errorCode.timeout };
      await sleep(clock, retryInterval, context.signal);
    }
  }

  /** Its replicas by its own knowledge, as its heartbeat tells of them; none when it has none. */
  get replicas() {
    const own = Object.entries(this.#members()).find(([, uuid]) => uuid === this.#config.uuid);
    if (!own) return [];
    const { leaderId, term } = this.#leadership();
    const [replicaId] = own;
    return logShards.map((shardId) => ({
      shard: { shardId: BigInt(shardId), leaderId: BigInt(leaderId), term: BigInt(term) },
      replicaId: BigInt(replicaId),
    }));
  }

  /** Answers as the leader; `undefined` when this is not the one, or has no majority. */
  async carryOut(request: StoreRequest): Promise<StoreAnswer | undefined> {
    const { method } = request;
    const { clock } = this.#surroundings;
    const command = commandOf(request, clock.now());
    const isRead = method === methods.GET_CLUSTER_DETAILS || method === methods.GET_CLUSTER_STATE;
    if (!command && !isRead) return { errorCode: errorCode.notSupported, errorMessage: `method ${method}` };
    const outcome = await this.replica.propose(command);
    if (!outcome) return undefined;
    if ('refused' in outcome) return { errorCode: errorCode.internal, errorMessage: outcome.refused };
    if (!isRead) return {};
    return method === methods.GET_CLUSTER_DETAILS
      ? { clusterDetails: clusterDetails(outcome.state, this.#expiry) }
      : { checkerState: checkerState(outcome.state, this.#expiry) };
  }

  async #forward(request: StoreRequest, deadline: number): Promise<StoreAnswer | undefined> {
    const { leader } = this.replica;
    const timeout = Math.floor(deadline - this.#surroundings.clock.monotonic());
    if (leader === undefined || leader === this.#config.uuid || timeout <= 0) return undefined;
    return this.gossip?.forward(leader, request, timeout).catch(() => undefined);
  }

  #members() {
    return this.gossip?.members ?? this.replica.members;
  }

  #isMember(): boolean {
    return Object.values(this.#members()).includes(this.#config.uuid);
  }

  #leadership() {
    const member = Object.entries(this.#members()).find(([, uuid]) => uuid === this.replica.leader);
    return { leaderId: Number(member?.[0] ?? 0), term: this.replica.term };
  }

  #shardInfo(shardId: bigint): StoreAnswer {
    const info = shardInfo(this.#members(), shardId, this.#leadership(), (uuid) => this.gossip?.addressOf(uuid));
    return info ? { shardInfo: info } : { errorCode: errorCode.shardNotFound };
  }
}

/**
 * What HAKeeper knew when its cluster was backed up is where the configuration says. Only looked for when nothing is in the volume yet.
 * @throws ServiceEnd when it is not there: an empty cluster in place of a restored one must not come up
 */
async function findBackup({ restore }: LogConfig, { logger, openStore }: Surroundings): Promise<void> {
  if (!restore) return;
  const found = await openStore(restore.place)
    .get(restore.key)
    .catch((error: unknown) => {
      throw new ServiceEnd(2, `HAKeeper cannot be restored: ${messageOf(error)}`);
    });
  if (found === undefined) throw new ServiceEnd(2, `HAKeeper cannot be restored: there is no ${restore.key}`);
  logger.info({ from: restore.key }, 'HAKeeper is restored');
}

/** Starts a log store. It serves at once; HAKeeper works as soon as a majority of its replicas does. */
export async function startLogStore(config: LogConfig, surroundings: Surroundings): Promise<Service> {
  const { clock, logger, ownAddress, faults } = surroundings;
  const { uuid, storeDir } = config;
  await checkIdentity(storeDir, uuid);
  const disk = new DiskValue<Durable>(`${storeDir}/hakeeper.json`);
  const saved = await disk.read();
  if (!saved) await findBackup(config, surroundings);
  const store = new LogStore(config, surroundings, saved, disk);
  const onRefused = (error: unknown) => logger.warn({ error }, 'a connection was closed');
  const ports: Port[] = [];
  const handle = (request: StoreRequest, context: RequestContext) => store.handle(request, context);
  const server = new MorpcServer({ clock, protocol: storeService, handle, onRefused });
  const peers = new MorpcServer({
    clock,
    protocol: peerService,
    handle: async (question) => store.gossip?.answer(question),
    onRefused,
  });
  const stop = async () => {
    store.replica.stop();
    store.gossip?.stop();
    store.client.close();
    server.close();
    peers.close();
    await Promise.all(ports.map((port) => port.close()));
  };
  try {
    const service = await listen(config.service, ownAddress, (stream) => server.accept(stream));
    ports.push(service);
    const raft = await listen(config.raft, ownAddress, (stream) => peers.accept(stream));
    ports.push(raft);
    const gossip = await listen(config.gossip, ownAddress, (stream) => peers.accept(stream));
    ports.push(gossip);
    const own = { uuid, serviceAddress: service.address, raftAddress: raft.address, gossipAddress: gossip.address };
    store.gossip = new Gossip({ own, seeds: config.seeds, surroundings, client: store.client, store });
    store.gossip.start();
    const running = store.replica.run().catch((error) => logger.error({ error }, 'the replica of HAKeeper ended'));
    const beat = repeat(clock, heartbeatInterval, async () => {
      if ((await faults.get('lost-store')) !== undefined) return;
      await store.gossip?.heartbeat();
    });
    logger.info({ uuid, address: service.address }, 'the log service is open');
    const stopAll = async () => {
      await beat.stop();
      await stop();
      await running;
    };
    return { addresses: { service: service.address, raft: raft.address, gossip: gossip.address }, stop: stopAll };
  } catch (error) {
    await stop();
    throw error;
  }
}
