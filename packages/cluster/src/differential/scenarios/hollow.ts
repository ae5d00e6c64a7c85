import { schemaTable } from '@coxswain/k8s/schemas';
import type { SchemaNode } from '@coxswain/schema';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What stands in for a field that a body leaves out; `undefined` leaves it out. */
type Filler = (node: SchemaNode) => unknown;

const emptied: Filler = ({ type, additionalProperties }) => {
  if (type === 'array') return [];
  return additionalProperties === undefined ? undefined : {};
};
const nothing: Filler = () => null;

/** Fields that say which object it is, or who owns what. */
const kept = new Set([
  ...['apiVersion', 'kind', 'managedFields', 'name', 'namespace', 'generateName'],
  // of pods and device slices: an empty one is not the same as none
  ...['overhead', 'sharedCounters'],
]);

function filled(value: unknown, node: SchemaNode, filler: Filler): unknown {
  if (Array.isArray(value)) return value.map((item) => filled(item, node.items ?? {}, filler));
  const { properties } = node.$ref === undefined ? node : (schemaTable<SchemaNode>()[node.$ref] ?? {});
  if (!isObject(value) || !properties) return value;
  const result: Record<string, unknown> = { ...value };
  for (const [key, child] of Object.entries(properties)) {
    if (key in value) result[key] = filled(value[key], child, filler);
    else if (!kept.has(key)) {
      const filling = filler(child);
      if (filling !== undefined) result[key] = filling;
    }
  }
  return result;
}

/** The body with an empty list or map wherever it has none. */
export const hollow = (body: Json, definition: string): Json => filled(body, { $ref: definition }, emptied) as Json;

/** The body with `null` for every field it does not have. */
export const withNulls = (body: Json, definition: string): Json => filled(body, { $ref: definition }, nothing) as Json;
