import {
  type Clock,
  checkNumber,
  checkOptions,
  type Logger,
  messageOf,
  milliseconds,
  optionNames,
  silentLogger,
  sleep,
  someMilliseconds,
  withTimeout,
} from '@coxswain/runtime/core';
import { CallError, type CallOptions, type MorpcClient } from '../morpc/index.ts';
import { askLogService } from './ask.ts';
import { isPassing, isUnknownStore } from './errors.ts';
import { findHaKeeper } from './find-hakeeper.ts';
import type { LogMethod, LogServiceRequest, LogServiceResponse } from './messages/log-service.ts';
import type { CheckerState, ClusterDetails, ShardInfo, WorkState } from './messages/stores.ts';

/** Options of {@link HaKeeper}. All times in milliseconds. */
export interface HaKeeperOptions {
  readonly client: MorpcClient;
  readonly clock: Clock;
  /** `host:port` of log stores or of Services in front of them; the first ones are asked first. */
  readonly addresses: readonly string[];
  readonly logger?: Logger;
  /** A call's time, with all its attempts, when it names none. Default 10 s. */
  readonly timeout?: number;
  /** The time of one attempt. Default 4 s. */
  readonly attemptTimeout?: number;
  /** The time of one question in the search for a replica. Default 1 s. */
  readonly searchTimeout?: number;
  /** Between two attempts; the second follows the first at once. Default 500 ms. */
  readonly pause?: number;
}

/** Labels of a compute node: values by key. Proxies send a session to nodes whose labels have what it asks for. */
export type CnLabels = ReadonlyMap<string, readonly string[]>;

const names = optionNames<HaKeeperOptions>({
  client: true,
  clock: true,
  addresses: true,
  logger: true,
  timeout: true,
  attemptTimeout: true,
  searchTimeout: true,
  pause: true,
});

/** Questions in one search; more than log stores there ever are. */
const searchSteps = 8;

/**
 * HAKeeper of one cluster, wherever it runs: finds a replica through the log stores, stays with it, and looks for another when it fails or says that it
 * is none. Everything asked of it may be repeated, so calls are, until their time is up: a write that was answered with a timeout may have been done,
 * and one that was done late comes after what was written since. Read to be sure.
 *
 * All calls throw what the last attempt met: `MatrixOneError`, `CallError`, `NoHaKeeperError`; or the reason of their signal.
 */
export class HaKeeper {
  readonly #client: MorpcClient;
  readonly #clock: Clock;
  readonly #addresses: readonly string[];
  readonly #logger: Logger;
  readonly #times: {
    readonly timeout: number;
    readonly attempt: number;
    readonly search: number;
    readonly pause: number;
  };
  /** The replica that answers, or the search for one that all calls wait for. */
  #replica: Promise<string> | undefined;
  /** The address that failed last. */
  #failed: string | undefined;

  constructor(options: HaKeeperOptions) {
    checkOptions('HaKeeper', options, names);
    for (const name of ['timeout', 'attemptTimeout', 'searchTimeout'] as const)
      checkNumber('HaKeeper', name, options[name], someMilliseconds);
    checkNumber('HaKeeper', 'pause', options.pause, milliseconds);
    this.#client = options.client;
    this.#clock = options.clock;
    this.#addresses = options.addresses;
    this.#logger = options.logger ?? silentLogger;
    const { timeout = 10_000, attemptTimeout = 4_000, searchTimeout = 1_000, pause = 500 } = options;
    this.#times = { timeout, attempt: attemptTimeout, search: searchTimeout, pause };
  }

  /** All stores. Servers answer these one after the other, and each has the configuration of all nodes: not more than once a second. */
  async clusterDetails(options?: CallOptions): Promise<ClusterDetails> {
    return this.#ask('GET_CLUSTER_DETAILS', {}, ({ clusterDetails }) => clusterDetails, options);
  }

  /** HAKeeper's whole state, ticks and shards included. */
  async clusterState(options?: CallOptions): Promise<CheckerState> {
    return this.#ask('GET_CLUSTER_STATE', {}, ({ checkerState }) => checkerState, options);
  }

  /** The replicas of a shard of the log; 0 is HAKeeper's own. */
  async shardInfo(shardId: bigint, options?: CallOptions): Promise<ShardInfo> {
    return this.#ask('GET_SHARD_INFO', { logRequest: { shardId } }, ({ shardInfo }) => shardInfo, options);
  }

  /**
   * Sets a node's state and, when they are given, all its labels; none at all takes away those it has. Labels that go are taken away before
   * the state is set, so that no session comes by them.
   * @throws an error for which `isUnknownStore` holds when HAKeeper does not know the node
   */
  async patchCnStore(uuid: string, state: WorkState, labels?: CnLabels, options?: CallOptions): Promise<void> {
    checkUuid(uuid);
    // On the wire no labels and labels left alone are the same.
    if (labels?.size === 0) await this.updateCnLabels(uuid, labels, options);
    await this.#tell('PATCH_CN_STORE', { cnStateLabel: { uuid, state, labels: labelLists(labels) } }, options);
  }

  /** Replaces all labels of a node. @throws as {@link patchCnStore} */
  async updateCnLabels(uuid: string, labels: CnLabels, options?: CallOptions): Promise<void> {
    checkUuid(uuid);
    await this.#tell('UPDATE_CN_LABEL', { cnStoreLabel: { uuid, labels: labelLists(labels) } }, options);
  }

  /** Sets a node's state. @throws as {@link patchCnStore} */
  async updateCnWorkState(uuid: string, state: WorkState, options?: CallOptions): Promise<void> {
    checkUuid(uuid);
    await this.#tell('UPDATE_CN_WORK_STATE', { cnWorkState: { uuid, state } }, options);
  }

  /** Forgets a node, its labels and its state; one that is not known is forgotten already. A node that still runs is back with its next heartbeat. */
  async deleteCnStore(uuid: string, options?: CallOptions): Promise<void> {
    checkUuid(uuid);
    await this.#tell('DELETE_CN_STORE', { deleteCnStore: { storeId: uuid } }, options);
  }

  async #tell(method: LogMethod, request: LogServiceRequest, options: CallOptions | undefined): Promise<void> {
    await this.#ask(method, request, () => true, options);
  }

  async #ask<P>(
    method: LogMethod,
    request: LogServiceRequest,
    part: (answer: LogServiceResponse) => P | undefined,
    { timeout = this.#times.timeout, signal }: CallOptions = {},
  ): Promise<P> {
    const deadline = this.#clock.monotonic() + timeout;
    for (let attempts = 1; ; attempts++) {
      try {
        const left = deadline - this.#clock.monotonic();
        return await this.#attempt(method, request, part, left, signal);
      } catch (error) {
        signal?.throwIfAborted();
        const pause = attempts === 1 ? 0 : this.#times.pause;
        if (!isPassing(error) || this.#clock.monotonic() + pause >= deadline) throw error;
        this.#logger.debug({ method, attempts, error: messageOf(error) }, 'HAKeeper is asked again');
        if (pause > 0) await sleep(this.#clock, pause, signal);
      }
    }
  }

  /** One attempt at the replica that is known, or found for it; one that fails is not asked again first. */
  async #attempt<P>(
    method: LogMethod,
    request: LogServiceRequest,
    part: (answer: LogServiceResponse) => P | undefined,
    left: number,
    signal: AbortSignal | undefined,
  ): Promise<P> {
    const begun = this.#clock.monotonic();
    this.#replica ??= this.#search();
    const replica = this.#replica;
    const address = await withTimeout(this.#clock, left, `${method}: the search for HAKeeper`, () => replica, signal);
    const timeout = Math.max(1, Math.min(this.#times.attempt, left - (this.#clock.monotonic() - begun)));
    try {
      const answer = await askLogService(this.#client, address, method, request, { timeout, signal });
      const found = part(answer);
      if (found !== undefined) return found;
      throw new CallError({ address, method }, 'malformed', 'the answer has nothing in it', true);
    } catch (error) {
      // Whatever it is, another may do better the next time; that a node is not known it knows as well as any.
      if (!signal?.aborted && !isUnknownStore(error)) this.#leave(replica, address);
      throw error;
    }
  }

  #leave(replica: Promise<string>, address: string): void {
    this.#failed = address;
    if (this.#replica === replica) this.#replica = undefined;
  }

  #search(): Promise<string> {
    const { search: timeout } = this.#times;
    const find = (signal: AbortSignal) =>
      findHaKeeper({ client: this.#client, addresses: this.#addresses, last: this.#failed, timeout, signal });
    const search = withTimeout(this.#clock, timeout * searchSteps, 'the search for HAKeeper', find);
    search.catch(() => {
      if (this.#replica === search) this.#replica = undefined;
    });
    return search;
  }
}

function labelLists(labels: CnLabels | undefined): ReadonlyMap<string, { readonly labels: readonly string[] }> {
  return new Map([...(labels ?? [])].map(([key, values]) => [key, { labels: values }]));
}

function checkUuid(uuid: string): void {
  if (uuid === '') throw new TypeError('HaKeeper: the UUID of the compute node is empty');
}
