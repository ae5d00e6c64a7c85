import { stringifyJson } from '@coxswain/runtime/client';

/** Bytes that one generation of the memory may hold; two are kept. */
const generationBytes = 32 * 1024 * 1024;

/**
 * Remembers the bytes of objects: those made or asked for lately, and none of an object that is gone. Objects that nobody reads
 * do not keep their text beside themselves.
 */
export class BytesMemory {
  readonly #limit: number;
  #young = new WeakMap<object, Buffer>();
  #old = new WeakMap<object, Buffer>();
  #size = 0;

  /** @param limit of a generation, in bytes */
  constructor(limit = generationBytes) {
    this.#limit = limit;
  }

  get(value: object): Buffer | undefined {
    const young = this.#young.get(value);
    if (young) return young;
    const bytes = this.#old.get(value);
    if (bytes) this.set(value, bytes);
    return bytes;
  }

  set(value: object, bytes: Buffer): void {
    if (this.#size + bytes.length > this.#limit) {
      this.#old = this.#young;
      this.#young = new WeakMap();
      this.#size = 0;
    }
    this.#young.set(value, bytes);
    this.#size += bytes.length;
  }
}

const memory = new BytesMemory();

/**
 * The JSON text of a value as UTF-8. Of frozen objects it is kept for a while: a stored object is serialised once for the log, its
 * readers and all watchers. The answer is shared: it must not be written to.
 */
export function jsonBytes(value: unknown): Buffer {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value))
    return Buffer.from(stringifyJson(value) ?? 'null');
  let bytes = memory.get(value);
  if (!bytes) {
    bytes = Buffer.from(stringifyJson(value));
    memory.set(value, bytes);
  }
  return bytes;
}

/** Says what the text of a frozen object is. */
export function rememberJson(value: object, bytes: Buffer): void {
  memory.set(value, bytes);
}

/** Bytes of a frozen value when they were made already. */
export function cachedJsonBytes(value: object): Buffer | undefined {
  return memory.get(value);
}
