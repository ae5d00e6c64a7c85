import type { RunningReconciles } from '../controller/index.ts';
import type { Clock, Logger, Timer } from '../core/index.ts';
import type { MetricsRegistry } from '../metrics/index.ts';
import type { Runnable } from './types.ts';

/** What a block monitor looks at, and whom it tells. */
export interface BlockMonitorParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly running: RunningReconciles;
  /** Milliseconds from which on a block is told. */
  readonly threshold: number;
}

/** Reconciles named in one line of the log. */
const namedLimit = 10;

/**
 * Tells when the event loop stood still: a timer that comes late by `threshold` or more was held up by something that computed all that
 * time, and so were the renewal of the lease, probes, webhooks and every other reconcile. Names the reconciles that ran meanwhile.
 */
export function blockMonitor({ clock, log, metrics, running, threshold }: BlockMonitorParts): Runnable {
  const every = threshold / 4;
  const blocks = metrics.counter({
    name: 'coxswain_event_loop_blocks_total',
    help: 'How often the event loop stood still for longer than the warning says',
  });
  const seconds = metrics.counter({
    name: 'coxswain_event_loop_blocked_seconds_total',
    help: 'Seconds for which it stood still in these',
  });
  let timer: Timer | undefined;
  const look = () => {
    const from = clock.monotonic();
    timer = clock.after(every, () => {
      const late = clock.monotonic() - from - every;
      const ran = running.since(from, Math.max(late, threshold));
      if (late >= threshold) tell(late, ran);
      look();
    });
  };
  const tell = (late: number, ran: readonly string[]) => {
    blocks.inc({});
    seconds.inc({}, late / 1000);
    const more = ran.length - namedLimit;
    log.warn(
      { ms: Math.round(late), reconciles: ran.slice(0, namedLimit), ...(more > 0 ? { moreReconciles: more } : {}) },
      'the event loop was blocked: split long computations with yieldToEventLoop, or do them in a worker thread',
    );
  };
  return {
    name: 'block monitor',
    async start(signal) {
      signal.addEventListener('abort', () => timer?.cancel(), { once: true });
      if (!signal.aborted) look();
    },
  };
}
