import { cloneJson, own, setOwn } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import type { Deref } from './reference.ts';

type Fill = (value: object) => void;

/** What to do with one field: how to go on below it, its default, and whether its null is a value. */
interface Field {
  readonly fill: Fill;
  readonly fallback: unknown;
  readonly nullable: boolean;
}

/**
 * Compiles nodes to defaulting, each once. A null where none is allowed becomes the default, or the field is left out
 * when it has none. Defaults of absent objects do not bring those objects into being.
 */
export class Defaulter {
  readonly #deref: Deref;
  readonly #fills = new WeakMap<SchemaNode, Fill>();

  constructor(deref: Deref) {
    this.#deref = deref;
  }

  fill(reference: SchemaNode): Fill {
    let fill = this.#fills.get(reference);
    if (!fill) {
      fill = this.#compile(reference);
      this.#fills.set(reference, fill);
    }
    return fill;
  }

  #compile(reference: SchemaNode): Fill {
    let object: Fill | undefined;
    let list: Fill | undefined;
    return (value) => {
      if (Array.isArray(value)) {
        list ??= this.#list(this.#deref(reference));
        list(value);
      } else {
        object ??= this.#object(this.#deref(reference));
        object(value);
      }
    };
  }

  #field(reference: SchemaNode): Field {
    const node = this.#deref(reference);
    return { fill: this.fill(reference), fallback: node.default, nullable: node.nullable === true };
  }

  #object({ properties = {}, additionalProperties }: SchemaNode): Fill {
    const named = new Map(Object.entries(properties).map(([name, child]) => [name, this.#field(child)]));
    const others = typeof additionalProperties === 'object' ? this.#field(additionalProperties) : undefined;
    const defaulted = [...named].filter(([, { fallback }]) => fallback !== undefined && fallback !== null);
    if (named.size === 0 && !others) return leave;
    return (value) => {
      const fields = value as Record<string, unknown>;
      for (const [name, { fallback }] of defaulted) {
        if (own(fields, name) === undefined) setOwn(fields, name, cloneJson(fallback));
      }
      for (const name in fields) {
        const field = named.get(name) ?? others;
        if (field) fillField(fields, name, field);
      }
    };
  }

  #list({ items }: SchemaNode): Fill {
    if (!items) return leave;
    const { fill, fallback, nullable } = this.#field(items);
    return (value) => {
      const list = value as unknown[];
      for (let i = 0; i < list.length; i++) {
        if (list[i] === null && !nullable && fallback !== undefined) list[i] = cloneJson(fallback);
        const item = list[i];
        if (typeof item === 'object' && item !== null) fill(item);
      }
    };
  }
}

function fillField(fields: Record<string, unknown>, name: string, { fill, fallback, nullable }: Field): void {
  if (fields[name] === null && !nullable) {
    if (fallback === undefined || fallback === null) delete fields[name];
    else setOwn(fields, name, cloneJson(fallback));
  }
  const value = fields[name];
  if (typeof value === 'object' && value !== null) fill(value);
}

const leave: Fill = () => {};
