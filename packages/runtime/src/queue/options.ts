import { type Clock, checkNumber, checkOptions, optionNames, type Random, someMilliseconds } from '../core/index.ts';
import type { Lane } from './lane.ts';

/** Milliseconds between retries of one key: `min`, doubling, at most `max`; each with up to half taken off by chance. */
export interface Backoff {
  readonly min: number;
  readonly max: number;
}

/** At most `perSecond` keys a second are handed out, after a first burst of `burst`. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** What a queue tells about itself. Times are milliseconds. */
export interface QueueObserver {
  added(lane: Lane): void;
  /** Keys waiting in one lane, after each change. */
  depth(lane: Lane, depth: number): void;
  started(waited: number): void;
  finished(worked: number): void;
  retried(): void;
}

/** What a work queue waits and draws with, and its backoff and limits. */
export interface QueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Default { min: 5, max: 300 000 }. */
  readonly backoff?: Backoff;
  /** Default: none. */
  readonly rate?: RateLimit;
  /**
   * Milliseconds of waiting that make up for one lane; default 10 000. A key of the last lane goes before a fresh key
   * of the first after three times this, so no lane starves.
   */
  readonly ageing?: number;
  readonly observer?: QueueObserver;
}

export const defaultBackoff: Backoff = { min: 5, max: 300_000 };
export const defaultAgeing = 10_000;

const queueOptions = optionNames<QueueOptions>({
  clock: true,
  random: true,
  backoff: true,
  rate: true,
  ageing: true,
  observer: true,
});
const backoffOptions = optionNames<Backoff>({ min: true, max: true });
const rateOptions = optionNames<RateLimit>({ perSecond: true, burst: true });

/** @throws TypeError for an option that nobody reads, RangeError for a number that makes no sense */
export function checkQueueOptions(options: QueueOptions): void {
  checkOptions('work queue', options, queueOptions);
  checkPace('work queue', options);
  checkNumber('work queue', 'ageing', options.ageing, someMilliseconds);
}

/**
 * @param what whose options they are, in errors
 * @throws TypeError for an option that nobody reads, RangeError for a number that makes no sense
 */
export function checkPace(what: string, { backoff, rate }: Pick<QueueOptions, 'backoff' | 'rate'>): void {
  checkOptions(`"backoff" of ${what}`, backoff, backoffOptions);
  if (backoff) {
    checkNumber(what, 'backoff.min', backoff.min ?? null, someMilliseconds);
    checkNumber(what, 'backoff.max', backoff.max ?? null, { from: backoff.min, unit: 'milliseconds' });
  }
  checkOptions(`"rate" of ${what}`, rate, rateOptions);
  if (rate) {
    checkNumber(what, 'rate.perSecond', rate.perSecond ?? null, { above: 0 });
    checkNumber(what, 'rate.burst', rate.burst ?? null, { from: 1 });
  }
}
