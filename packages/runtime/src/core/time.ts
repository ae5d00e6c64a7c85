const rfc3339 = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/** The second that was formatted last: many objects are stamped within one, and may share its text. */
let last = { second: Number.NaN, text: '' };

/** `2026-01-02T03:04:05Z`: the form of `metav1.Time`. Parts of a second are cut. @param ms milliseconds since the epoch */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== last.second) last = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` };
  return last.text;
}

/**
 * `2026-01-02T03:04:05.678901Z`: the form of `metav1.MicroTime`, which the server refuses with any other number of digits.
 * @param ms milliseconds since the epoch; a fraction gives the microseconds
 */
export function formatMicroTime(ms: number): string {
  // Rounded, not cut: the float nearest to a whole microsecond may lie below it.
  const micros = Math.round(ms * 1000);
  const seconds = Math.floor(micros / 1_000_000);
  const fraction = String(micros - seconds * 1_000_000).padStart(6, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}

/**
 * Milliseconds since the epoch of an RFC 3339 time of any precision and zone; parts of a millisecond are a fraction.
 * @throws Error when `text` is not such a time
 */
export function parseTime(text: string): number {
  const match = rfc3339.exec(text);
  const seconds = match ? Date.parse(`${match[1]}T${match[2]}${(match[4] ?? 'Z').toUpperCase()}`) : Number.NaN;
  if (Number.isNaN(seconds)) {
    throw new Error(`"${text}" is not a time: expected the form 2026-01-02T03:04:05Z`);
  }
  return match?.[3] ? seconds + Number(`0.${match[3]}`) * 1000 : seconds;
}
