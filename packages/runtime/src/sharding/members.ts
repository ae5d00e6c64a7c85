import { asSeen, formatMicroTime, isAlreadyExists, isConflict, isNotFound } from '../core/index.ts';
import { type Lease, leaseKind } from '../election/index.ts';
import { digestOf } from './assign.ts';
import type { SharderOptions } from './options.ts';

/** On the Leases of members, with the name that sharing replicas have in common. */
const memberLabel = 'coxswain.dev/shard-members';

/** A lease that nobody has renewed for so many durations belongs to a process that will not come back: each start has its own. */
const durationsUntilRemoval = 4;

interface Seen {
  readonly version: string;
  /** Monotonic milliseconds of our own clock. */
  readonly at: number;
}

/**
 * Who takes part: every replica keeps a Lease of its own, and one that has not been renewed for its duration, by the observer's clock,
 * is taken as gone. Being wrong about it costs time and nothing else, as shards are handed over by Leases of their own.
 */
export class Members {
  readonly #options: SharderOptions;
  readonly #duration: number;
  readonly #name: string;
  /** The Leases of the last look; others are gone. */
  #seen: ReadonlyMap<string, Seen> = new Map();

  constructor(options: SharderOptions, leaseDuration: number) {
    this.#options = options;
    this.#duration = leaseDuration;
    this.#name = `${options.lease}-member-${digestOf(options.identity)}`;
  }

  /** Renews our own Lease. @returns the identities of all that live, ours too. @throws when the server cannot be asked */
  async beat(signal: AbortSignal): Promise<readonly string[]> {
    const { client, namespace, lease, identity } = this.#options;
    const timeout = this.#duration / 3;
    await this.#renew(timeout, signal);
    const labels = { [memberLabel]: lease };
    const live = new Set([identity]);
    const seen = new Map<string, Seen>();
    for await (const found of client.of(leaseKind).listAll({ namespace, labels, timeout, signal })) {
      if (found.metadata.labels?.[memberLabel] !== lease) continue;
      const { holderIdentity: holder } = found.spec ?? {};
      const last = this.#lastSeen(found);
      seen.set(found.metadata.name, last);
      if (holder !== undefined && this.#lives(found, last)) live.add(holder);
    }
    this.#seen = seen;
    return [...live].sort();
  }

  /** Takes our Lease away, so that others need not wait until it is old. */
  async leave(): Promise<void> {
    const { client, namespace, log } = this.#options;
    try {
      await client.of(leaseKind).delete({ namespace, name: this.#name }, { timeout: this.#duration / 3 });
    } catch (error) {
      if (!isNotFound(error))
        log.warn({ lease: this.#name, err: error }, 'member lease not removed; it grows old by itself');
    }
  }

  async #renew(timeout: number, signal: AbortSignal): Promise<void> {
    const { client, clock, namespace, lease, identity } = this.#options;
    const leases = client.of(leaseKind);
    const found = await leases.find({ namespace, name: this.#name }, { timeout, signal });
    const wanted: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: found?.metadata ?? { name: this.#name, namespace, labels: { [memberLabel]: lease } },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(this.#duration / 1000),
        renewTime: formatMicroTime(clock.now()),
      },
    };
    try {
      await (found ? leases.update(wanted, { timeout, signal }) : leases.create(wanted, { timeout, signal }));
    } catch (error) {
      // Nobody else writes it in earnest; the next beat looks again.
      if (!isConflict(error) && !isAlreadyExists(error)) throw error;
    }
  }

  /** When it was first seen as it is now. */
  #lastSeen({ metadata: { name, resourceVersion = '' } }: Lease): Seen {
    const before = this.#seen.get(name);
    return before?.version === resourceVersion
      ? before
      : { version: resourceVersion, at: this.#options.clock.monotonic() };
  }

  #lives(found: Lease, { at }: Seen): boolean {
    const age = this.#options.clock.monotonic() - at;
    if (age > durationsUntilRemoval * this.#duration) void this.#remove(found);
    return age < this.#duration;
  }

  async #remove(lease: Lease): Promise<void> {
    const { metadata } = lease;
    const { client, namespace, log } = this.#options;
    try {
      await client
        .of(leaseKind)
        .delete({ namespace, name: metadata.name }, { preconditions: asSeen(lease), timeout: this.#duration / 3 });
    } catch (error) {
      log.debug(
        { lease: metadata.name, err: error },
        'lease of a member that is gone not removed; another look follows',
      );
    }
  }
}
