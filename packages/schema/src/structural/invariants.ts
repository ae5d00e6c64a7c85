import { fieldError } from '../field-error.ts';
import type { FieldError, SchemaNode } from '../node.ts';
import { branchErrors, patternErrors } from './nested.ts';

type Level = 'root' | 'item' | 'field';

const emptyType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** What makes a schema structural: a type at each level, and metadata left to the server. */
export function invariantErrors(node: SchemaNode, path: string, level: Level): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (node.type === 'array' && !node.items) errors.push(fieldError.required(`${path}.items`, 'must be specified'));
  if (node.items) errors.push(...invariantErrors(node.items, `${path}.items`, 'item'));
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    errors.push(...invariantErrors(child, `${path}.properties[${name}]`, 'field'));
  }
  if (node.additionalProperties !== undefined && level === 'root') {
    errors.push(fieldError.forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  if (typeof node.additionalProperties === 'object') {
    errors.push(...invariantErrors(node.additionalProperties, `${path}.additionalProperties`, 'field'));
  }
  errors.push(
    ...extensionErrors(node, path),
    ...branchErrors(node, path),
    ...patternErrors(node, path),
    ...typeErrors(node, path, level),
    ...typeMetaErrors(node, path, level),
    ...embeddedErrors(node, path),
  );
  return errors;
}

function extensionErrors(node: SchemaNode, path: string): readonly FieldError[] {
  if (!node['x-kubernetes-int-or-string']) return [];
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((name) => node[name])
    .map((name) => fieldError.invalid(`${path}.${name}`, true, 'must be false if x-kubernetes-int-or-string is true'));
}

function typeErrors(node: SchemaNode, path: string, level: Level): readonly FieldError[] {
  const at = `${path}.type`;
  const errors: FieldError[] = [];
  const untyped = node['x-kubernetes-int-or-string'] || node['x-kubernetes-preserve-unknown-fields'];
  if (node['x-kubernetes-embedded-resource'] && node.type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(node.type ? fieldError.invalid(at, node.type, detail) : fieldError.required(at, detail));
  } else if (!node.type && !untyped) {
    errors.push(fieldError.required(at, emptyType[level]));
  }
  if (level === 'root' && node.type && node.type !== 'object') {
    errors.push(fieldError.invalid(at, node.type, 'must be object at the root'));
  }
  return errors;
}

function embeddedErrors(node: SchemaNode, path: string): readonly FieldError[] {
  if (!node['x-kubernetes-embedded-resource']) return [];
  const errors: FieldError[] = [];
  if (node.additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(fieldError.forbidden(`${path}.additionalProperties`, detail));
  }
  if (!node['x-kubernetes-preserve-unknown-fields'] && Object.keys(node.properties ?? {}).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(fieldError.required(`${path}.properties`, detail));
  }
  return errors;
}

/** The schema may name `apiVersion`, `kind` and `metadata` of an object, but restrict only its name. */
function typeMetaErrors(node: SchemaNode, path: string, level: Level): readonly FieldError[] {
  if (level !== 'root' && !node['x-kubernetes-embedded-resource']) return [];
  const errors: FieldError[] = [];
  for (const name of ['kind', 'apiVersion']) {
    const child = node.properties?.[name];
    if (child && child.type !== 'string') {
      errors.push(fieldError.invalid(`${path}.properties[${name}].type`, child.type ?? '', 'must be string'));
    }
  }
  const metadata = node.properties?.metadata;
  if (!metadata) return errors;
  const at = `${path}.properties[metadata]`;
  if (metadata.type !== 'object') {
    errors.push(fieldError.invalid(`${at}.type`, metadata.type ?? '', 'must be object'));
  }
  if (level === 'root' && !restrictsNameOnly(metadata)) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(fieldError.forbidden(at, detail));
  }
  return errors;
}

function restrictsNameOnly(metadata: SchemaNode): boolean {
  const { type: _, default: __, properties = {}, ...rest } = metadata;
  const names = Object.keys(properties);
  return Object.keys(rest).length === 0 && names.every((name) => name === 'name' || name === 'generateName');
}
