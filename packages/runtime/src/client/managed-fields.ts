import type { ObjectMeta } from '@coxswain/k8s';
import { parseJson } from './parse-json.ts';
import type { KeepManagedFields } from './transport.ts';

/** A JSON text without managed fields, and these as the texts they were. */
interface Cut {
  /** The text, with its number, from 0, in the place of each. */
  readonly text: string;
  readonly managedFields: readonly string[];
}

const key = '"managedFields"';
/** With an element: of an empty list, the end would be that of the next list. */
const value = ':[{';

/**
 * Cuts all arrays `managedFields` out of a JSON text. They are half of most objects and the slow half to parse, as their keys are
 * names. No key of that name can be within a string, where quotes are escaped. The end is taken to be the first `]`, as there is no
 * other array in managed fields, with an entry before it; should a field's name hold one, the rest is no JSON any more, and who parses it has to take the whole
 * text instead. So has who does not find all the numbers where managed fields belong, or is given managed fields of another shape, which
 * could be such a number.
 */
function cutManagedFields(text: string): Cut | undefined {
  let at = text.indexOf(key);
  if (at < 0) return undefined;
  const managedFields: string[] = [];
  let rest = '';
  let copied = 0;
  for (; at >= 0; at = text.indexOf(key, copied)) {
    if (!text.startsWith(value, at + key.length)) return undefined;
    const start = at + key.length + 1;
    const end = text.indexOf(']', start) + 1;
    if (text[end - 2] !== '}') return undefined;
    rest += `${text.slice(copied, start)}${managedFields.length}`;
    managedFields.push(text.slice(start, end));
    copied = end;
  }
  return { text: rest + text.slice(copied), managedFields };
}

/** What may have managed fields: an object that came from a server, or nothing of the kind. */
export type Holder = { readonly metadata?: { managedFields?: unknown } | null } | null | undefined;

/**
 * Parses a JSON text and hands the managed fields of its objects over as texts.
 * @param holdersOf the objects in what was parsed
 * @returns `undefined` where they cannot be told from the text, which has to be parsed whole then
 */
export function parseWithoutManagedFields<T>(
  text: string,
  holdersOf: (parsed: T) => readonly Holder[],
  keep: KeepManagedFields,
): T | undefined {
  const cut = cutManagedFields(text);
  if (!cut) return undefined;
  try {
    const parsed = parseJson(cut.text) as T;
    const marked = holdersOf(parsed).flatMap((holder) =>
      typeof holder?.metadata?.managedFields === 'number' ? [holder.metadata] : [],
    );
    // Some are not an object's own, but those of one within it.
    if (marked.length !== cut.managedFields.length) return undefined;
    for (const metadata of marked) {
      const fields = cut.managedFields[metadata.managedFields as number];
      if (fields === undefined) return undefined;
      metadata.managedFields = undefined;
      keep(metadata as ObjectMeta, fields);
    }
    return parsed;
  } catch {
    return undefined;
  }
}
