import type { PublishedSchema } from './operation.ts';

const v3Prefix = '#/components/schemas/';

/** Types that version 2 cannot say in full. */
const special: Readonly<Record<string, PublishedSchema>> = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: 'string', format: 'int-or-string' },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'string' },
};

/** A schema of version 3 as version 2 writes it: references are bare, defaults are not said. */
export function definition(node: unknown): PublishedSchema {
  return convert(node) as PublishedSchema;
}

function convert(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(convert);
  if (typeof node !== 'object' || node === null) return node;
  const { allOf, default: _, ...rest } = node as Record<string, unknown>;
  const out: Record<string, unknown> = {};
  const [only] = Array.isArray(allOf) && allOf.length === 1 ? (allOf as readonly PublishedSchema[]) : [];
  for (const [key, value] of Object.entries(rest)) out[key] = convertKey(key, value);
  const reference = only?.$ref;
  if (typeof reference === 'string') out.$ref = bare(reference);
  return out;
}

const bare = (reference: string): string => reference.replace(v3Prefix, '#/definitions/');

function convertKey(key: string, value: unknown): unknown {
  if (key === '$ref') return bare(String(value));
  if (key === 'properties') {
    return Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, convert(part)]));
  }
  if (key === 'items' || key === 'additionalProperties') return convert(value);
  return value;
}

/** The definition of that name, from its schema of version 3. */
export function namedDefinition(name: string, schema: PublishedSchema): PublishedSchema {
  const own = special[name];
  if (!own) return definition(schema);
  return schema.description === undefined ? own : { description: schema.description, ...own };
}
