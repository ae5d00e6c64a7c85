import type { Kind, KubeObject } from '@coxswain/k8s';
import { merge } from '../client/patch.ts';
import type { Client } from '../client/types.ts';
import {
  type Clock,
  checkOptions,
  formatMicroTime,
  isNotFound,
  keyOf,
  type Logger,
  optionNames,
  type Random,
} from '../core/index.ts';
import { type EventSpec, eventKind, eventObject, type RecordedEvent, type Reporter } from './event-object.ts';

/** Writes events for people to read with `kubectl describe`. Never fails and never waits for the server. */
export interface EventRecorder {
  event(kind: Kind, object: KubeObject, details: EventDetails): void;
  /** Resolves when all that was recorded has been written or given up. */
  flush(): Promise<void>;
  /** Records nothing more; flushes what there is. */
  stop(): Promise<void>;
}

/** What happened. `action` defaults to the reason, `type` to Normal. */
export interface EventDetails {
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly action?: string;
  /** Which part of the object: `spec.containers{main}`. */
  readonly fieldPath?: string;
}

/** What `EventRecorder` writes with, and in whose name. */
export interface RecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly reporter: Reporter;
}

const recorderNames = optionNames<RecorderOptions>({
  client: true,
  clock: true,
  random: true,
  log: true,
  reporter: true,
});
const detailNames = optionNames<EventDetails>({
  type: true,
  reason: true,
  message: true,
  action: true,
  fieldPath: true,
});

/** @throws TypeError for what the server would refuse and what nobody reads */
function checkDetails(details: EventDetails): void {
  checkOptions('event', details ?? null, detailNames);
  const { type, ...texts } = details;
  if (type !== undefined && type !== 'Normal' && type !== 'Warning')
    throw new TypeError(`event: "type" is ${JSON.stringify(type)}; give "Normal" or "Warning"`);
  for (const name of ['reason', 'message', 'action', 'fieldPath'] as const) {
    const needed = name === 'reason' || name === 'message';
    if (typeof texts[name] !== 'string' && (needed || texts[name] !== undefined))
      throw new TypeError(`event: "${name}" is no text`);
  }
  if (texts.reason === '') throw new TypeError('event: "reason" is empty; give a word in CamelCase');
}

/** The same event again within this many milliseconds counts up a series instead of making a new object. */
const seriesWindow = 360_000;
/** A series is written at its second occurrence and then at most this often; the last count at the flush. */
const seriesRefresh = 60_000;
/** Per object: this many events at once, then one each {@link objectRefill} milliseconds. */
const objectBurst = 25;
const objectRefill = 300_000;
/** Events waiting to be written; more are dropped. */
const backlog = 1_000;
/** Objects and series remembered at most. */
const memory = 4_096;

interface Series {
  /** The event as created; `undefined` while that is under way or when it failed. */
  created: RecordedEvent | undefined;
  count: number;
  last: number;
  written: number;
  writtenAt: number;
  queued: boolean;
}

interface Budget {
  tokens: number;
  at: number;
}

/**
 * Records to `events.k8s.io/v1`, repeated events as series, each object within a budget. An event that the server would refuse, or with
 * details that nobody reads, is told in the log instead.
 * @throws TypeError for an option that nobody reads
 */
export function createRecorder(options: RecorderOptions): EventRecorder {
  checkOptions('createRecorder', options ?? null, recorderNames);
  const recorder = new Recorder(options);
  return {
    event: (kind, object, details) => recorder.event(kind, object, details),
    flush: () => recorder.flush(),
    stop: () => recorder.stop(),
  };
}

class Recorder {
  readonly #options: RecorderOptions;
  readonly #series = new Map<string, Series>();
  readonly #budgets = new Map<string, Budget>();
  #waiting = 0;
  #chain: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  event(kind: Kind, object: KubeObject, details: EventDetails): void {
    if (this.#stopped) return;
    try {
      checkDetails(details);
    } catch (error) {
      this.#options.log.error({ err: error, object: object.metadata.name }, 'event not written: it is none');
      return;
    }
    const { type = 'Normal', reason, message, action = reason, fieldPath } = details;
    const spec: EventSpec = { kind, object, type, reason, message, action, ...(fieldPath ? { fieldPath } : {}) };
    const now = this.#options.clock.now();
    const uid = object.metadata.uid ?? `${kind.plural}/${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    const id = [uid, type, reason, action, fieldPath, message].join('\n');
    const series = this.#series.get(id);
    if (series && now - series.last < seriesWindow) this.#again(id, series, now);
    else if (this.#allowed(uid, now)) this.#first(id, spec, now);
    else this.#options.log.debug({ reason, object: object.metadata.name }, 'event dropped: too many on this object');
  }

  flush(): Promise<void> {
    for (const series of this.#series.values()) {
      if (series.count > series.written) this.#queueSeries(series);
    }
    return this.#chain;
  }

  stop(): Promise<void> {
    this.#stopped = true;
    return this.flush();
  }

  #first(id: string, spec: EventSpec, now: number): void {
    const { random, reporter } = this.#options;
    const suffix = `${Math.floor(now).toString(16)}${Math.floor(random.next() * 0xfffff)
      .toString(16)
      .padStart(5, '0')}`;
    const series: Series = { created: undefined, count: 1, last: now, written: 1, writtenAt: now, queued: false };
    this.#remember(this.#series, id, series);
    this.#write(async () => {
      const event = eventObject(spec, now, suffix, reporter);
      series.created = await this.#options.client.of(eventKind).create(event);
    });
  }

  #again(id: string, series: Series, now: number): void {
    series.count++;
    series.last = now;
    this.#remember(this.#series, id, series);
    if (series.count === 2 || now - series.writtenAt >= seriesRefresh) this.#queueSeries(series);
  }

  #queueSeries(series: Series): void {
    if (series.queued) return;
    series.queued = true;
    this.#write(async () => {
      series.queued = false;
      if (!series.created || series.count === series.written) return;
      const { count, last } = series;
      series.written = count;
      series.writtenAt = last;
      const patch = merge({ series: { count, lastObservedTime: formatMicroTime(last) } });
      try {
        await this.#options.client.of(eventKind).patch(keyOf(series.created), patch);
      } catch (error) {
        // Events expire on the server; a series that outlived its event is written anew.
        if (!isNotFound(error)) throw error;
        const { resourceVersion: _, uid: __, ...metadata } = series.created.metadata;
        const again = { ...series.created, metadata, series: { count, lastObservedTime: formatMicroTime(last) } };
        series.created = await this.#options.client.of(eventKind).create(again);
      }
    });
  }

  /** One write at a time, in order; a failure costs that event only. */
  #write(task: () => Promise<void>): void {
    if (this.#waiting >= backlog) {
      this.#options.log.warn({ waiting: this.#waiting }, 'event dropped: the server takes events too slowly');
      return;
    }
    this.#waiting++;
    this.#chain = this.#chain.then(async () => {
      try {
        await task();
      } catch (error) {
        this.#options.log.debug({ err: error }, 'event not written');
      }
      this.#waiting--;
    });
  }

  #allowed(uid: string, now: number): boolean {
    const known = this.#budgets.get(uid);
    const refilled = known ? Math.min(objectBurst, known.tokens + (now - known.at) / objectRefill) : objectBurst;
    this.#remember(this.#budgets, uid, { tokens: refilled >= 1 ? refilled - 1 : refilled, at: now });
    return refilled >= 1;
  }

  /** Sets an entry as the newest and drops the oldest beyond the limit. */
  #remember<V>(map: Map<string, V>, id: string, value: V): void {
    map.delete(id);
    map.set(id, value);
    if (map.size <= memory) return;
    const oldest = map.keys().next();
    if (!oldest.done) map.delete(oldest.value);
  }
}
