/** Fewer digits always fit a float exactly. */
const longDigits = 16;

type Reviver = (this: unknown, key: string, value: unknown, context?: { readonly source?: string }) => unknown;
const parse = JSON.parse as (text: string, reviver?: Reviver) => unknown;
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

/**
 * `JSON.parse`, but an integer beyond 2^53 becomes a `bigint` instead of another number. Such are rare (int64 fields of
 * custom resources, nanoseconds), so texts without a long number pay only for the search.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  return hasLongDigits(text) ? parse(text, exactInteger) : parse(text);
}

/** `JSON.stringify`, with `bigint`s written as the integers they are. @param indent spaces a level; default: all on one line */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError) || !/BigInt/.test(error.message)) throw error;
    const exact = (_key: string, item: unknown) => (typeof item === 'bigint' ? rawJson(item.toString()) : item);
    return JSON.stringify(value, exact, indent);
  }
}

/** Node before 21 does not say what a value was made of: such an integer is rounded there. */
function exactInteger(_key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  const rounded =
    typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source);
  return rounded ? BigInt(source) : value;
}

/**
 * Whether there are 16 digits in a row anywhere. Only every 16th character needs a look to know, which makes this nearly free
 * beside the parsing; a regular expression takes a fifth of its time.
 */
function hasLongDigits(text: string): boolean {
  for (let i = longDigits - 1; i < text.length; i += longDigits) {
    if (!isDigit(text, i)) continue;
    let [start, end] = [i, i];
    while (isDigit(text, start - 1)) start--;
    while (isDigit(text, end + 1)) end++;
    if (end - start + 1 >= longDigits) return true;
  }
  return false;
}

/** False outside the text too. */
function isDigit(text: string, i: number): boolean {
  const code = text.charCodeAt(i);
  return code >= 48 && code <= 57;
}
