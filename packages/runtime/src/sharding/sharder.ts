import { ApiError, messageOf, Repeats, sleep } from '../core/index.ts';
import { type Elector, LeaseElector, leaseTrouble, NotLeading } from '../election/index.ts';
import { noMetrics } from '../metrics/index.ts';
import { shardOf, shardsFor } from './assign.ts';
import { Members } from './members.ts';
import { checkSharding, type SharderOptions, type ShardingOptions } from './options.ts';

interface Held {
  readonly elector: Elector;
  /** Set once it is being given up: no key is begun any more. */
  handedOver: Promise<void> | undefined;
}

/**
 * Shares the keys of one controller out among replicas. Keys are divided into shards for good; who works a shard is decided twice: by
 * agreement on who there is ({@link Members}), which may be wrong for a while, and by a Lease for each shard, which is exact.
 *
 * ```
 *   every beat: who lives? ─→ which shards are mine? ─┬─ mine, not held: take part in its election
 *                                                     └─ held, not mine: begin nothing, let keys end, give its Lease back
 * ```
 *
 * A key is worked, and written for, only under the Lease of its shard and before its local deadline, so never by two.
 */
export class Sharder {
  readonly #options: SharderOptions;
  readonly #sharding: Required<ShardingOptions>;
  readonly #members: Members;
  readonly #held = new Map<number, Held>();
  readonly #stop = new AbortController();
  readonly #count: () => void;
  readonly #repeats: Repeats;
  #loop: Promise<void> | undefined;

  /** @param controller names it in metrics */
  constructor(controller: string, options: SharderOptions) {
    this.#options = options;
    const { namespace, lease, shards, times } = options;
    this.#sharding = checkSharding({ namespace, lease, shards, times });
    this.#repeats = new Repeats(options.clock);
    this.#members = new Members(options, this.#sharding.times.leaseDuration);
    const gauge = (options.metrics ?? noMetrics).gauge({
      name: 'coxswain_controller_shards_held',
      help: 'Shards of the controller that this process works',
      labels: ['controller'],
    });
    this.#count = () => gauge.set({ controller }, this.held.length);
  }

  /** The shards worked here at this moment, in ascending order. */
  get held(): readonly number[] {
    return [...this.#held.keys()].filter((shard) => this.#lead(shard)).sort((a, b) => a - b);
  }

  shardOf(key: string): number {
    return shardOf(key, this.#sharding.shards);
  }

  /** Under whose lead a key is worked here; `undefined`: it is another's, or being handed over. */
  leadOf(key: string): Elector | undefined {
    return this.#lead(this.shardOf(key));
  }

  start(): void {
    this.#count();
    this.#loop ??= this.#run();
  }

  /** Gives every shard back, and leaves. Keys must have ended before. */
  async stop(): Promise<void> {
    this.#stop.abort(new NotLeading(this.#sharding.lease));
    await this.#loop;
    await Promise.all([...this.#held].map(([shard, { elector }]) => this.#drop(shard, elector)));
    if (this.#loop) await this.#members.leave();
  }

  #lead(shard: number): Elector | undefined {
    const held = this.#held.get(shard);
    return held && !held.handedOver && held.elector.leads ? held.elector : undefined;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { clock, random } = this.#options;
    const { times, shards } = this.#sharding;
    while (!signal.aborted) {
      try {
        const members = await this.#members.beat(signal);
        this.#repeats.over();
        if (!signal.aborted) this.#arrange(shardsFor(this.#options.identity, members, shards));
      } catch (error) {
        if (!signal.aborted) this.#tell(error);
      }
      await sleep(clock, times.retryPeriod * (1 + 0.2 * random.next()), signal).catch(() => {});
    }
  }

  #tell(error: unknown): void {
    const { namespace, lease } = this.#sharding;
    const why = leaseTrouble(error, namespace, 'get, list, watch, create, update and delete');
    const message = `shards stay as they are: the members cannot be read${why}; trying again`;
    if (!this.#repeats.due(`${message} ${messageOf(error)}`)) return;
    const fields = error instanceof ApiError ? { code: error.code, said: error.message } : { err: error };
    this.#options.log.warn({ lease: `${namespace}/${lease}`, ...fields }, message);
  }

  /** Begins what leads from the shards there are to the shards wanted. */
  #arrange(wanted: readonly number[]): void {
    for (const [shard, held] of this.#held) {
      if (!wanted.includes(shard)) held.handedOver ??= this.#handOver(shard, held.elector);
    }
    for (const shard of wanted) if (!this.#held.has(shard)) this.#contest(shard);
  }

  #contest(shard: number): void {
    const { client, clock, random, log, identity, handlers } = this.#options;
    const { namespace, lease, times } = this.#sharding;
    const name = `${lease}-shard-${shard}`;
    const elector = new LeaseElector({ client, clock, random, log, namespace, lease: name, identity, times });
    this.#held.set(shard, { elector, handedOver: undefined });
    elector.start();
    elector.leading.then(
      () => {
        this.#count();
        if (this.#lead(shard) === elector) handlers.gained(shard);
      },
      () => {},
    );
    // Lost against our will: its keys are aborted by the elector's signal; the next beat may contest it anew.
    void elector.lost.then(() => {
      const held = this.#held.get(shard);
      if (held?.elector === elector && !held.handedOver) void this.#drop(shard, elector);
    });
  }

  async #handOver(shard: number, elector: Elector): Promise<void> {
    this.#count();
    this.#options.log.info({ lease: this.#sharding.lease, shard }, 'shard is handed over');
    if (elector.state === 'leading') await this.#options.handlers.drained(shard);
    await this.#drop(shard, elector);
  }

  async #drop(shard: number, elector: Elector): Promise<void> {
    await elector.stop();
    if (this.#held.get(shard)?.elector === elector) this.#held.delete(shard);
    this.#count();
  }
}
