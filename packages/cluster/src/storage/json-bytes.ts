const cache = new WeakMap<object, Buffer>();

/**
 * The JSON text of a value as UTF-8. Of frozen objects it is made once and kept as long as the object lives: a stored object
 * is serialised once for the log, all readers and all watchers. The answer is shared: it must not be written to.
 */
export function jsonBytes(value: unknown): Buffer {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value))
    return Buffer.from(JSON.stringify(value) ?? 'null');
  let bytes = cache.get(value);
  if (!bytes) {
    bytes = Buffer.from(JSON.stringify(value));
    cache.set(value, bytes);
  }
  return bytes;
}

/** Bytes of a frozen value when they were made already. */
export function cachedJsonBytes(value: object): Buffer | undefined {
  return cache.get(value);
}
