import type { LogOptions } from '../apiserver/index.ts';
import type { ContainerLog, LogLine } from './container-log.ts';

/** `2026-01-02T03:04:05.678000000Z` */
function stamp(time: number): string {
  return new Date(Math.floor(time)).toISOString().replace('Z', '000000Z');
}

/** Cuts bytes that are more than are wanted. */
class Limit {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  get reached(): boolean {
    return this.#left <= 0;
  }

  take(bytes: Buffer): Buffer {
    const taken = bytes.subarray(0, this.#left);
    this.#left -= taken.length;
    return taken;
  }
}

function bytesOf(lines: readonly LogLine[], { since, timestamps }: LogOptions): Buffer {
  const wanted = since === undefined ? lines : lines.filter(({ time }) => time >= since);
  return Buffer.from(wanted.map(({ time, text }) => `${timestamps ? `${stamp(time)} ` : ''}${text}\n`).join(''));
}

/** The part of a log that is asked for. The last lines are counted before the others are chosen by their time, as on a real node. */
export async function* readLog(
  log: ContainerLog,
  options: LogOptions,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { tailLines, limitBytes = Number.POSITIVE_INFINITY, follow } = options;
  const limit = new Limit(limitBytes);
  let next = tailLines === undefined ? 0 : Math.max(0, log.length - tailLines);
  while (!signal.aborted) {
    const ended = log.ended;
    const bytes = limit.take(bytesOf(log.from(next), options));
    next = log.length;
    if (bytes.length > 0) yield bytes;
    if (limit.reached || !follow || ended) return;
    // More may have come while the reader was busy.
    if (log.length === next && !log.ended) await log.changed(signal);
  }
}
