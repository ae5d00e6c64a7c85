const paths = /^\/(?:_coxswain|healthz|livez|readyz|metrics)(?:\/|$)/;

/** Paths that must get through whatever the server suffers from: health, metrics, and the calling off of faults. */
export function isAlwaysServed(path: string): boolean {
  return paths.test(path);
}
