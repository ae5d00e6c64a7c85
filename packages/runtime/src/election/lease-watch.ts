import { type Clock, isForbidden, type Logger, linkedController, sleep } from '../core/index.ts';
import { type Lease, leaseKind } from './lease.ts';
import type { ElectorOptions } from './options.ts';

/** Seconds after which the server is asked to end the stream, and milliseconds after which it is given up here. */
const serverLifetime = 300;
const lifetime = 330_000;
/** Milliseconds between two streams: doubling from the first to the longest while they end early. */
const firstPause = 1_000;
const longestPause = 60_000;

/**
 * Tells a standby at once that its lease is free: released or deleted. It only tells when to look: what it says may be late, come twice
 * or not at all, and who may lead is decided by asking the server. Where the watch is not allowed or breaks, the tries on the clock remain.
 */
export class LeaseWatch {
  readonly #options: Pick<ElectorOptions, 'client' | 'clock' | 'random' | 'namespace' | 'lease'>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #freed: () => void;
  #stop: AbortController | undefined;
  /** Version of the free lease that was told last: an event that comes twice is told once. */
  #told: string | undefined;
  #saidForbidden = false;

  /** @param freed called when the lease was seen free */
  constructor(options: ElectorOptions, freed: () => void) {
    this.#options = options;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#freed = freed;
  }

  /** Does nothing when it watches already. */
  start(): void {
    if (this.#stop) return;
    this.#stop = new AbortController();
    void this.#run(this.#stop.signal);
  }

  stop(): void {
    this.#stop?.abort(new Error('the lease is not watched any more'));
    this.#stop = undefined;
  }

  async #run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      const began = this.#clock.monotonic();
      await this.#follow(signal).catch((error: unknown) => this.#failed(error, signal));
      failures = this.#clock.monotonic() - began >= longestPause ? 0 : failures + 1;
      const pause = Math.min(longestPause, firstPause * 2 ** Math.min(failures, 10));
      await sleep(this.#clock, pause * (1 - this.#options.random.next() / 2), signal).catch(() => {});
    }
  }

  /** One stream, from the lease as it is. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { client, namespace, lease } = this.#options;
    const { controller, unlink } = linkedController(signal);
    const timer = this.#clock.after(lifetime, () => controller.abort(new Error('the stream did not end')));
    try {
      const fields = { 'metadata.name': lease };
      const watch = { namespace, fields, timeoutSeconds: serverLifetime, signal: controller.signal };
      for await (const events of await client.of(leaseKind).watch(watch)) {
        for (const event of events) {
          if (signal.aborted || event.type === 'ERROR') return;
          if (event.object.metadata.name === lease) this.#take(event.type === 'DELETED', event.object);
        }
      }
    } finally {
      timer.cancel();
      unlink();
    }
  }

  #take(deleted: boolean, { metadata, spec }: Lease): void {
    if (!deleted && spec?.holderIdentity) return;
    const told = `${deleted} ${metadata.uid} ${metadata.resourceVersion}`;
    if (told === this.#told) return;
    this.#told = told;
    this.#freed();
  }

  #failed(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    const { namespace, lease } = this.#options;
    const fields = { lease: `${namespace}/${lease}` };
    if (!isForbidden(error))
      this.#log.debug({ ...fields, err: error }, 'the watch of the lease broke; it begins again');
    else if (!this.#saidForbidden) {
      this.#saidForbidden = true;
      const text =
        'the lease may not be watched, so its release is noticed only at the next try; allow the verb "watch" on leases';
      this.#log.info(fields, text);
    }
  }
}
