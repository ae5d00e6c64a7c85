/**
 * A number as a JSON text writes it, where that says more than its value: `1.0` and `1e3` are no whole numbers to Go's decoder, and a
 * quantity keeps its digits.
 */
export class JsonNumber {
  readonly literal: string;

  constructor(literal: string) {
    this.literal = literal;
  }

  toString(): string {
    return this.literal;
  }

  /** As values of no particular type have it: whole numbers of 64 bits are exact, all others are doubles. */
  get value(): number | bigint {
    return exactNumber(Number(this.literal), this.literal);
  }
}

/** A parsed number, or the `bigint` that its text stands for when no double holds it and 64 bits do. */
export function exactNumber(value: number, literal: string): number | bigint {
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(literal)) return value;
  const exact = BigInt(literal);
  return BigInt.asIntN(64, exact) === exact ? exact : value;
}

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** A JSON text's value, with numbers as {@link exactNumber} says. */
export interface ExactJson {
  readonly value: unknown;
  /** The first number that no double holds (`1e400`); in the value it is 0. */
  readonly huge?: string;
}

/** @throws SyntaxError */
export function parseExact(text: string): ExactJson {
  let huge: string | undefined;
  const value = parse(text, (_key, item, { source }) => {
    if (typeof item !== 'number' || source === undefined) return item;
    if (Number.isFinite(item)) return exactNumber(item, source);
    huge ??= source;
    return 0;
  });
  return huge === undefined ? { value } : { value, huge };
}

/** `JSON.parse`, with every number whose text says more than its value as a {@link JsonNumber}. @throws SyntaxError */
export function parseLiterally(text: string): unknown {
  return parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? new JsonNumber(source) : value,
  );
}
