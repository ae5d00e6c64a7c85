import { editDistance } from './edit-distance.ts';
import { isFields } from './fields.ts';

/**
 * The names of an options type, all of them and no other; for {@link checkOptions}:
 * `optionNames<EventDetails>({ type: true, reason: true, … })` does not compile when a name is missing or too much.
 */
export function optionNames<O extends object>(names: Readonly<Record<keyof Required<O>, true>>): readonly string[] {
  return Object.keys(names);
}

/**
 * Refuses options that nobody reads: in JavaScript, and in objects that are spread, the compiler does not see a mistyped one.
 * @param what whose options they are, as people call it: `createManager`
 * @param given what was given; absent is fine
 * @param known every name that is read, see {@link optionNames}
 * @throws TypeError naming the option that is not known and the nearest known one, or what was given instead of options
 */
export function checkOptions(what: string, given: unknown, known: readonly string[]): void {
  if (given === undefined) return;
  if (!isFields(given)) throw new TypeError(`${what}: options are an object, not ${describe(given)}`);
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    const help = near ? `did you mean \`${near}\`?` : `known are ${known.join(', ')}`;
    throw new TypeError(`${what}: unknown option \`${name}\`; ${help}`);
  }
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/** The known name that `name` was meant to be; `undefined` when none is near. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  let best: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const edits = editDistance(lower, candidate.toLowerCase());
    if (edits >= least || edits >= candidate.length) continue;
    best = candidate;
    least = edits;
  }
  return best;
}
