/** A number of 16 or more digits that follows `:`, `[` or `,`: maybe one that a float cannot hold. Strings may match too. */
const longNumber = /[:[,]\s*-?\d{16}/;

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;
const parse = JSON.parse as (text: string, reviver?: Reviver) => unknown;
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

/**
 * `JSON.parse`, but an integer beyond 2^53 becomes a `bigint` instead of another number. Such are rare (int64 fields of
 * custom resources, nanoseconds), so texts without a long number pay only for the search.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  return longNumber.test(text) ? parse(text, exactInteger) : parse(text);
}

/** `JSON.stringify`, with `bigint`s written as the integers they are. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError) || !/BigInt/.test(error.message)) throw error;
    return JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? rawJson(item.toString()) : item));
  }
}

function exactInteger(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  const rounded =
    typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source);
  return rounded ? BigInt(source) : value;
}
