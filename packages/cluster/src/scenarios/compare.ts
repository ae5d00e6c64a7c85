import type { Course, Recording, Track, Tracks } from './types.ts';

/** One place where two recordings are not equal. */
export interface Difference {
  /** `Pod web-<1>-*  status.phase`, `events`, `order`, `notes` */
  readonly place: string;
  readonly real: string;
  readonly embedded: string;
}

const shown = (track: Track | undefined): string =>
  track === undefined ? 'nothing' : track.map((value) => (value === null ? '-' : String(value))).join(' → ');

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The course of a field that was never there. */
const never: Track = [null];

function trackDifferences(place: string, real: Tracks, embedded: Tracks): Difference[] {
  const paths = [...new Set([...Object.keys(real), ...Object.keys(embedded)])].sort();
  return paths
    .filter((path) => !same(real[path] ?? never, embedded[path] ?? never))
    .map((path) => ({ place: `${place}  ${path}`, real: shown(real[path]), embedded: shown(embedded[path]) }));
}

/** Each of the first with one of the second, the most similar ones together. */
function courseDifferences(place: string, real: readonly Course[], embedded: readonly Course[]): Difference[] {
  const count = (courses: readonly Course[]) => courses.reduce((sum, course) => sum + course.count, 0);
  const found: Difference[] = [];
  if (count(real) !== count(embedded))
    found.push({ place, real: `${count(real)} of them`, embedded: `${count(embedded)} of them` });
  const spread = (courses: readonly Course[]) =>
    courses.flatMap(({ count: n, tracks }) => Array<Tracks>(n).fill(tracks));
  const rest = spread(embedded);
  const open = spread(real).filter((tracks) => {
    const index = rest.findIndex((candidate) => same(candidate, tracks));
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
  for (const tracks of open) {
    const pairs = rest.map((candidate) => trackDifferences(place, tracks, candidate));
    const best = pairs.reduce<number>(
      (least, pair, index) => (pair.length < (pairs[least]?.length ?? Infinity) ? index : least),
      0,
    );
    found.push(...(pairs[best] ?? []));
    rest.splice(best, 1);
  }
  return found;
}

/** Lines that only one of the two has. */
function lineDifferences(place: string, real: readonly string[], embedded: readonly string[]): Difference[] {
  return [
    ...real.filter((line) => !embedded.includes(line)).map((line) => ({ place, real: line, embedded: 'nothing' })),
    ...embedded.filter((line) => !real.includes(line)).map((line) => ({ place, real: 'nothing', embedded: line })),
  ];
}

/** Where two lists part. */
function sequenceDifferences(place: string, real: readonly string[], embedded: readonly string[]): Difference[] {
  if (same(real, embedded)) return [];
  const at = real.findIndex((line, index) => line !== embedded[index]);
  const from = Math.max(0, (at < 0 ? real.length : at) - 1);
  return [
    {
      place: `${place} from ${from + 1}`,
      real: real.slice(from, from + 5).join(', '),
      embedded: embedded.slice(from, from + 5).join(', '),
    },
  ];
}

/** All places where an embedded cluster showed something else than the real one. */
export function compareRecordings(real: Recording, embedded: Recording): Difference[] {
  const keys = [...new Set([...Object.keys(real.objects), ...Object.keys(embedded.objects)])].sort();
  const differences = [
    ...keys.flatMap((key) => courseDifferences(key, real.objects[key] ?? [], embedded.objects[key] ?? [])),
    ...lineDifferences('event', real.events, embedded.events),
    ...sequenceDifferences('order', real.order, embedded.order),
    ...sequenceDifferences('notes', real.notes, embedded.notes),
  ];
  const seen = new Set<string>();
  return differences.filter((difference) => {
    const text = JSON.stringify(difference);
    return !seen.has(text) && seen.add(text);
  });
}
