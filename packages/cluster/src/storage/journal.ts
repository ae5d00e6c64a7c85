import type { StorageEvent } from './types.ts';

/** Where a store writes its commits down. */
export interface Journal {
  /** @throws DataDirError while nothing can be written: the commit must not happen. */
  check(): void;
  /** Takes a commit; never throws. Written in order, soon. */
  append(event: StorageEvent): void;
  /** Resolves when all taken commits are as durable as promised. @throws DataDirError when they are not. */
  flushed(): Promise<void>;
  close(): Promise<void>;
}
