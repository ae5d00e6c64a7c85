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
  /** Written with the zero value of their type when absent. */
  readonly zeros?: readonly string[];
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

/** Lists of which an empty one is not the same as none to the rules of the kind, which refuse it. */
const told: Readonly<Record<string, readonly string[]>> = { 'io.k8s.api.autoscaling.v2.HPAScalingRules': ['policies'] };

let goFields: Readonly<Record<string, GoFields>> | undefined;

function goFieldsOf(definition: string): GoFields {
  goFields ??= JSON.parse(readFileSync(new URL('./generated/go-fields.json', import.meta.url), 'utf8')) as Record<
    string,
    GoFields
  >;
  return goFields[definition] ?? {};
}

/** Brings a value into its stored form; changed in place where it can be, else the answer takes its place. */
type Normalise = (value: unknown) => unknown;

/** One field of a definition. */
interface Field {
  readonly node: SchemaNode;
  /** Whether it is left out with its zero value (else with an empty list or map, unless it is required). */
  readonly drop: boolean;
  /** Whether it is written even with nothing in it. */
  readonly required: boolean;
  /** Absent: values of the field are stored as they are. */
  readonly normalise: Normalise | undefined;
}

/** One definition, ready to be applied. */
interface Form {
  readonly fields: ReadonlyMap<string, Field>;
  readonly write: readonly string[];
  readonly nulls: readonly string[];
  readonly zeros: readonly (readonly [string, unknown])[];
}

const forms = new Map<string, Form>();

function formOf(definition: string): Form {
  let form = forms.get(definition);
  if (!form) {
    const { properties = {}, required = [] } = schemaTable<SchemaNode>()[definition] ?? {};
    const { drop = [], write = [], nulls = [], zeros = [] } = goFieldsOf(definition);
    const fieldOf = ([key, node]: [string, SchemaNode]): [string, Field] => [
      key,
      {
        node,
        drop: drop.includes(key),
        required: [...required, ...nulls].includes(key),
        normalise: normaliserOf(node),
      },
    ];
    const asGiven = ['managedFields', ...(told[definition] ?? [])];
    const fields = Object.entries(properties).filter(([key]) => !asGiven.includes(key));
    const zeroOf = (key: string) => [key, zeroValue(properties[key])] as const;
    form = { fields: new Map(fields.map(fieldOf)), write, nulls, zeros: zeros.map(zeroOf) };
    forms.set(definition, form);
  }
  return form;
}

function zeroValue(node: SchemaNode | undefined): string | number | boolean {
  if (node?.type === 'boolean') return false;
  return node?.type === 'string' ? '' : 0;
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

/** What has to be done to values of a node; `undefined` when they are stored as they come. */
function normaliserOf(node: SchemaNode): Normalise | undefined {
  const { $ref, items, additionalProperties } = node;
  if ($ref === quantity) return canonical;
  if ($ref !== undefined) {
    return (value) => {
      if (isObject(value)) applyForm(value, $ref);
      return value;
    };
  }
  const item = items && normaliserOf(items);
  const entry = typeof additionalProperties === 'object' ? normaliserOf(additionalProperties) : undefined;
  if (!item && !entry) return undefined;
  return (value) => {
    if (Array.isArray(value)) return item ? normaliseItems(value, item) : value;
    if (entry && isObject(value)) for (const key of Object.keys(value)) set(value, key, entry(value[key]));
    return value;
  };
}

function normaliseItems(list: readonly unknown[], item: Normalise): readonly unknown[] {
  let out: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const stored = item(list[i]);
    if (stored === list[i]) continue;
    out ??= [...list];
    out[i] = stored;
  }
  return out ?? list;
}

/** Most values are stored as they are, and an assignment is dear. */
function set(object: MutableJson, key: string, value: unknown): void {
  if (object[key] !== value) object[key] = value;
}

function applyForm(object: MutableJson, definition: string): void {
  // Parts of a draft that are frozen were taken from the store.
  if (Object.isFrozen(object)) return;
  const { fields, write, nulls, zeros } = formOf(definition);
  for (const key of write) if (object[key] === undefined) object[key] = {};
  for (const key of nulls) if (object[key] === undefined) object[key] = null;
  for (const [key, zero] of zeros) if (object[key] === undefined) object[key] = zero;
  for (const key of Object.keys(object)) {
    const field = fields.get(key);
    if (!field) continue;
    const value = object[key];
    if (field.drop ? isZero(value, field.node) : !field.required && isEmpty(value, field.node)) delete object[key];
    // What is there must be written, but empty lists do not come back from the store.
    else if (field.required && Array.isArray(value) && value.length === 0) object[key] = null;
    else if (field.normalise) set(object, key, field.normalise(value));
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
