import { fieldError } from '../field-error.ts';
import type { FieldError, SchemaNode } from '../node.ts';
import { listErrors } from './lists.ts';
import { eachBranch } from './nested.ts';
import { ruleErrors } from './rules.ts';

/** Keywords of OpenAPI that a CRD must not use. */
const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const;
const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Whether the server can read the schema as a structure at all; if not, it speaks about the keywords alone. */
export function isReadable(node: SchemaNode): boolean {
  if (unsupported.some((keyword) => Object.hasOwn(node, keyword)) || Array.isArray(node.items)) return false;
  if (node['x-kubernetes-preserve-unknown-fields'] === false) return false;
  const { items, additionalProperties, properties = {}, anyOf = [], allOf = [], oneOf = [], not } = node;
  const parts = [items, additionalProperties, not, ...Object.values(properties), ...anyOf, ...allOf, ...oneOf];
  return parts.every((part) => typeof part !== 'object' || isReadable(part));
}

interface Context {
  readonly root?: boolean;
  /** Inside `apiVersion`, `kind` or `metadata` of an object. */
  readonly meta?: boolean;
  /** Why no default may be set here; undefined when one may. */
  readonly noDefaults?: string;
}

/** Each keyword on its own, and those that depend on one another. */
export function keywordErrors(node: SchemaNode, path: string, context: Context): readonly FieldError[] {
  const errors = [...standardErrors(node, path, context)];
  const { root: _, ...inherited } = context;
  if (node.uniqueItems) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(fieldError.forbidden(`${path}.uniqueItems`, detail));
  }
  errors.push(...additionalErrors(node, path, inherited));
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    errors.push(...keywordErrors(child, `${path}.properties[${name}]`, childContext(node, name, context)));
  }
  eachBranch(node, path, (branch, at) => errors.push(...keywordErrors(branch, at, inherited)));
  if (node.items) errors.push(...keywordErrors(node.items, `${path}.items`, inherited));
  errors.push(...extensionErrors(node, path), ...listErrors(node, path), ...ruleErrors(node, path));
  return errors;
}

function childContext(node: SchemaNode, name: string, { root, ...inherited }: Context): Context {
  const meta = name === 'metadata' || name === 'kind' || name === 'apiVersion';
  if (!meta || !(root || node['x-kubernetes-embedded-resource'])) return inherited;
  return { ...inherited, meta: true, ...(root && { noDefaults: `in top-level ${name}` }) };
}

function standardErrors(node: SchemaNode, path: string, context: Context): readonly FieldError[] {
  const errors: FieldError[] = [];
  const type: string | undefined = node.type;
  if (type && !types.includes(type)) errors.push(fieldError.notSupported(`${path}.type`, type, types));
  if (node.default !== undefined && context.noDefaults !== undefined) {
    errors.push(fieldError.forbidden(`${path}.default`, `must not be set ${context.noDefaults}`));
  }
  for (const keyword of unsupported) {
    if (Object.hasOwn(node, keyword)) {
      errors.push(fieldError.forbidden(`${path}.${keyword}`, `${keyword} is not supported`));
    }
  }
  if (type === 'null') {
    const detail = 'type cannot be set to null, use nullable as an alternative';
    errors.push(fieldError.forbidden(`${path}.type`, detail));
  }
  if (Array.isArray(node.items)) {
    errors.push(fieldError.forbidden(`${path}.items`, 'items must be a schema object and not an array'));
  }
  if (context.meta && node['x-kubernetes-embedded-resource']) {
    const detail = 'must not be used inside of resource meta';
    errors.push(fieldError.forbidden(`${path}.x-kubernetes-embedded-resource`, detail));
  }
  return errors;
}

function additionalErrors(node: SchemaNode, path: string, context: Context): readonly FieldError[] {
  const { additionalProperties, properties = {} } = node;
  if (additionalProperties === undefined) return [];
  const at = `${path}.additionalProperties`;
  const errors: FieldError[] = [];
  if (Object.keys(properties).length > 0 && additionalProperties !== true) {
    errors.push(fieldError.forbidden(at, 'additionalProperties and properties are mutual exclusive'));
  }
  if (typeof additionalProperties !== 'object') return errors;
  const noDefaults = 'inside additionalProperties applying to object metadata';
  errors.push(...keywordErrors(additionalProperties, at, context.meta ? { ...context, noDefaults } : context));
  return errors;
}

function extensionErrors(node: SchemaNode, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (node['x-kubernetes-preserve-unknown-fields'] === false) {
    const at = `${path}.x-kubernetes-preserve-unknown-fields`;
    errors.push(fieldError.invalid(at, false, 'must be true or undefined'));
  }
  const mapType = node['x-kubernetes-map-type'];
  if (mapType === undefined) return errors;
  if (node.type !== 'object') {
    const detail = 'must be object if x-kubernetes-map-type is specified';
    const at = `${path}.type`;
    errors.push(node.type ? fieldError.invalid(at, node.type, detail) : fieldError.required(at, detail));
  }
  if (!['atomic', 'granular'].includes(mapType)) {
    errors.push(fieldError.notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
  }
  return errors;
}
