import { compileSchema } from '../engine/compile-schema.ts';
import { fieldError } from '../field-error.ts';
import { cloneJson, isObject, sameJson } from '../json.ts';
import type { FieldError, SchemaNode } from '../node.ts';

/** Defaults must be valid values without unknown fields. Those below `additionalProperties` are not looked at. */
export function defaultErrors(node: SchemaNode, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (node.default !== undefined && node.default !== null) errors.push(...valueErrors(node, `${path}.default`));
  if (node.items) errors.push(...defaultErrors(node.items, `${path}.items`));
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    errors.push(...defaultErrors(child, `${path}.properties[${name}]`));
  }
  return errors;
}

function valueErrors(node: SchemaNode, path: string): readonly FieldError[] {
  const schema = compileSchema(node);
  const value = cloneJson<unknown>(node.default);
  const errors: FieldError[] = [];
  if (isObject(value) || Array.isArray(value)) {
    const resource = node['x-kubernetes-embedded-resource'] === true;
    schema.prune(value as Record<string, unknown>, { resource });
    if (!sameJson(value, node.default)) {
      errors.push(fieldError.invalid(path, node.default, 'must not have unknown fields'));
    }
  }
  const found = node['x-kubernetes-embedded-resource'] ? anyResource.validate(node.default, { path }) : [];
  return [...errors, ...(found.length > 0 ? found : schema.validate(node.default, { path, uniqueItems: false }))];
}

/** An object that is a resource is first of all that. */
const anyResource = compileSchema({
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
});
