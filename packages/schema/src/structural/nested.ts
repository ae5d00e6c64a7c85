import { compilePattern } from '../engine/pattern.ts';
import { fieldError } from '../field-error.ts';
import type { FieldError, SchemaNode } from '../node.ts';

/** Keywords that shape a value; they may stand in the structure only, not in combinators. */
const shaping: readonly (readonly [keyof SchemaNode | 'title', string])[] = [
  ['type', 'must be empty to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

/** Calls `visit` for every branch of the node's combinators. */
export function eachBranch(node: SchemaNode, path: string, visit: (branch: SchemaNode, path: string) => void): void {
  for (const name of ['anyOf', 'allOf', 'oneOf'] as const) {
    for (const [index, branch] of (node[name] ?? []).entries()) visit(branch, `${path}.${name}[${index}]`);
  }
  if (node.not) visit(node.not, `${path}.not`);
}

/** Combinators may restrict values but not shape them; `anyOf: [integer, string]` of int-or-string is the one exception. */
export function branchErrors(node: SchemaNode, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const allowedAt = intOrStringPath(node, path);
  eachBranch(node, path, (branch, at) => {
    if (allowedAt !== undefined && at.startsWith(allowedAt)) return;
    errors.push(...nestedErrors(branch, at, allowedAt));
  });
  return errors;
}

/** Where the two types of an int-or-string are spelled out: in `anyOf`, or in `anyOf` of the first `allOf`. */
function intOrStringPath(node: SchemaNode, path: string): string | undefined {
  if (isIntOrString(node.anyOf)) return `${path}.anyOf[`;
  return isIntOrString(node.allOf?.[0]?.anyOf) ? `${path}.allOf[0].anyOf[` : undefined;
}

function isIntOrString(branches: readonly SchemaNode[] | undefined): boolean {
  if (branches?.length !== 2) return false;
  return ['integer', 'string'].every((type, index) => {
    const branch = branches[index] ?? {};
    const { additionalProperties, ...rest } = branch;
    return branch.type === type && !additionalProperties && Object.keys(rest).length === 1;
  });
}

/** A pattern must be RE2. */
export function patternErrors({ pattern }: SchemaNode, path: string): readonly FieldError[] {
  const error = pattern ? compilePattern(pattern).error : undefined;
  if (error === undefined) return [];
  return [fieldError.invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${error}`)];
}

function nestedErrors(node: SchemaNode, path: string, allowedAt?: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  eachBranch(node, path, (branch, at) => {
    if (allowedAt === undefined || !at.startsWith(allowedAt)) errors.push(...nestedErrors(branch, at));
  });
  errors.push(...patternErrors(node, path));
  if (node.items) errors.push(...nestedErrors(node.items, `${path}.items`));
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    errors.push(...nestedErrors(child, `${path}.properties[${name}]`));
  }
  const keywords = node as Readonly<Record<string, unknown>>;
  for (const [keyword, detail] of shaping) {
    if (isSet(keywords[keyword])) errors.push(fieldError.forbidden(`${path}.${keyword}`, detail));
  }
  if (node.additionalProperties) {
    errors.push(fieldError.forbidden(`${path}.additionalProperties`, 'must be undefined to be structural'));
  }
  if (node.properties?.metadata) {
    const at = `${path}.properties[metadata]`;
    errors.push(fieldError.forbidden(at, 'must not be specified in a nested context'));
  }
  return errors;
}

function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== false && value !== '' && value !== null;
}

/** Every field a combinator speaks about must be in the structure. */
export function completenessErrors(structure: SchemaNode, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const compare = (branch: SchemaNode, node: SchemaNode | undefined, at: string, branchPath: string): void => {
    if (!node) {
      errors.push(fieldError.required(at, `because it is defined in ${branchPath}`));
      return;
    }
    eachBranch(branch, branchPath, (inner, innerPath) => compare(inner, node, at, innerPath));
    if (branch.items) compare(branch.items, node.items, `${at}.items`, `${branchPath}.items`);
    for (const [name, child] of Object.entries(branch.properties ?? {})) {
      const step = `.properties[${name}]`;
      compare(child, node.properties?.[name], `${at}${step}`, `${branchPath}${step}`);
    }
  };
  eachBranch(structure, path, (branch, at) => compare(branch, structure, path, at));
  return errors;
}
