import { type Clock, formatMicroTime, isAlreadyExists, isConflict, sleep, type Timer } from '../core/index.ts';
import { noMetrics } from '../metrics/index.ts';
import { ElectionLog } from './election-log.ts';
import { NotLeading } from './errors.ts';
import { type Lease, leaseKind } from './lease.ts';
import { checkTimes, defaultTimes, type ElectionTimes, type ElectorOptions } from './options.ts';

/**
 * Where an elector stands:
 * - `standby`: another holds the lease, or none yet; it tries to acquire.
 * - `leading`: it holds the lease and may write until its local deadline, which each renewal moves on.
 * - `lost`: it led and does no more, or was stopped. Final: a process that lost should end and start afresh.
 */
export type ElectionState = 'standby' | 'leading' | 'lost';

/** Takes part in the election by one Lease object. */
export interface Elector {
  /** `namespace/lease`. */
  readonly name: string;
  readonly state: ElectionState;
  /** Whether this process may write at this very moment: leading, and before the local deadline. */
  readonly leads: boolean;
  /** Aborted, with {@link NotLeading}, the moment leadership ends. */
  readonly signal: AbortSignal;
  /** Resolves when it leads; rejects when it is stopped before. */
  readonly leading: Promise<void>;
  /** Resolves when the state becomes `lost`. */
  readonly lost: Promise<void>;
  start(): void;
  /**
   * A write is about to be sent under the lease. Call what it answers when the write has ended, with whether the server
   * answered: one that was cut off may still arrive, and until then the lease must not go to another.
   */
  writing(): (answered: boolean) => void;
  /**
   * Ends the election; a leader stops writing at once and gives the lease back, so that the next need not wait. When a
   * write was cut off a moment ago the lease is left to expire.
   */
  stop(): Promise<void>;
}

/** The one reason for the end of a lead that is as it should be. */
const stopped = 'stopped';

/** In a lease that was deleted and put back by one who did not hold it. */
const unknownHolder = 'unknown-after-deletion';

/** What was last seen on the server, and when by our own clock. */
interface Observed {
  readonly lease: Lease;
  readonly at: number;
}

/**
 * See {@link Elector}. Only differences of this process's own clocks decide; clocks of replicas need not agree, only run at
 * about the same speed. Between the leader's deadline and the end of the lease lies `leaseDuration - renewDeadline`: within
 * that, less what the clocks may drift apart, what the leader has sent must have arrived.
 */
export class LeaseElector implements Elector {
  readonly name: string;
  readonly leading: Promise<void>;
  readonly lost: Promise<void>;
  readonly #options: ElectorOptions;
  readonly #times: ElectionTimes;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  readonly #fence = new AbortController();
  readonly #lead = Promise.withResolvers<void>();
  readonly #lose = Promise.withResolvers<void>();
  readonly #master: (leads: boolean) => void;
  readonly #log: ElectionLog;
  #state: ElectionState = 'standby';
  #observed: Observed | undefined;
  #deadline = Number.NEGATIVE_INFINITY;
  /** The same on the wall clock: the monotonic one stands still while a machine is suspended. */
  #wallDeadline = Number.NEGATIVE_INFINITY;
  /** How often in a row the lease was looked for and not there. */
  #missing = 0;
  #alarm: Timer | undefined;
  /** From a write that takes or renews the lease until what came of it is known. */
  #claiming = false;
  #loop: Promise<void> | undefined;
  /** Writes sent and not ended; and when the last one was sent of which nobody knows whether it arrived. */
  #underWay = 0;
  #cutOff = Number.NEGATIVE_INFINITY;

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#times = checkTimes(options.times ?? defaultTimes);
    this.#clock = options.clock;
    this.name = `${options.namespace}/${options.lease}`;
    this.#log = new ElectionLog(options);
    this.leading = this.#lead.promise;
    this.lost = this.#lose.promise;
    this.leading.catch(() => {});
    const gauge = (options.metrics ?? noMetrics).gauge({
      name: 'leader_election_master_status',
      help: '1 while this process leads',
      labels: ['name'],
    });
    this.#master = (leads) => gauge.set({ name: options.lease }, leads ? 1 : 0);
  }

  get state(): ElectionState {
    if (this.#state === 'leading' && this.#expired) this.#end('the lease could not be renewed in time');
    return this.#state;
  }

  get leads(): boolean {
    return this.state === 'leading' && this.#options.clock.now() < this.#wallDeadline;
  }

  get signal(): AbortSignal {
    return this.#fence.signal;
  }

  start(): void {
    this.#master(false);
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    // A claim under way may be won after all; kept by nobody, the lease would hold the next up until it expires.
    const held = this.state === 'leading' || this.#claiming;
    this.#end(stopped);
    this.#stop.abort(new NotLeading(this.name));
    await this.#loop;
    if (held && this.#nothingTravels()) await this.#release();
  }

  writing(): (answered: boolean) => void {
    const sent = this.#clock.monotonic();
    this.#underWay++;
    return (answered) => {
      this.#underWay--;
      if (!answered) this.#cutOff = Math.max(this.#cutOff, sent);
    };
  }

  /** Whether every write of ours has arrived, or has had the time that the lease outlasts the deadline by to do so. */
  #nothingTravels(): boolean {
    const { leaseDuration, renewDeadline } = this.#times;
    const none = this.#underWay === 0 && this.#clock.monotonic() >= this.#cutOff + leaseDuration - renewDeadline;
    if (!none)
      this.#options.log.info({ lease: this.name }, 'lease left to expire: writes that were cut off may still arrive');
    return none;
  }

  get #expired(): boolean {
    return this.#clock.monotonic() >= this.#deadline;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#attempt();
      this.#claiming = false;
      if (this.state === 'lost') return;
      try {
        await sleep(this.#clock, this.#pause(), signal);
      } catch {
        return;
      }
    }
  }

  /** A leader renews on the beat; the tries of standbys are spread. */
  #pause(): number {
    const { retryPeriod } = this.#times;
    return this.#state === 'leading' ? retryPeriod : retryPeriod * (1 + 0.2 * this.#options.random.next());
  }

  /** One try to acquire or renew. Failures are told and tried again; the deadline decides when they cost the lead. */
  async #attempt(): Promise<void> {
    // Counted from before the request: the server, and any rival, can only have seen the renewal later than this.
    const began = this.#clock.monotonic();
    const wall = this.#clock.now();
    try {
      const answer = await this.#acquireOrRenew(this.#budget(began));
      if (answer === 'other' && this.#state === 'leading') this.#end('another replica holds the lease');
      this.#log.answered();
      if (answer !== 'held') return;
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#log.failed(error, this.#state === 'leading');
      return;
    }
    if (this.state === 'lost' || this.#stop.signal.aborted) return;
    this.#deadline = began + this.#times.renewDeadline;
    this.#wallDeadline = wall + this.#times.renewDeadline;
    // An answer that took longer than the deadline it buys (a paused process) makes no leader.
    if (this.#expired) return;
    this.#watchDeadline();
    if (this.#state === 'leading') return;
    this.#state = 'leading';
    this.#master(true);
    this.#log.leading();
    this.#lead.resolve();
  }

  /** Ends the lead at its deadline even while a renewal hangs, so that writes under way are aborted in time. */
  #watchDeadline(): void {
    this.#alarm?.cancel();
    this.#alarm = this.#clock.after(this.#deadline - this.#clock.monotonic(), () => {
      if (this.#state === 'leading' && this.#expired) this.#end('the lease could not be renewed in time');
    });
  }

  /** Milliseconds a call may take: a leader's calls end at its deadline. */
  #budget(now: number): number {
    if (this.#state !== 'leading') return this.#times.renewDeadline;
    return Math.max(1, Math.min(this.#times.renewDeadline / 2, this.#deadline - now));
  }

  /** Who holds the lease now; `unsure` when a write of ours was beaten. @throws when the server could not be asked */
  async #acquireOrRenew(timeout: number): Promise<'held' | 'other' | 'unsure'> {
    const { client, namespace, lease, identity } = this.#options;
    const leases = client.of(leaseKind);
    const options = { timeout, signal: this.#stop.signal };
    const found = await leases.find({ namespace, name: lease }, options);
    try {
      if (found) this.#see(found);
      if (found && found.spec?.holderIdentity !== identity && !this.#free()) return 'other';
      if (!found && this.#observed && !this.leads) {
        if (++this.#missing > 1) this.#see(await leases.create(this.#held(this.#observed.lease), options));
        return 'other';
      }
      this.#claiming = true;
      const claim = this.#claim(found);
      this.#see(await (found ? leases.update(claim, options) : leases.create(claim, options)));
      return 'held';
    } catch (error) {
      // Someone was faster: a rival, or a hand. The next look shows whom; until then nothing is renewed.
      if (isConflict(error) || isAlreadyExists(error)) return 'unsure';
      throw error;
    }
  }

  /** Notes what the server has. An unchanged record keeps the time at which it was first seen. */
  #see(lease: Lease): void {
    this.#missing = 0;
    this.#log.seen(lease.spec?.holderIdentity);
    const before = this.#observed?.lease.metadata.resourceVersion;
    if (before !== undefined && before === lease.metadata.resourceVersion) return;
    this.#observed = { lease, at: this.#clock.monotonic() };
  }

  /** Whether the observed lease may be taken: released, or not renewed for its duration since we first saw it so. */
  #free(): boolean {
    const { lease, at } = this.#observed ?? {};
    if (!lease?.spec?.holderIdentity || at === undefined) return true;
    return this.#clock.monotonic() >= at + this.#durationOf(lease);
  }

  #durationOf({ spec }: Lease): number {
    return (spec?.leaseDurationSeconds ?? this.#times.leaseDuration / 1000) * 1000;
  }

  /**
   * A lease that somebody deleted may still be held: its holder goes on until it looks or its deadline passes. It is given
   * a moment to put it back; then it is put back as held by nobody known, so that it is taken only when its time is over.
   * Only one who never saw the lease takes a missing one for the first start.
   */
  #held({ spec }: Lease): Lease {
    const { namespace, lease } = this.#options;
    const renewTime = formatMicroTime(this.#clock.now());
    const duration = Math.ceil(this.#times.leaseDuration / 1000);
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: lease, namespace },
      spec: { ...spec, holderIdentity: unknownHolder, leaseDurationSeconds: duration, renewTime },
    };
  }

  #claim(found: Lease | undefined): Lease {
    const { namespace, lease, identity } = this.#options;
    const now = formatMicroTime(this.#clock.now());
    const ours = found?.spec?.holderIdentity === identity;
    const transitions = found?.spec?.leaseTransitions ?? 0;
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: found?.metadata ?? { name: lease, namespace },
      spec: {
        ...found?.spec,
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(this.#times.leaseDuration / 1000),
        acquireTime: ours ? (found?.spec?.acquireTime ?? now) : now,
        renewTime: now,
        leaseTransitions: found && !ours ? transitions + 1 : transitions,
      },
    };
  }

  /** The one way into `lost`. */
  #end(why: string): void {
    if (this.#state === 'lost') return;
    const led = this.#state === 'leading';
    this.#state = 'lost';
    this.#deadline = Number.NEGATIVE_INFINITY;
    this.#alarm?.cancel();
    this.#master(false);
    const error = new NotLeading(this.name);
    this.#fence.abort(error);
    if (led) this.#options.log[why === stopped ? 'info' : 'warn']({ lease: this.name, why }, 'leads no more');
    this.#lead.reject(error);
    this.#lose.resolve();
  }

  async #release(): Promise<void> {
    const { client, namespace, lease, identity, log } = this.#options;
    const leases = client.of(leaseKind);
    const options = { timeout: this.#times.retryPeriod };
    try {
      const found = await leases.find({ namespace, name: lease }, options);
      if (found?.spec?.holderIdentity !== identity) return;
      // Absent rather than empty: every server takes it, and to every elector it means that nobody holds the lease.
      const { holderIdentity: _us, ...rest } = found.spec;
      const spec = { ...rest, leaseDurationSeconds: 1, renewTime: formatMicroTime(this.#clock.now()) };
      await leases.update({ ...found, spec }, options);
    } catch (error) {
      log.warn({ lease: this.name, err: error }, 'lease not released; it expires by itself');
    }
  }
}
