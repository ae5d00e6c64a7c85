import { ConnectionError } from './errors.ts';
import { type Holder, parseWithoutManagedFields } from './managed-fields.ts';
import { parseJson } from './parse-json.ts';
import type { KeepManagedFields, WatchEvent } from './transport.ts';

const newline = 0x0a;

/** Cuts a stream of bytes into lines and the lines into events. A line may be spread over any number of chunks. */
export class WatchDecoder {
  readonly #keep: KeepManagedFields | undefined;
  /** The beginning of a line whose end has not come yet. */
  #rest: Buffer[] = [];

  /** @param keep takes managed fields, which are then left out of objects */
  constructor(keep?: KeepManagedFields) {
    this.#keep = keep;
  }

  /** The events that this chunk completes. @throws ConnectionError when a line is not an event */
  push(chunk: Buffer): readonly WatchEvent[] {
    const events: WatchEvent[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const event = decode(this.#line(chunk.subarray(start, end)), this.#keep);
      if (event) events.push(event);
      start = end + 1;
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
    return events;
  }

  /** The stream is over. @throws ConnectionError when it broke off within an event */
  end(): void {
    if (this.#line(Buffer.alloc(0)).trim() !== '')
      throw new ConnectionError('the watch broke off in the middle of an event');
  }

  #line(end: Buffer): string {
    if (this.#rest.length === 0) return end.toString('utf8');
    const parts = [...this.#rest, end];
    this.#rest = [];
    return Buffer.concat(parts).toString('utf8');
  }
}

function decode(line: string, keep: KeepManagedFields | undefined): WatchEvent | undefined {
  if (line.trim() === '') return undefined;
  const event = (keep && parseWithoutManagedFields(line, holdersOf, keep)) ?? parsed(line);
  const { type, object } = (event ?? {}) as { readonly type?: unknown; readonly object?: unknown };
  if (typeof type !== 'string' || typeof object !== 'object' || object === null) {
    throw new ConnectionError('the watch sent a line that is not an event');
  }
  return event as WatchEvent;
}

function parsed(line: string): unknown {
  try {
    return parseJson(line);
  } catch (cause) {
    throw new ConnectionError('the watch sent a line that is not JSON', { cause });
  }
}

const holdersOf = (event: { readonly object?: Holder } | null) => [event?.object];
