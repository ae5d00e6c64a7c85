import fc from 'fast-check';
import { isObject } from '../json.ts';
import type { SchemaNode } from '../node.ts';

/** Schemas for which a valid value can be written down without solving anything. */
export function isSimple(node: SchemaNode): boolean {
  const {
    anyOf,
    oneOf,
    allOf,
    not,
    minProperties,
    maxProperties,
    minItems = 0,
    maxItems = 9,
    minLength,
    required,
  } = node;
  if (anyOf || oneOf || allOf || not || minProperties || maxProperties || minItems > maxItems) return false;
  if (node.type === 'string' && (minLength || node.maxLength !== undefined || node.pattern || node.format))
    return false;
  if (node.exclusiveMinimum || node.exclusiveMaximum || node.multipleOf === 0.5) return false;
  if (required?.some((name) => !node.properties || !Object.hasOwn(node.properties, name))) return false;
  const children = [...Object.values(node.properties ?? {}), node.items, node.additionalProperties];
  return children.every((child) => typeof child !== 'object' || isSimple(child));
}

/** Values that the schema accepts. */
export function validValue(node: SchemaNode): fc.Arbitrary<unknown> {
  if (node['x-kubernetes-int-or-string']) return fc.constantFrom(1, 'x');
  switch (node.type) {
    case 'string':
      return node.enum ? fc.constantFrom(...node.enum) : fc.string();
    case 'integer':
    case 'number':
      return fc.constant(0);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return listOf(node);
    case 'object':
      return objectOf(node);
    default:
      return fc.jsonValue().filter((value) => value !== null);
  }
}

function listOf({ items = {}, minItems = 0, maxItems = 2, ...node }: SchemaNode): fc.Arbitrary<unknown> {
  const options = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 2)) };
  if (!node['x-kubernetes-list-type']) return fc.array(validValue(items), options);
  const keyOf = (item: unknown) => (isObject(item) ? item.name : item);
  return fc.uniqueArray(validValue(items), { ...options, selector: keyOf });
}

function objectOf(node: SchemaNode): fc.Arbitrary<unknown> {
  if (typeof node.additionalProperties === 'object') {
    return fc.dictionary(fc.string(), validValue(node.additionalProperties), { maxKeys: 3 });
  }
  const entries = Object.entries(node.properties ?? {}).map(([name, child]) => [name, validValue(child)] as const);
  const requiredKeys = node.required ?? [];
  return fc.record(Object.fromEntries(entries), { requiredKeys: [...requiredKeys] });
}
