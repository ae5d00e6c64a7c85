import { type FileHandle, mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LogLine, LogPart, ReadableLog } from '../../read-log.ts';
import { criLine, LineCutter, longestPiece, parseCriLine } from './cri-line.ts';

/** When a file has so many bytes it is put aside, in the place of the one before. */
const rotateAt = 10 * 1024 * 1024;
/** Bytes read at a time; more than the longest line. */
const chunk = 4 * longestPiece;

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

/**
 * What one run of a container has written, in a file of the kubelet's format, and in one more that was put aside when it was full.
 * Positions are bytes since the first that is kept, or since the start when this process writes it.
 */
export class LogFile implements ReadableLog {
  readonly #path: string;
  readonly #now: () => number;
  readonly #cutters = { stdout: new LineCutter(), stderr: new LineCutter() };
  readonly #waiting = new Set<() => void>();
  /** Where the file put aside, and the file itself, begin. */
  #aside = 0;
  #begin = 0;
  #end = 0;
  #ended = false;
  #handle: FileHandle | undefined;
  #last: Promise<void> = Promise.resolve();

  private constructor(path: string, now: () => number) {
    this.#path = path;
    this.#now = now;
  }

  /** A log to be written. */
  static async create(path: string, now: () => number): Promise<LogFile> {
    const log = new LogFile(path, now);
    await mkdir(dirname(path), { recursive: true });
    log.#handle = await open(path, 'w', 0o640);
    return log;
  }

  /** A log of which nothing is written any more; `undefined` when it is not kept. */
  static async find(path: string): Promise<LogFile | undefined> {
    if (!(await stat(path).catch(() => undefined))) return undefined;
    const log = new LogFile(path, () => 0);
    log.#begin = await sizeOf(`${path}.1`);
    log.#end = log.#begin + (await sizeOf(path));
    log.#ended = true;
    return log;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Resolves when it is in the file. */
  write(stream: LogLine['stream'], bytes: Buffer): Promise<void> {
    const time = this.#now();
    const lines = this.#cutters[stream].push(bytes);
    return this.#append(lines.map(({ text, partial }) => criLine(time, stream, partial, text)));
  }

  /** Nothing comes any more; what did not end with a line does now. */
  async end(): Promise<void> {
    const time = this.#now();
    const rests = (['stdout', 'stderr'] as const).flatMap((stream) => {
      const rest = this.#cutters[stream].rest();
      return rest ? [criLine(time, stream, false, rest)] : [];
    });
    await this.#append(rests);
    await this.#handle?.close();
    this.#handle = undefined;
    this.#ended = true;
    this.#wake();
  }

  #append(lines: readonly Buffer[]): Promise<void> {
    if (lines.length === 0) return this.#last;
    const mine = this.#last.then(async () => {
      if (this.#end - this.#begin >= rotateAt) await this.#rotate();
      const bytes = Buffer.concat(lines);
      await this.#handle?.write(bytes, 0, bytes.length);
      this.#end += bytes.length;
      this.#wake();
    });
    // A disk that takes no more loses lines of the log; the program goes on.
    this.#last = mine.catch(() => {});
    return this.#last;
  }

  async #rotate(): Promise<void> {
    await this.#handle?.close();
    await rename(this.#path, `${this.#path}.1`);
    this.#handle = await open(this.#path, 'w', 0o640);
    this.#aside = this.#begin;
    this.#begin = this.#end;
  }

  async start(tailLines?: number): Promise<number> {
    if (tailLines === undefined) return this.#aside;
    let position = this.#end;
    let missing = tailLines + 1;
    while (position > this.#aside) {
      const from = Math.max(this.#aside, position - chunk, position > this.#begin ? this.#begin : 0);
      const bytes = await this.#bytes(from, position - from);
      for (let at = bytes.lastIndexOf(0x0a); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(0x0a, at - 1))
        if (--missing === 0) return from + at + 1;
      position = from;
    }
    return this.#aside;
  }

  async read(position: number): Promise<LogPart> {
    const from = Math.max(position, this.#aside);
    const bytes = await this.#bytes(from, Math.min(chunk, this.#end - from));
    const complete = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
    const lines = complete.toString('utf8').split('\n').slice(0, -1);
    return { lines: lines.flatMap((line) => parseCriLine(line) ?? []), next: from + complete.length };
  }

  /** Bytes from a position on, of one of the files. */
  async #bytes(from: number, length: number): Promise<Buffer> {
    if (length <= 0) return Buffer.alloc(0);
    for (;;) {
      const begin = this.#begin;
      const bytes = await this.#fromFile(Math.max(from, this.#aside), length);
      // When a file was put aside meanwhile, these may be bytes of the other one.
      if (begin === this.#begin) return bytes;
    }
  }

  async #fromFile(from: number, length: number): Promise<Buffer> {
    const [path, begin] = from >= this.#begin ? [this.#path, this.#begin] : [`${this.#path}.1`, this.#aside];
    const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!file) return Buffer.alloc(0);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from - begin);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  changed(position: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || this.#ended || this.#end > position) return resolve();
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}
