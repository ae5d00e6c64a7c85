import type { FieldError, SchemaNode } from '../../node.ts';
import { evaluateRules } from './evaluate-rules.ts';

/**
 * Holds the defaults of a schema to its rules. They are valid otherwise. Rules that compare with a stored value have nothing to say here;
 * one that does not compile is an error at the default.
 * @param path of the schema in the definition
 */
export function validateDefaults(node: SchemaNode, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (node.default !== undefined && node.default !== null) {
    const isRoot = node['x-kubernetes-embedded-resource'] === true;
    errors.push(...evaluateRules(node, node.default, { path: `${path}.default`, isRoot }));
  }
  if (node.items) errors.push(...validateDefaults(node.items, `${path}.items`));
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    errors.push(...validateDefaults(child, `${path}.properties[${name}]`));
  }
  return errors;
}
