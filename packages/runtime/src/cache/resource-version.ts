const form = /^(?:0|[1-9]\d*)$/;

/**
 * Whether resource versions of this server can be put in order. True for everything kube-apiserver stores itself; an
 * aggregated API may use opaque ones.
 */
export function isOrdered(version: string | undefined): boolean {
  return version !== undefined && form.test(version);
}

/** Negative, 0 or positive. Both must be ordered; compared as text, since they may exceed what a number holds. */
export function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
