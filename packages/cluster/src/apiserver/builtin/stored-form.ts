import { readFileSync } from 'node:fs';
import type { MutableJson } from '@coxswain/k8s';
import { schemaTable } from '@coxswain/k8s/schemas';
import { canonicalQuantity } from '@coxswain/runtime/core';
import type { SchemaNode } from '@coxswain/schema';
import { isObject } from './shared/draft.ts';

/** What Go's encoder does with the fields of one type beyond what the schema says. */
interface GoFields {
  /** Left out when they hold their zero value. */
  readonly drop?: readonly string[];
  /** Written as `{}` when absent. */
  readonly write?: readonly string[];
  /** Written as `null` when absent. */
  readonly nulls?: readonly string[];
}

const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity';

const quantityText = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** A value that Go's decoder would not read. The message is the server's own. */
export class StoredFormError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StoredFormError';
  }
}

let goFields: Readonly<Record<string, GoFields>> | undefined;

function goFieldsOf(definition: string): GoFields {
  goFields ??= JSON.parse(readFileSync(new URL('./generated/go-fields.json', import.meta.url), 'utf8')) as Record<
    string,
    GoFields
  >;
  return goFields[definition] ?? {};
}

/** One definition, ready to be applied. */
interface Form {
  readonly properties: Readonly<Record<string, SchemaNode>>;
  readonly required: ReadonlySet<string>;
  readonly drop: ReadonlySet<string>;
  readonly write: readonly string[];
  readonly nulls: readonly string[];
}

const forms = new Map<string, Form>();

function formOf(definition: string): Form {
  let form = forms.get(definition);
  if (!form) {
    const { properties = {}, required = [] } = schemaTable<SchemaNode>()[definition] ?? {};
    const { drop = [], write = [], nulls = [] } = goFieldsOf(definition);
    form = { properties, required: new Set(required), drop: new Set(drop), write, nulls };
    forms.set(definition, form);
  }
  return form;
}

/** Whether a value is the zero of its declared type; a zero of another type is an error to be reported later. */
function isZero(value: unknown, { type }: SchemaNode): boolean {
  if (value === '') return type === 'string';
  if (value === 0) return type === 'integer' || type === 'number';
  return value === false && type === 'boolean';
}

function isEmpty(value: unknown, node: SchemaNode): boolean {
  if (Array.isArray(value)) return node.type === 'array' && value.length === 0;
  return node.additionalProperties !== undefined && isObject(value) && Object.keys(value).length === 0;
}

function canonical(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  try {
    return canonicalQuantity(value);
  } catch {
    throw new StoredFormError(quantityText);
  }
}

/** The value as stored; changed in place where it can be. */
function normalise(value: unknown, node: SchemaNode): unknown {
  if (node.$ref === quantity) return canonical(value);
  if (node.$ref !== undefined) {
    if (isObject(value)) applyForm(value, node.$ref);
    return value;
  }
  const { items, additionalProperties } = node;
  if (Array.isArray(value) && items) return value.map((item) => normalise(item, items));
  if (isObject(value) && typeof additionalProperties === 'object') {
    for (const key of Object.keys(value)) value[key] = normalise(value[key], additionalProperties);
  }
  return value;
}

function applyForm(object: MutableJson, definition: string): void {
  const { properties, required, drop, write, nulls } = formOf(definition);
  for (const key of write) if (object[key] === undefined) object[key] = {};
  for (const key of nulls) if (object[key] === undefined) object[key] = null;
  for (const key of Object.keys(object)) {
    const node = properties[key];
    if (!node || key === 'managedFields') continue;
    const value = object[key];
    const dropped = drop.has(key) ? isZero(value, node) : !required.has(key) && isEmpty(value, node);
    if (dropped) delete object[key];
    else object[key] = normalise(value, node);
  }
}

/**
 * Brings an object of a built-in kind into the form the real server stores: it decodes into Go types and encodes again, so empty
 * optional fields go, quantities become canonical, and plain structs are always there. Clients that compare what they
 * sent with what they get depend on it. Fields of the wrong type are left for the schema check. Idempotent.
 * @throws StoredFormError on a quantity that is none
 */
export function toStoredForm(draft: MutableJson, definition: string): void {
  applyForm(draft, definition);
}
