import type { Cache } from '../cache/types.ts';
import type { Clock, Logger, ObjectKey, Random } from '../core/index.ts';
import type { Lane } from '../queue/index.ts';

/** What a controller gives a source of its own kind's keys that is not a watch. */
export interface ExternalSourceContext {
  /** Puts a key in the queue. Lane `child` (default) for news, `resync` for what may well have been known. */
  enqueue(key: ObjectKey, lane?: Lane): void;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Aborted when the controller stops. */
  readonly signal: AbortSignal;
}

/** A source at work. */
export interface ExternalFeed {
  /** False while it is about to learn of keys; counts for the controller's `idle`. */
  readonly idle: boolean;
}

/** Tells a controller of keys because of something outside the API server. Give it to `from`. */
export interface ExternalSource {
  /** In logs. */
  readonly name: string;
  /**
   * Begins to tell, until the signal is aborted. Called once by each controller when its workers start, so on the leader
   * alone unless the controller says otherwise. When it throws, that is logged and the controller goes on without it.
   */
  start(context: ExternalSourceContext): ExternalFeed;
}

/** The external sources of one controller, with one life. */
export class ExternalFeeds {
  readonly #sources: readonly ExternalSource[];
  readonly #stop = new AbortController();
  readonly #feeds: ExternalFeed[] = [];

  constructor(sources: readonly ExternalSource[]) {
    this.#sources = sources;
  }

  get idle(): boolean {
    return this.#stop.signal.aborted || this.#feeds.every((feed) => feed.idle);
  }

  start(context: Omit<ExternalSourceContext, 'signal'>): void {
    const { signal } = this.#stop;
    for (const source of this.#sources) {
      const log = context.log.child({ source: source.name });
      try {
        this.#feeds.push(source.start({ ...context, log, signal }));
      } catch (error) {
        log.error({ err: error }, 'the source did not start; the controller works without it');
      }
    }
  }

  stop(reason: Error): void {
    this.#stop.abort(reason);
  }
}
