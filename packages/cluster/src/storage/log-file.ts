import { closeSync, fdatasync, fstat, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { logMark, syncDirectory } from './files.ts';

/** A log as the journal sees it. */
export interface LogSink {
  readonly path: string;
  /** Bytes that are surely whole. */
  readonly size: number;
  /** Writes all of `bytes`, or nothing. @throws the system's error */
  append(bytes: Buffer): void;
  sync(): Promise<void>;
  close(): void;
}

/** One log being written. Writes are synchronous (the system's cache takes them at once), syncing to the disk is not. */
export class LogFile implements LogSink {
  readonly path: string;
  size: number;
  readonly #fd: number;

  /** Goes on after the first `size` bytes of a file, or makes it. */
  constructor(path: string, size = 0) {
    this.path = path;
    this.#fd = openSync(path, size === 0 ? 'w' : 'r+', 0o600);
    this.size = size;
    if (size === 0) this.#begin();
  }

  append(bytes: Buffer): void {
    let written = 0;
    try {
      while (written < bytes.length) {
        written += writeSync(this.#fd, bytes, written, bytes.length - written, this.size + written);
      }
    } catch (error) {
      // What a failed write left behind must not be taken for a torn record later.
      if (written > 0) ftruncateSync(this.#fd, this.size);
      throw error;
    }
    this.size += bytes.length;
  }

  async sync(): Promise<void> {
    await new Promise<void>((resolve, reject) => fdatasync(this.#fd, (error) => (error ? reject(error) : resolve())));
    // What is written to a file that was removed is gone with this process, however well it is synced.
    if ((await this.#links()) === 0) throw new Error('the file was removed');
  }

  #links(): Promise<number> {
    return new Promise((resolve, reject) =>
      fstat(this.#fd, (error, stats) => (error ? reject(error) : resolve(stats.nlink))),
    );
  }

  close(): void {
    closeSync(this.#fd);
  }

  #begin(): void {
    try {
      this.append(Buffer.from(logMark));
      syncDirectory(dirname(this.path));
    } catch (error) {
      this.close();
      rmSync(this.path, { force: true });
      throw error;
    }
  }
}
