import { type Clock, isAlreadyExists, isConflict, isForbidden, type Timer } from '../core/index.ts';
import { noMetrics } from '../metrics/index.ts';
import { ElectionLog } from './election-log.ts';
import { NotLeading } from './errors.ts';
import { type Lease, leaseKind } from './lease.ts';
import { type Claimant, claimed, heldByUnknown, released } from './lease-record.ts';
import { LeaseWatch } from './lease-watch.ts';
import { checkTimes, defaultTimes, type ElectionTimes, type ElectorOptions } from './options.ts';
import type { ElectionState, Elector } from './types.ts';
import { WritesUnderWay } from './writes-under-way.ts';

/** The one reason for the end of a lead that is as it should be. */
const stopped = 'stopped';

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
  /** When the lease was first looked for and not there. */
  #missingSince: number | undefined;
  #alarm: Timer | undefined;
  /** From a write that takes or renews the lease until what came of it is known. */
  #claiming = false;
  #loop: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  readonly #claimant: Claimant;
  readonly #writes: WritesUnderWay;
  readonly #watch: LeaseWatch;
  /** The watch has told of a free lease since the last try began. */
  #freed = false;
  /** Ends the rest between two tries. */
  #wake: (() => void) | undefined;

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#times = checkTimes(options.times ?? defaultTimes);
    this.#clock = options.clock;
    this.name = `${options.namespace}/${options.lease}`;
    this.#log = new ElectionLog(options);
    const { namespace, lease, identity } = options;
    this.#claimant = { namespace, lease, identity, leaseDuration: this.#times.leaseDuration };
    this.#writes = new WritesUnderWay(options.clock);
    this.#watch = new LeaseWatch(options, () => {
      this.#freed = true;
      this.#wake?.();
    });
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

  stop(): Promise<void> {
    this.#stopping ??= this.#stopNow();
    return this.#stopping;
  }

  async #stopNow(): Promise<void> {
    // A claim under way may be won after all; kept by nobody, the lease would hold the next up until it expires.
    const held = this.state === 'leading' || this.#claiming;
    this.#end(stopped);
    this.#stop.abort(new NotLeading(this.name));
    await this.#loop;
    if (!held) return;
    const { leaseDuration, renewDeadline } = this.#times;
    // What the lease outlasts the deadline by is the time that a write has to arrive.
    if (this.#writes.over(leaseDuration - renewDeadline)) await this.#release();
    else
      this.#options.log.info({ lease: this.name }, 'lease left to expire: writes that were cut off may still arrive');
  }

  writing(): (answered: boolean) => void {
    return this.#writes.began();
  }

  get #expired(): boolean {
    return this.#clock.monotonic() >= this.#deadline;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#freed = false;
      await this.#attempt();
      this.#claiming = false;
      if (this.state === 'lost') return;
      if (this.#state !== 'standby') this.#watch.stop();
      else if (this.#observed) this.#watch.start();
      if (!this.#freed) await this.#rest(signal);
    }
  }

  /** Until the next try is due, the watch tells of a free lease, or the election ends. */
  #rest(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const over = () => {
        timer.cancel();
        signal.removeEventListener('abort', over);
        this.#wake = undefined;
        resolve();
      };
      const timer = this.#clock.after(this.#pause(), over);
      signal.addEventListener('abort', over, { once: true });
      this.#wake = over;
    });
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
        if (this.#isMissing()) {
          const stands = heldByUnknown(this.#observed.lease, this.#claimant, this.#clock.now());
          this.#see(await leases.create(stands, options));
        }
        return 'other';
      }
      this.#claiming = true;
      const claim = claimed(found, this.#claimant, this.#clock.now());
      this.#see(await (found ? leases.update(claim, options) : leases.create(claim, options)));
      return 'held';
    } catch (error) {
      // Someone was faster: a rival, or a hand. The next look shows whom; until then nothing is renewed.
      if (isConflict(error) || isAlreadyExists(error)) return 'unsure';
      throw error;
    }
  }

  /**
   * Whether a lease that somebody deleted stays away. Its holder goes on until it looks or its deadline passes, so it is given a moment
   * to put it back. Only one who never saw the lease takes a missing one for the first start.
   */
  #isMissing(): boolean {
    this.#missingSince ??= this.#clock.monotonic();
    return this.#clock.monotonic() >= this.#missingSince + this.#times.retryPeriod;
  }

  /** Notes what the server has. An unchanged record keeps the time at which it was first seen. */
  #see(lease: Lease): void {
    this.#missingSince = undefined;
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

  /** The one way into `lost`. */
  #end(why: string): void {
    if (this.#state === 'lost') return;
    const led = this.#state === 'leading';
    this.#state = 'lost';
    this.#deadline = Number.NEGATIVE_INFINITY;
    this.#alarm?.cancel();
    this.#watch.stop();
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
      if (found?.spec?.holderIdentity === identity) await leases.update(released(found, this.#clock.now()), options);
    } catch (error) {
      // Whoever uninstalls an operator takes its Role away before its pods: nothing is wrong then.
      if (isForbidden(error))
        log.info({ lease: this.name }, 'lease not released, as the right to is gone; it expires by itself');
      else log.warn({ lease: this.name, err: error }, 'lease not released; it expires by itself');
    }
  }
}
