import { schemaTable } from '@coxswain/k8s/schemas';
import type { SchemaNode } from '@coxswain/schema';
import goFields from '../builtin/generated/go-fields.json' with { type: 'json' };
import structFields from './generated/struct-fields.json' with { type: 'json' };

const structs: Readonly<Record<string, readonly string[] | undefined>> = structFields;
interface Written {
  readonly drop?: readonly string[];
  readonly write?: readonly string[];
  readonly nulls?: readonly string[];
  readonly zeros?: readonly string[];
}

/** By definition: fields that Go writes although OpenAPI does not call them required. */
const written: Readonly<Record<string, Written>> = goFields;
const none: ReadonlyMap<string, unknown> = new Map();
let byNode: ReadonlyMap<SchemaNode, ReadonlyMap<string, unknown>> | undefined;

/**
 * Fields of a built-in type that are never absent in the real server's own representation, with their zero values. A change
 * from absent to `{}` is none for them, and nobody comes to own the struct itself.
 */
export function zeroFieldsOf(node: SchemaNode): ReadonlyMap<string, unknown> {
  byNode ??= allZeroFields();
  return byNode.get(node) ?? none;
}

/** Whether the node is the definition of a built-in type. */
export function isBuiltIn(node: SchemaNode): boolean {
  byNode ??= allZeroFields();
  return byNode.has(node);
}

/** Required lists that are absent all the same while there is nothing in them. */
const omitted: Readonly<Record<string, readonly string[] | undefined>> = {
  'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec': ['validationActions'],
};

function allZeroFields(): ReadonlyMap<SchemaNode, ReadonlyMap<string, unknown>> {
  const table = schemaTable<SchemaNode>();
  const all = new Map<SchemaNode, ReadonlyMap<string, unknown>>();
  for (const [name, node] of Object.entries(table)) {
    const zeros = new Map<string, unknown>();
    for (const field of node.required ?? []) {
      const type = node.properties?.[field];
      if (omitted[name]?.includes(field)) continue;
      // a struct that is required and yet not always there is behind a pointer: absent to begin with
      if (!(type?.$ref !== undefined && table[type.$ref]?.properties)) zeros.set(field, zeroOf(type));
    }
    const { nulls = [], zeros: scalars = [] } = written[name] ?? {};
    for (const field of [...nulls, ...scalars])
      zeros.set(field, zeroOf(node.properties?.[field], nulls.includes(field)));
    for (const field of structs[name] ?? []) zeros.set(field, emptyStruct);
    all.set(node, zeros.size > 0 ? zeros : none);
  }
  return all;
}

const emptyStruct = Object.freeze({});

function zeroOf(node: SchemaNode | undefined, pointer = false): unknown {
  switch (pointer ? undefined : node?.type) {
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    default:
      return null;
  }
}
