import { escapeName } from '../cel/rules/escape.ts';
import { setOwn } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import type { Infer, InferInput, ObjectInput, ObjectValue, Props } from './infer.ts';
import { checkedPattern } from './pattern-text.ts';
import { Schema } from './schema.ts';

/** `string` with its facets. Lengths count Unicode code points. */
export class StringSchema<T extends string = string> extends Schema<T> {
  /**
   * RE2 syntax, unanchored: write `^…$` for a whole match.
   * @throws TypeError when RE2 cannot read it: look-around and back-references are not in it
   */
  pattern(re2: string | RegExp): this {
    return this.with({ pattern: checkedPattern(re2) });
  }
  minLength(n: number): this {
    return this.with({ minLength: n });
  }
  maxLength(n: number): this {
    return this.with({ maxLength: n });
  }
  /** `date-time`, `duration`, `ipv4` …; a format the server does not know is not checked. */
  format(name: string): this {
    return this.with({ format: name });
  }
}

/** `integer` or `number` with its bounds. */
export class NumberSchema extends Schema<number> {
  min(n: number): this {
    return this.with({ minimum: n });
  }
  max(n: number): this {
    return this.with({ maximum: n });
  }
  exclusiveMin(n: number): this {
    return this.with({ minimum: n, exclusiveMinimum: true });
  }
  exclusiveMax(n: number): this {
    return this.with({ maximum: n, exclusiveMaximum: true });
  }
  multipleOf(n: number): this {
    return this.with({ multipleOf: n });
  }
}

/** The names of a type's fields. */
export type KeyOf<T> = T extends object ? Extract<keyof T, string> : string;
/** At least one of them. */
export type Keys<T> = readonly [KeyOf<T>, ...KeyOf<T>[]];

/**
 * How server-side apply and uniqueness treat a list; default `atomic`. `map` needs `keys`: scalar fields of the item,
 * each required or defaulted.
 */
export type ListOptions<Item = unknown> =
  | { readonly type?: 'atomic' | 'set'; readonly keys?: never }
  | { readonly type: 'map'; readonly keys: Keys<Item> };

/** A list: how it is merged, and how many items it may have. */
export class ListSchema<T, Input = T> extends Schema<readonly T[], readonly Input[]> {
  /** Server-side apply replaces the list as a whole. The server takes lists so when nothing is said, too. */
  atomic(): this {
    return this.with({ 'x-kubernetes-list-type': 'atomic' });
  }
  minItems(n: number): this {
    return this.with({ minItems: n });
  }
  maxItems(n: number): this {
    return this.with({ maxItems: n });
  }
}

/** Anything that is a JSON object. */
export class MapSchema<T, Input = T> extends Schema<T, Input> {
  minProperties(n: number): this {
    return this.with({ minProperties: n });
  }
  maxProperties(n: number): this {
    return this.with({ maxProperties: n });
  }
  /** Server-side apply replaces the value as a whole. */
  atomic(): this {
    return this.with({ 'x-kubernetes-map-type': 'atomic' });
  }
  /** Server-side apply merges field by field. The server takes objects so when nothing is said, too. */
  granular(): this {
    return this.with({ 'x-kubernetes-map-type': 'granular' });
  }
  /** Fields that the schema does not name are kept, not pruned. */
  preserveUnknown(): this {
    return this.with({ 'x-kubernetes-preserve-unknown-fields': true });
  }
}

/** An object with named properties; `props` can be spread into another object. */
export class ObjectSchema<P extends Props> extends MapSchema<ObjectValue<P>, ObjectInput<P>> {
  readonly props: P;

  constructor(props: P, facets: SchemaNode = {}) {
    super({ ...facets, ...objectNode(props) });
    this.props = props;
  }

  /** This object with more properties; same names are replaced. Facets and rules are kept. */
  extend<Q extends Props>(more: Q): ObjectSchema<Omit<P, keyof Q> & Q> {
    const { properties: _, required: __, ...facets } = this.node;
    const props = { ...this.props, ...more } as unknown as Omit<P, keyof Q> & Q;
    return new ObjectSchema(props, facets);
  }

  /** Of these fields one and only one is set. */
  exactlyOneOf(...names: FieldNames<P>): this {
    return this.rule(`${howManySet(names)} == 1`, `exactly one of the fields in [${names.join(' ')}] must be set`);
  }
  /** Of these fields one is set, or none. */
  atMostOneOf(...names: FieldNames<P>): this {
    return this.rule(`${howManySet(names)} <= 1`, `at most one of the fields in [${names.join(' ')}] may be set`);
  }
  /** Of these fields one is set, or more. */
  atLeastOneOf(...names: FieldNames<P>): this {
    return this.rule(`${howManySet(names)} >= 1`, `at least one of the fields in [${names.join(' ')}] must be set`);
  }
  /** Once set, the field cannot be left out. Together with `immutable()` of the field it stays as it was first set. */
  keepsOnceSet(name: FieldName<P>): this {
    const field = celName(name);
    return this.rule(`!has(oldSelf.${field}) || has(self.${field})`, `field ${name} is immutable once set`);
  }
}

type FieldName<P> = Extract<keyof P, string>;
type FieldNames<P> = readonly [FieldName<P>, FieldName<P>, ...FieldName<P>[]];

/** CEL that counts the fields that are set. */
function howManySet(names: readonly string[]): string {
  return `[${names.map((name) => `has(self.${celName(name)})`).join(',')}].filter(x,x==true).size()`;
}

function celName(name: string): string {
  const escaped = escapeName(name);
  if (escaped === undefined) throw new TypeError(`CEL has no way to write the field ${name}`);
  return escaped;
}

function objectNode(props: Props): SchemaNode {
  const properties: Record<string, SchemaNode> = {};
  const required: string[] = [];
  for (const [name, schema] of Object.entries(props)) {
    setOwn(properties, name, schema.node);
    if (!schema.omittable) required.push(name);
  }
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** A list builder for the item builder `S`. */
export type ListOf<S extends Schema<unknown>> = ListSchema<Infer<S>, InferInput<S>>;
/** A map builder for the value builder `S`. */
export type MapOf<S extends Schema<unknown>> = MapSchema<
  Readonly<Record<string, Infer<S>>>,
  Readonly<Record<string, InferInput<S>>>
>;
