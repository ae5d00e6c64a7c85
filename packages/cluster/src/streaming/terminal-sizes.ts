import type { TerminalSize } from '../apiserver/streams.ts';

/** One size as JSON is far shorter. */
const longest = 1024;

/**
 * The sizes a client tells of: JSON objects one after the other, however they are cut. Only the newest waits to be read.
 * Anything else ends the sequence.
 */
export class TerminalSizes implements AsyncIterableIterator<TerminalSize> {
  #text = '';
  #newest: TerminalSize | undefined;
  #ended = false;
  #wake: (() => void) | undefined;

  deliver(data: Buffer): undefined {
    if (this.#ended) return;
    this.#text += data.toString('latin1');
    for (let end = this.#text.indexOf('}'); end >= 0; end = this.#text.indexOf('}')) {
      const size = parse(this.#text.slice(0, end + 1));
      if (!size) {
        this.finish();
        return;
      }
      this.#newest = size;
      this.#text = this.#text.slice(end + 1);
    }
    if (this.#text.length > longest) this.finish();
    else this.#wake?.();
  }

  finish(): void {
    this.#ended = true;
    this.#text = '';
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<TerminalSize>> {
    while (!this.#newest) {
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const value = this.#newest;
    this.#newest = undefined;
    return { done: false, value };
  }

  async return(): Promise<IteratorResult<TerminalSize>> {
    this.#newest = undefined;
    this.finish();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** Keys are `Width` and `Height` in whatever case, as Go reads them. */
function parse(text: string): TerminalSize | undefined {
  try {
    const entries = Object.entries(JSON.parse(text) as object).map(([key, value]) => [key.toLowerCase(), value]);
    const { width = 0, height = 0 } = Object.fromEntries(entries) as Record<string, unknown>;
    return isCount(width) && isCount(height) ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffff;
