import type { OutgoingEvent } from '../apiserver/types.ts';
import type { WatchEncoding } from './watch-encoding.ts';

/** Events that are written together, and their bytes. */
export interface WatchBatch {
  readonly events: readonly OutgoingEvent[];
  readonly bytes: Buffer;
}

interface Known extends WatchBatch {
  readonly encoding: Pick<WatchEncoding, 'parts' | 'pack'>;
  readonly limit: number;
}

const nothing: WatchBatch = { events: [], bytes: Buffer.alloc(0) };

/** The batches made lately, by their first events: watches that see the same mostly write the same. */
const made = new WeakMap<OutgoingEvent, Known[]>();

/**
 * The events of a queue from index `from` on that are to be written next: about `limit` bytes at most. Watches whose queues go on the
 * same way get the same bytes, which are shared and must not be written to.
 */
export function nextBatch(
  queue: readonly OutgoingEvent[],
  from: number,
  encoding: WatchEncoding,
  limit: number,
): WatchBatch {
  const first = queue[from];
  if (!first) return nothing;
  const known = made.get(first);
  const same = known?.find((batch) => fits(batch, queue, from, encoding, limit));
  if (same) return same;
  const batch = { ...take(queue, from, encoding, limit), encoding, limit };
  if (known) known.push(batch);
  else made.set(first, [batch]);
  return batch;
}

function fits(known: Known, queue: readonly OutgoingEvent[], from: number, encoding: WatchEncoding, limit: number) {
  if (known.encoding.parts !== encoding.parts || known.encoding.pack !== encoding.pack) return false;
  const { events, bytes } = known;
  // A batch ends where the queue ends or the limit is reached.
  const full = bytes.length >= limit || encoding.pack !== undefined;
  if (known.limit !== limit || events.length > queue.length - from) return false;
  if (events.length < queue.length - from && !full) return false;
  for (let i = 0; i < events.length; i++) if (events[i] !== queue[from + i]) return false;
  return true;
}

function take(queue: readonly OutgoingEvent[], from: number, encoding: WatchEncoding, limit: number): WatchBatch {
  const events: OutgoingEvent[] = [];
  const parts: Buffer[] = [];
  let size = 0;
  for (let at = from; at < queue.length && size < limit; at++) {
    const event = queue[at] as OutgoingEvent;
    events.push(event);
    for (const part of encoding.parts(event)) {
      parts.push(part);
      size += part.length;
    }
  }
  const [only] = parts;
  if (encoding.pack) return { events, bytes: encoding.pack(parts) };
  return { events, bytes: only && parts.length === 1 ? only : Buffer.concat(parts, size) };
}
