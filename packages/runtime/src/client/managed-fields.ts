import type { ObjectMeta } from '@coxswain/k8s';
import { parseJson } from './parse-json.ts';
import type { KeepManagedFields } from './transport.ts';

/** A JSON text without the managed fields of its object, and these as the text they were. */
interface Cut {
  /** The text, with a mark in their place. */
  readonly text: string;
  readonly managedFields: string;
}

/** Stands where managed fields were cut out. A text that has it already is parsed whole. */
const mark = '<managed fields>';

/** With an element: of an empty list, the end would be that of the next list. */
const key = '"managedFields":[{';

/**
 * Cuts the first array `managedFields` out of a JSON text. They are half of most objects and the slow half to parse, as their keys are
 * names. No key of that name can be within a string, where quotes are escaped. The end is the first `]`, as there is no other array in
 * managed fields, and what is before it the last entry; should a field's name hold one, the rest is no JSON any more, and who parses it
 * has to take the whole text instead. So has who does not find the mark where managed fields belong.
 */
function cutManagedFields(text: string): Cut | undefined {
  const at = text.indexOf(key);
  if (at < 0) return undefined;
  const start = at + key.length - 2;
  const end = text.indexOf(']', start) + 1;
  if (text[end - 2] !== '}' || text.includes(mark)) return undefined;
  return { text: `${text.slice(0, start)}"${mark}"${text.slice(end)}`, managedFields: text.slice(start, end) };
}

type Metadata = { managedFields?: unknown } | undefined;

/**
 * Parses a JSON text and hands the managed fields of its object over as text.
 * @param metadataOf where the object's metadata is in what was parsed
 * @returns `undefined` where they cannot be told from the text, which has to be parsed whole then
 */
export function parseWithoutManagedFields<T>(
  text: string,
  metadataOf: (parsed: T) => Metadata,
  keep: KeepManagedFields,
): T | undefined {
  const cut = cutManagedFields(text);
  if (!cut) return undefined;
  try {
    const parsed = parseJson(cut.text) as T;
    const metadata = metadataOf(parsed);
    // Not the object's own, but those of one within it.
    if (metadata?.managedFields !== mark) return undefined;
    metadata.managedFields = undefined;
    keep(metadata as ObjectMeta, cut.managedFields);
    return parsed;
  } catch {
    return undefined;
  }
}
