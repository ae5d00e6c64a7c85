import type { MutableJson } from '@coxswain/k8s';
import { isObject } from '../json.ts';
import type { FieldError, RefResolver, SchemaNode } from '../node.ts';
import { Correlation } from './correlation.ts';
import { Defaulter } from './defaulter.ts';
import { EmbeddedResources } from './embedded.ts';
import { ListTypes } from './list-types.ts';
import { Pruner } from './pruner.ts';
import { type Deref, makeDeref } from './reference.ts';
import { Report } from './report.ts';
import { firstTypeMismatch, type TypeMismatch } from './type-mismatch.ts';
import { Validator } from './validator.ts';

/** Of validation: what the value is compared with. */
export interface ValidateOptions {
  /** The stored value on an update: what did not change since is not held against the new one. */
  readonly old?: unknown;
  /** Put before the fields of the errors: `status` when only that part is validated. */
  readonly path?: string;
  /** Whether repeated items of sets and list maps are errors; default true. In defaults of a CRD the server takes them. */
  readonly uniqueItems?: boolean;
}

/** Of pruning: what is known without being in the schema. */
export interface PruneOptions {
  /** The value is a whole object: `apiVersion`, `kind` and `metadata` are known without being in the schema. Default true. */
  readonly resource?: boolean;
}

/** A schema ready for use. Nodes are compiled when a value first reaches them. */
export interface CompiledSchema {
  readonly node: SchemaNode;
  /**
   * What the API server would refuse, in its words and order: schema, then embedded objects, then repeated list items.
   * Empty (and without allocation) when valid. CEL rules are not evaluated.
   */
  validate(value: unknown, options?: ValidateOptions): readonly FieldError[];
  /**
   * Removes unknown fields in place and answers their paths, sorted, as unknown-field warnings name them
   * (`spec.ports[0].bar`).
   */
  prune(value: MutableJson, options?: PruneOptions): string[];
  /** Fills defaults in place, and drops nulls that stand for a missing field. Idempotent. */
  applyDefaults(value: MutableJson): void;
  /** Where the value cannot be decoded at all, for the 400 that built-in kinds answer; undefined when it can. */
  typeMismatch(value: unknown): TypeMismatch | undefined;
}

/** Everything that is compiled with one resolver. */
class Engine {
  readonly deref: Deref;
  readonly validator: Validator;
  readonly listTypes: ListTypes;
  readonly embedded: EmbeddedResources;
  readonly pruner: Pruner;
  readonly defaulter: Defaulter;
  readonly schemas = new WeakMap<SchemaNode, CompiledSchema>();

  constructor(resolve: RefResolver | undefined) {
    this.deref = makeDeref(resolve);
    this.validator = new Validator(this.deref);
    this.listTypes = new ListTypes(this.deref);
    this.embedded = new EmbeddedResources(this.deref);
    this.pruner = new Pruner(this.deref);
    this.defaulter = new Defaulter(this.deref);
  }
}

const plain = new Engine(undefined);
const engines = new WeakMap<RefResolver, Engine>();

function engineOf(resolve: RefResolver | undefined): Engine {
  if (!resolve) return plain;
  let engine = engines.get(resolve);
  if (!engine) {
    engine = new Engine(resolve);
    engines.set(resolve, engine);
  }
  return engine;
}

/**
 * Prepares a schema. The same node (with the same resolver) gives the same result, so call it wherever it is needed.
 * Nodes must not change afterwards.
 * @param resolve finds `$ref` targets; asked when a value first reaches them, so types may contain themselves
 */
export function compileSchema(node: SchemaNode, resolve?: RefResolver): CompiledSchema {
  const engine = engineOf(resolve);
  let schema = engine.schemas.get(node);
  if (!schema) {
    schema = makeSchema(engine, node);
    engine.schemas.set(node, schema);
  }
  return schema;
}

const none: readonly FieldError[] = Object.freeze([]);
const noOptions: ValidateOptions = {};

function makeSchema(engine: Engine, node: SchemaNode): CompiledSchema {
  return {
    node,
    validate: (value, options) => validate(engine, node, value, options ?? noOptions),
    prune: (value, options) => engine.pruner.run(node, value, options?.resource ?? true),
    applyDefaults: (value) => engine.defaulter.fill(node)(value),
    typeMismatch: (value) => firstTypeMismatch(node, value, engine.deref),
  };
}

function validate(
  engine: Engine,
  node: SchemaNode,
  value: unknown,
  { old, path: prefix = '', uniqueItems = true }: ValidateOptions,
): readonly FieldError[] {
  const check = engine.validator.check(node);
  const lists = uniqueItems ? engine.listTypes.walk(node) : undefined;
  const resources = engine.embedded.walk(node);
  const sound = check(value, undefined);
  const unique = lists?.(value, prefix, undefined) ?? true;
  if (sound && unique && !resources) return none;
  const errors: FieldError[] = [];
  if (!sound) errors.push(...schemaErrors(engine, node, value, old, prefix));
  resources?.(value, prefix, errors);
  // Repeats that were stored before are tolerated, all or none.
  if (!unique && (old === undefined || lists?.(old, prefix, undefined))) lists?.(value, prefix, errors);
  return errors;
}

function schemaErrors(engine: Engine, node: SchemaNode, value: unknown, old: unknown, prefix: string) {
  const correlation = old === undefined ? undefined : new Correlation(node, value, old, engine.deref);
  const report = new Report('', correlation);
  engine.validator.check(node)(value, report);
  return correlation?.unchanged && isObject(value) ? none : report.errors(prefix);
}
