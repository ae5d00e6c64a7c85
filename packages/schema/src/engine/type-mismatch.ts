import { isObject, own } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import { kindOf } from './check.ts';
import type { Deref } from './reference.ts';

/**
 * Where a value cannot be decoded into a built-in type: the API server answers 400 with these words.
 */
export interface TypeMismatch {
  /** From the root of the value: `spec.replicas`; items of lists have no index, as in Go's message. */
  readonly path: string;
  /** The Go struct that has the field: the last part of its definition's name (`DeploymentSpec`); empty outside of any. */
  readonly struct: string;
  /** The field's name, as written in JSON; empty at the root. */
  readonly field: string;
  /** The Go type: `int32`, `string`, `bool`, `[]v1.Container`, `map[string]string` … */
  readonly expected: string;
  /** What stands there: `string`, `bool`, `array`, `object`, `number`, or `number 1.5` where a whole one is wanted. */
  readonly actual: string;
}

interface Place {
  readonly path: string;
  readonly struct: string;
  readonly field: string;
}

/** The first mismatch in the order of the document. Nulls fit everywhere: decoding skips them. */
export function firstTypeMismatch(root: SchemaNode, value: unknown, deref: Deref): TypeMismatch | undefined {
  return decodes(root, value, deref) ? undefined : mismatch(root, value, { path: '', struct: '', field: '' }, deref);
}

/** The common case: everything fits, and nothing is written down on the way. */
function decodes(reference: SchemaNode, value: unknown, deref: Deref): boolean {
  if (value === null || value === undefined) return true;
  const node = deref(reference);
  if (!fits(node, value)) return false;
  if (typeof value !== 'object') return true;
  if (Array.isArray(value)) {
    const { items } = node;
    for (let i = 0; items && i < value.length; i++) if (!decodes(items, value[i], deref)) return false;
    return true;
  }
  const fields = value as Record<string, unknown>;
  for (const name in fields) {
    const child = childOf(node, name);
    if (child && !decodes(child, fields[name], deref)) return false;
  }
  return true;
}

function mismatch(reference: SchemaNode, value: unknown, place: Place, deref: Deref): TypeMismatch | undefined {
  if (value === null || value === undefined) return undefined;
  const node = deref(reference);
  if (!fits(node, value)) return { ...place, expected: goType(reference, deref), actual: jsonType(node, value) };
  if (Array.isArray(value)) {
    const { items } = node;
    return items && first(value, (item) => mismatch(items, item, place, deref));
  }
  if (!isObject(value)) return undefined;
  const struct = reference.$ref === undefined ? place.struct : shortName(reference.$ref);
  return first(Object.keys(value), (name) => {
    const child = childOf(node, name);
    const path = place.path === '' ? name : `${place.path}.${name}`;
    return child && mismatch(child, value[name], { path, struct, field: name }, deref);
  });
}

function first<T>(items: readonly T[], find: (item: T) => TypeMismatch | undefined): TypeMismatch | undefined {
  for (const item of items) {
    const found = find(item);
    if (found) return found;
  }
  return undefined;
}

function childOf(node: SchemaNode, name: string): SchemaNode | undefined {
  const { properties, additionalProperties } = node;
  const named = properties && own(properties, name);
  return named ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
}

/** Whether Go's decoder would take the value. Limits and patterns are validation's business. */
function fits(node: SchemaNode, value: unknown): boolean {
  const kind = kindOf(value);
  if (node['x-kubernetes-int-or-string']) return kind === 'integer' || kind === 'number' || kind === 'string';
  if (node.type === undefined) return true;
  if (node.type === 'number') return kind === 'number' || kind === 'integer';
  if (node.type === 'integer' && kind === 'integer') return inRange(node, value as number | bigint);
  return node.type === kind;
}

function inRange(node: SchemaNode, value: number | bigint): boolean {
  return node.format !== 'int32' || (value >= -(2 ** 31) && value < 2 ** 31);
}

/** A number is written out only where another number would have fitted. */
function jsonType(node: SchemaNode, value: unknown): string {
  const kind = kindOf(value);
  if (kind === 'boolean') return 'bool';
  if (kind !== 'integer' && kind !== 'number') return kind;
  return node.type === 'integer' ? `number ${value}` : 'number';
}

/** The Go type a node was made from. */
function goType(reference: SchemaNode, deref: Deref): string {
  if (reference.$ref !== undefined) return packageName(reference.$ref);
  const node = deref(reference);
  switch (node.type) {
    case 'boolean':
      return 'bool';
    case 'integer':
      return node.format ?? 'int64';
    case 'number':
      return 'float64';
    case 'array':
      return `[]${node.items ? goType(node.items, deref) : 'interface {}'}`;
    case 'object':
      return typeof node.additionalProperties === 'object'
        ? `map[string]${goType(node.additionalProperties, deref)}`
        : 'map[string]interface {}';
    default:
      return node.format === 'byte' ? '[]uint8' : 'string';
  }
}

/** `io.k8s.api.core.v1.Pod` → `v1.Pod`. */
function packageName(definition: string): string {
  return definition.split('.').slice(-2).join('.');
}

function shortName(definition: string): string {
  return definition.slice(definition.lastIndexOf('.') + 1);
}
