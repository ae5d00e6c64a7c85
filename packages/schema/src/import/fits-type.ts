import { isObject, own } from '../json.ts';
import type { SchemaNode } from '../node.ts';

/**
 * Whether a value is of the type that the builder gives to a node, as an author would write it out (`input`: fields with
 * defaults of their own may be missing at the first level). False when in doubt.
 */
export function fitsType(node: SchemaNode, value: unknown, input = true): boolean {
  if (value === null) return !input && node.nullable === true;
  if (node['x-kubernetes-embedded-resource']) return false;
  if (node['x-kubernetes-int-or-string']) return typeof value === 'string' || typeof value === 'number';
  switch (node.type) {
    case 'string':
      return typeof value === 'string' && (node.enum ?? [value]).includes(value);
    case 'integer':
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value) && value.every((item) => fitsType(node.items ?? {}, item, false));
    case 'object':
      return isObject(value) && fitsObject(node, value, input);
    default:
      return true;
  }
}

function fitsObject(node: SchemaNode, value: Readonly<Record<string, unknown>>, input: boolean): boolean {
  const { properties, additionalProperties } = node;
  if (properties) {
    const names = Object.keys(properties);
    const known = Object.keys(value).every((name) => names.includes(name));
    return known && names.every((name) => fitsField(node, name, { value: own({ ...value }, name), input }));
  }
  if (typeof additionalProperties !== 'object') return true;
  return Object.values(value).every((item) => fitsType(additionalProperties, item, false));
}

function fitsField(node: SchemaNode, name: string, { value, input }: { value: unknown; input: boolean }): boolean {
  const field = own({ ...node.properties }, name) ?? {};
  if (value !== undefined) return fitsType(field, value, false);
  if (node.required?.includes(name)) return false;
  return input || field.default === undefined;
}
