import { quantityPattern } from '../builder/s.ts';
import type { SchemaNode } from '../node.ts';

/** What a value must be besides its type, in the words of a reader; stable order. */
export function constraintsOf(node: SchemaNode): readonly string[] {
  const told: string[] = [];
  const say = (name: string, value: unknown) => {
    if (value !== undefined) told.push(`${name} ${String(value)}`);
  };
  if (node.enum) told.push(`one of ${node.enum.map((value) => JSON.stringify(value)).join(', ')}`);
  say(node.exclusiveMinimum ? '>' : '≥', node.minimum);
  say(node.exclusiveMaximum ? '<' : '≤', node.maximum);
  say('multiple of', node.multipleOf);
  say('length ≥', node.minLength);
  say('length ≤', node.maxLength);
  if (!isQuantity(node)) say('pattern', node.pattern);
  say('items ≥', node.minItems);
  say('items ≤', node.maxItems);
  say('fields ≥', node.minProperties);
  say('fields ≤', node.maxProperties);
  if (node.nullable) told.push('may be null');
  for (const rule of node['x-kubernetes-validations'] ?? []) told.push(rule.message ?? rule.rule);
  const { items, additionalProperties } = node;
  const each = items ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  if (each) told.push(...constraintsOf(each).map((text) => `each: ${text}`));
  return told;
}

/** `string`, `integer (int32)`, `list of string`, `map of quantity`, `any`. */
export function typeText(node: SchemaNode): string {
  if (node['x-kubernetes-int-or-string']) return isQuantity(node) ? 'quantity' : 'integer or string';
  if (node.type === 'array') return `list of ${typeText(node.items ?? {})}`;
  if (typeof node.additionalProperties === 'object') return `map of ${typeText(node.additionalProperties)}`;
  const type = node['x-kubernetes-embedded-resource'] ? 'Kubernetes object' : (node.type ?? 'any');
  return node.format === undefined ? type : `${type} (${node.format})`;
}

function isQuantity(node: SchemaNode): boolean {
  return node['x-kubernetes-int-or-string'] === true && node.pattern === quantityPattern;
}
