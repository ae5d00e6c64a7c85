import type { LogOptions } from '../apiserver/index.ts';

/** A line of a log, without its end. `time` is milliseconds since the epoch. */
export interface LogLine {
  readonly time: number;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
  /** It goes on in the next line of the same stream. */
  readonly partial?: boolean;
}

/** Where the lines of a log are read from. Positions are numbers of its own; later ones are greater. */
export interface ReadableLog {
  /** Nothing comes any more. */
  readonly ended: boolean;
  /** Where the last so many lines begin; without a number, where the first line does that is still kept. */
  start(tailLines?: number): number | Promise<number>;
  /** Some of the lines from a position on, and where they end. No lines: there are no more now. */
  read(position: number): LogPart | Promise<LogPart>;
  /** Resolves when there is something behind the position, at the end of the log, or when the signal is aborted. */
  changed(position: number, signal: AbortSignal): Promise<void>;
}

export interface LogPart {
  readonly lines: readonly LogLine[];
  readonly next: number;
}

/** `2026-01-02T03:04:05.678000000Z` */
export function stamp(time: number): string {
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

/** Puts lines into bytes as they are wanted. What continues a line has no time of its own. */
class Lines {
  readonly #options: LogOptions;
  readonly #open = { stdout: false, stderr: false };

  constructor(options: LogOptions) {
    this.#options = options;
  }

  bytes(lines: readonly LogLine[]): Buffer {
    return Buffer.from(lines.map((line) => this.#text(line)).join(''));
  }

  #text({ time, stream, text, partial = false }: LogLine): string {
    const { since, timestamps } = this.#options;
    const continues = this.#open[stream];
    this.#open[stream] = partial;
    if (since !== undefined && time < since) return '';
    return `${timestamps && !continues ? `${stamp(time)} ` : ''}${text}${partial ? '' : '\n'}`;
  }
}

/** The part of a log that is asked for. The last lines are counted before the others are chosen by their time, as on a real node. */
export async function* readLog(
  log: ReadableLog,
  options: LogOptions,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { tailLines, limitBytes = Number.POSITIVE_INFINITY, follow } = options;
  const limit = new Limit(limitBytes);
  const wanted = new Lines(options);
  let position = await log.start(tailLines);
  while (!signal.aborted) {
    const { ended } = log;
    const { lines, next } = await log.read(position);
    const moved = next > position;
    position = next;
    const bytes = limit.take(wanted.bytes(lines));
    if (bytes.length > 0) yield bytes;
    if (limit.reached) return;
    if (moved) continue;
    if (!follow || ended) return;
    await log.changed(position, signal);
  }
}
