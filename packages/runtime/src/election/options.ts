import type { Client } from '../client/index.ts';
import {
  type Clock,
  checkNumber,
  checkOptions,
  type Logger,
  optionNames,
  type Random,
  someMilliseconds,
} from '../core/index.ts';
import type { MetricsRegistry } from '../metrics/index.ts';

/** Milliseconds. `renewDeadline` must be below `leaseDuration`, and `retryPeriod` below `renewDeadline`. */
export interface ElectionTimes {
  /** A lease that was not renewed for this long may be taken over. Default 15 000. */
  readonly leaseDuration: number;
  /** A leader that could not renew for this long has lost. Default 10 000. */
  readonly renewDeadline: number;
  /** Between two tries. Default 2 000. */
  readonly retryPeriod: number;
}

/** Milliseconds, as in client-go: a lease holds 15 s, its renewal is given up after 10 s, and it is tried every 2 s. */
export const defaultTimes: ElectionTimes = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 };

/** Which lease a replica wants, under which name, and with which times. */
export interface ElectorOptions {
  /** Not fenced. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly namespace: string;
  /** Name of the Lease object. */
  readonly lease: string;
  /** Names this process; must differ between replicas and between starts. */
  readonly identity: string;
  readonly times?: ElectionTimes;
  readonly metrics?: MetricsRegistry;
}

const names = optionNames<ElectionTimes>({ leaseDuration: true, renewDeadline: true, retryPeriod: true });

/** @throws TypeError for a time that nobody reads, RangeError when the times do not keep two leaders apart */
export function checkTimes(times: ElectionTimes): ElectionTimes {
  checkOptions('election times', times, names);
  const { leaseDuration, renewDeadline, retryPeriod } = times;
  for (const [name, ms] of Object.entries({ leaseDuration, renewDeadline, retryPeriod })) {
    checkNumber('election times', name, ms ?? null, someMilliseconds);
  }
  if (!(leaseDuration > renewDeadline && renewDeadline > retryPeriod && retryPeriod > 0)) {
    throw new RangeError(
      `election times ${leaseDuration}/${renewDeadline}/${retryPeriod} ms: need leaseDuration > renewDeadline > retryPeriod > 0`,
    );
  }
  if (leaseDuration < 1_000) throw new RangeError(`election leaseDuration ${leaseDuration} ms: give at least 1 000`);
  return times;
}
