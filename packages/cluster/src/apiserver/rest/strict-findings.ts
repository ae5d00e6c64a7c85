import { eachKey } from '../request/json-keys.ts';
import type { ApiRequest } from '../types.ts';

/** What a strict decoder objects to in a body that can be read. */
export interface StrictFindings {
  /** Keys that came twice in YAML, found by its own reader: `line 7: key "k" already set in map`. */
  readonly yaml: readonly string[];
  /** `unknown field "spec.x"`, `duplicate field "spec.y"` */
  readonly texts: readonly string[];
}

/** More than these Go's decoder does not tell. */
const most = 100;

/**
 * The findings about a request's body.
 * @param unknown paths of unknown fields
 * @param typed whether the body was decoded into a Go type, in one pass: all is told in the order of the text then, else the duplicates
 * come first
 */
export function strictFindings(request: ApiRequest, unknown: readonly string[], typed: boolean): StrictFindings {
  const { text, duplicates = [] } = request;
  const yaml = text?.repeated ?? [];
  const inOrder = typed && text?.format === 'json' && unknown.length + duplicates.length > 1;
  const texts = inOrder
    ? inTextOrder(Buffer.from(text.bytes).toString('utf8'), new Set(unknown))
    : [...duplicates.map(duplicateField), ...unknown.map(unknownField)];
  return { yaml, texts: [...new Set(texts)].slice(0, most) };
}

const duplicateField = (path: string): string => `duplicate field "${path}"`;
const unknownField = (path: string): string => `unknown field "${path}"`;

/** What an unknown field holds is not looked into. */
function inTextOrder(text: string, unknown: ReadonlySet<string>): string[] {
  const found: string[] = [];
  eachKey(text, (path, repeated) => {
    if (unknown.has(path)) {
      found.push(unknownField(path));
      return false;
    }
    if (repeated) found.push(duplicateField(path));
    return true;
  });
  return found;
}

const patchFields = new Set(['op', 'path', 'from', 'value']);

/** What is odd in a patch itself: keys that came twice, and in a JSON patch unknown ones. */
export function patchFindings(request: ApiRequest, type: 'json' | 'merge' | 'strategic'): readonly string[] {
  const { duplicates = [], text, body } = request;
  if (type !== 'json') return duplicates.map(duplicateField);
  const operations: readonly unknown[] = Array.isArray(body) ? body : [];
  const unknown = operations.flatMap((operation, index) =>
    Object.keys(operation ?? {}).flatMap((key) => (patchFields.has(key) ? [] : [`[${index}].${key}`])),
  );
  if (duplicates.length + unknown.length === 0) return [];
  const found = text
    ? inTextOrder(Buffer.from(text.bytes).toString('utf8'), new Set(unknown))
    : unknown.map(unknownField);
  return found.map((finding) => `json patch ${finding}`);
}

/** All findings as one error. */
export function strictError({ yaml, texts }: StrictFindings): string {
  const whole = yaml.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${yaml.join('\n  ')}`];
  return `strict decoding error: ${[...whole, ...texts].join(', ')}`;
}
