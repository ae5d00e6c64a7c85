import type { LogLine, LogPart, ReadableLog } from './read-log.ts';

/** Characters kept of one run; of more the oldest lines go. */
const kept = 1024 * 1024;

/** What one run of a container wrote, and whether more may come. */
export class ContainerLog implements ReadableLog {
  readonly #now: () => number;
  #lines: LogLine[] = [];
  #size = 0;
  #dropped = 0;
  #ended = false;
  readonly #partial = { stdout: '', stderr: '' };
  readonly #waiting = new Set<() => void>();

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** How many lines were ever written. */
  get length(): number {
    return this.#dropped + this.#lines.length;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Positions are numbers of lines. */
  start(tailLines?: number): number {
    return tailLines === undefined ? 0 : Math.max(0, this.length - tailLines);
  }

  read(position: number): LogPart {
    return { lines: this.#lines.slice(Math.max(0, position - this.#dropped)), next: this.length };
  }

  write(text: string, stream: LogLine['stream'] = 'stdout'): void {
    if (this.#ended) return;
    const lines = `${this.#partial[stream]}${text}`.split('\n');
    this.#partial[stream] = lines.pop() ?? '';
    for (const line of lines) this.#add(line, stream);
    if (lines.length > 0) this.#wake();
  }

  /** Nothing comes any more; what did not end with a line does now. */
  end(): void {
    if (this.#ended) return;
    for (const stream of ['stdout', 'stderr'] as const)
      if (this.#partial[stream] !== '') this.#add(this.#partial[stream], stream);
    this.#ended = true;
    this.#wake();
  }

  changed(position: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      if (signal.aborted || this.#ended || this.length > position) return resolve();
      this.#waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  #add(text: string, stream: LogLine['stream']): void {
    this.#lines.push({ time: this.#now(), stream, text });
    this.#size += text.length;
    while (this.#size > kept && this.#lines.length > 1) {
      this.#size -= this.#lines.shift()?.text.length ?? 0;
      this.#dropped++;
    }
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}
