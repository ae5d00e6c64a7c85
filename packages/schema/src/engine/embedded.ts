import { schemaTable } from '@coxswain/k8s/schemas';
import { fieldError } from '../field-error.ts';
import { isObject, own } from '../json.ts';
import type { FieldError, SchemaNode } from '../node.ts';
import { containsNode, type Deref, makeDeref } from './reference.ts';
import { firstTypeMismatch } from './type-mismatch.ts';

/** Checks `apiVersion`, `kind` and `metadata` of the objects embedded in a value (`x-kubernetes-embedded-resource`). */
type Walk = (value: unknown, path: string, errors: FieldError[]) => void;

export class EmbeddedResources {
  readonly #deref: Deref;
  readonly #walks = new WeakMap<SchemaNode, Walk | undefined>();

  constructor(deref: Deref) {
    this.#deref = deref;
  }

  /** Undefined when nothing below the node is an embedded resource. */
  walk(reference: SchemaNode): Walk | undefined {
    const node = this.#deref(reference);
    if (this.#walks.has(node)) return this.#walks.get(node);
    const walk = containsNode(node, this.#deref, isEmbedded) ? this.#compile(node) : undefined;
    this.#walks.set(node, walk);
    return walk;
  }

  #compile(node: SchemaNode): Walk {
    return (value, path, errors) => {
      if (Array.isArray(value)) {
        const item = node.items && this.walk(node.items);
        if (item) for (const [index, child] of value.entries()) item(child, `${path}[${index}]`, errors);
        return;
      }
      if (!isObject(value)) return;
      if (isEmbedded(node)) checkResource(value, path, errors);
      for (const [name, child] of Object.entries(value)) this.#field(node, name)?.(child, path, errors);
    };
  }

  #field(node: SchemaNode, name: string): Walk | undefined {
    const { properties, additionalProperties } = node;
    const named = properties && own(properties, name);
    const child = named ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    const walk = child && this.walk(child);
    return walk && ((value, path, errors) => walk(value, named ? join(path, name) : `${path}[${name}]`, errors));
  }
}

function isEmbedded(node: SchemaNode): boolean {
  return node['x-kubernetes-embedded-resource'] === true;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function checkResource(fields: Record<string, unknown>, path: string, errors: FieldError[]): void {
  for (const name of ['apiVersion', 'kind']) {
    const value = own(fields, name);
    const field = join(path, name);
    if (value === undefined) errors.push(fieldError.required(field));
    else if (typeof value !== 'string') errors.push(fieldError.invalid(field, value, 'must be a string'));
    else if (value === '') errors.push(fieldError.invalid(field, value, 'must not be empty'));
    else errors.push(...(name === 'kind' ? kindErrors(value, field) : apiVersionErrors(value, field)));
  }
  const metadata = own(fields, 'metadata');
  if (metadata !== undefined && metadata !== null) errors.push(...metadataErrors(metadata, join(path, 'metadata')));
}

function apiVersionErrors(value: string, field: string): readonly FieldError[] {
  if (value.split('/').length <= 2) return [];
  return [fieldError.invalid(field, value, `unexpected GroupVersion string: ${value}`)];
}

const dnsLabelText =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

function kindErrors(value: string, field: string): readonly FieldError[] {
  const problems: string[] = [];
  if (value.length > 63) problems.push('must be no more than 63 bytes');
  if (!/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(value.toLowerCase())) problems.push(dnsLabelText);
  if (problems.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return [fieldError.invalid(field, value, detail)];
}

/** Types of all fields, and the name as a path segment. */
function metadataErrors(value: unknown, field: string): readonly FieldError[] {
  const mismatch = firstTypeMismatch(objectMeta, value, metaDeref);
  if (mismatch) {
    const at = mismatch.path === '' ? '' : ` ${mismatch.path}`;
    const detail = `json: cannot unmarshal ${mismatch.actual} into Go struct field ObjectMeta${at && `.${at.trim()}`} of type ${mismatch.expected}`;
    return [fieldError.invalid(field, value, detail)];
  }
  const name = isObject(value) ? own(value, 'name') : undefined;
  if (typeof name !== 'string') return [];
  if (name === '.' || name === '..') return [fieldError.invalid(`${field}.name`, name, `may not be '${name}'`)];
  const bad = ['/', '%'].filter((part) => name.includes(part));
  return bad.map((part) => fieldError.invalid(`${field}.name`, name, `may not contain '${part}'`));
}

const objectMeta: SchemaNode = { $ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' };
const metaDeref = makeDeref((name) => schemaTable<SchemaNode>()[name] ?? {});
