import type { Json } from '@coxswain/k8s';
import { keptHints, type UiHints } from '../csv/hints.ts';
import type { SchemaNode, ValidationRule } from '../node.ts';
import { ruleOnOneLine } from './rule-text.ts';

/** Marks a builder whose field may be left out. Carries types only. */
export interface Optional {
  readonly __optional: true;
}

/** Marks a builder whose field the server fills when it is left out. Carries types only. */
export interface Defaulted {
  readonly __defaulted: true;
}

/** Marks a builder whose field may be `null`. Carries types only. */
export interface Nullable {
  readonly __nullable: true;
}

/** Everything of a CEL rule besides its expression. */
export type RuleOptions = Omit<ValidationRule, 'rule'>;

/**
 * An immutable description of one value: its OpenAPI node and its TypeScript type `T`. `Input` is the type for writing:
 * in objects, fields with a default of their own can be left out.
 * Every chain method answers a new builder of the same kind, so the order of calls does not matter.
 */
export class Schema<T, Input = T> {
  /** Never set; carries the type. */
  readonly __type?: T;
  /** Never set; carries the type for writing. */
  readonly __input?: Input;
  readonly node: SchemaNode;
  /** Whether an object may leave this field out (`optional()`, or a default fills it). */
  readonly omittable: boolean;

  constructor(node: SchemaNode, omittable = false) {
    this.node = node;
    this.omittable = omittable;
  }

  /** The field may be left out. */
  optional(): this & Optional {
    return derive(this, this.node, true) as this & Optional;
  }

  /** The server writes `value` when the field is left out; the field is not required. */
  default(value: Input): this & Defaulted {
    return derive(this, { ...this.node, default: value as Json }, true) as this & Defaulted;
  }

  /** `null` is a value of its own, kept by the server. Without this, `null` means: left out. */
  nullable(): this & Nullable {
    return this.with({ nullable: true }) as this & Nullable;
  }

  describe(text: string): this {
    return this.with({ description: text });
  }

  /** A short heading for people; shown by documentation tools only. */
  title(text: string): this {
    return this.with({ title: text });
  }

  /** A value for people to look at; it fills nothing. */
  example(value: Input): this {
    return this.with({ example: value as Json });
  }

  /** How consoles of the Operator Lifecycle Manager show the field, in the ClusterServiceVersion (`@coxswain/schema/csv`). */
  ui(hints: UiHints): this {
    return this.with(keptHints(hints));
  }

  externalDocs(url: string, description?: string): this {
    return this.with({ externalDocs: { ...(description !== undefined && { description }), url } });
  }

  /**
   * Adds a CEL rule that must hold for every value. `self` is the value, `oldSelf` the stored one on updates.
   * `message` is what the user reads when it does not hold. A rule may be written on several lines: it becomes one.
   */
  rule(cel: string, message?: string | RuleOptions): this {
    const options = typeof message === 'string' ? { message } : message;
    const rules = this.node['x-kubernetes-validations'] ?? [];
    return this.with({ 'x-kubernetes-validations': [...rules, { rule: ruleOnOneLine(cel), ...options }] });
  }

  /** Once set, the value cannot change. Adding or removing an optional field stays allowed. */
  immutable(message = 'field is immutable'): this {
    return this.rule('self == oldSelf', message);
  }

  /** A copy with some keywords replaced. Prefer the named methods; this is for keywords that have none. */
  with(keywords: Partial<SchemaNode>): this {
    return derive(this, { ...this.node, ...keywords }, this.omittable);
  }
}

function derive<S extends Schema<unknown>>(from: S, node: SchemaNode, omittable: boolean): S {
  return Object.assign(Object.create(Object.getPrototypeOf(from)), from, { node, omittable }) as S;
}
