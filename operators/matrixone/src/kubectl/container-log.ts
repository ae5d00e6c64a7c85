import type { Client } from '@coxswain/runtime/client';
import { formatTime, parseTime } from '@coxswain/runtime/core';

/** A line of a log. */
export interface LogLine {
  /** When it was written, as the kubelet noted it; empty when it says nothing. */
  readonly stamp: string;
  readonly text: string;
}

/** Where a log begins. */
export interface LogStart {
  /** Milliseconds since the epoch. */
  readonly since?: number;
  /** Only so many of the last lines; absent: all. */
  readonly tail?: number;
}

export interface LoggedContainer {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/**
 * The log of one container, read piece by piece: each call has what was written since the one before. The server tells of whole seconds
 * only, so the lines of the last second are remembered, and told once.
 */
export class ContainerLog {
  readonly #client: Client;
  readonly #of: LoggedContainer;
  #start: LogStart;
  /** The second of the last line, as milliseconds, and the lines of it. */
  #second: number | undefined;
  #told = new Set<string>();
  /** The moment of the first line that was told: what was left out as it is older stays so. */
  #from: string | undefined;
  #restarts: number | undefined;

  constructor(client: Client, of: LoggedContainer, start: LogStart) {
    this.#client = client;
    this.#of = of;
    this.#start = start;
  }

  /**
   * @param restarts how often the container was started anew: when it is more than before, the end of what its predecessor wrote comes first
   * @throws ApiError NotFound: the pod has gone; BadRequest: the container has not started
   */
  async next(restarts: number, signal: AbortSignal): Promise<readonly LogLine[]> {
    const isNew = this.#restarts !== undefined && restarts > this.#restarts;
    this.#restarts = restarts;
    const before = isNew ? this.#fresh(await this.#read({ previous: 'true' }, signal)) : [];
    const now = this.#fresh(await this.#read({}, signal));
    // all that comes from now on is new
    this.#start = this.#start.since === undefined ? {} : { since: this.#start.since };
    return [...before, ...now];
  }

  async #read(more: Readonly<Record<string, string>>, signal: AbortSignal): Promise<readonly LogLine[]> {
    const { namespace, pod, container } = this.#of;
    const since = this.#second ?? this.#start.since;
    const { tail } = this.#start;
    const body = await this.#client.raw({
      method: 'GET',
      path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`,
      query: {
        container,
        timestamps: 'true',
        ...(since === undefined ? {} : { sinceTime: formatTime(since) }),
        ...(tail === undefined ? {} : { tailLines: String(tail) }),
        ...more,
      },
      signal,
    });
    return String(body ?? '')
      .split('\n')
      .filter(Boolean)
      .map(lineOf);
  }

  /** Those that were not told before. */
  #fresh(lines: readonly LogLine[]): readonly LogLine[] {
    this.#from ??= momentOf(lines.find(({ stamp }) => stamp !== '')?.stamp);
    return lines.filter(({ stamp, text }) => {
      const second = secondOf(stamp);
      if (this.#from !== undefined && (momentOf(stamp) ?? this.#from) < this.#from) return false;
      if (second !== undefined && second !== this.#second) {
        if (this.#second !== undefined && second < this.#second) return false;
        this.#second = second;
        this.#told = new Set();
      }
      const line = `${stamp} ${text}`;
      if (second !== undefined && this.#told.has(line)) return false;
      this.#told.add(line);
      return true;
    });
  }
}

function lineOf(line: string): LogLine {
  const space = line.indexOf(' ');
  const stamp = space < 0 ? line : line.slice(0, space);
  if (secondOf(stamp) === undefined) return { stamp: '', text: line };
  return { stamp, text: space < 0 ? '' : line.slice(space + 1) };
}

function secondOf(stamp: string): number | undefined {
  try {
    return Math.floor(parseTime(stamp) / 1000) * 1000;
  } catch {
    return undefined;
  }
}

/** A time to the nanosecond, as a text that sorts as times do. */
function momentOf(stamp: string | undefined): string | undefined {
  const second = stamp === undefined ? undefined : secondOf(stamp);
  if (second === undefined) return undefined;
  const fraction = /\.(\d+)/.exec(stamp ?? '')?.[1] ?? '';
  return `${String(second).padStart(15, '0')}.${fraction.padEnd(9, '0')}`;
}
