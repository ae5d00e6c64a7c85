import type { Json } from '@coxswain/k8s';
import fc from 'fast-check';
import type { SchemaNode } from '../node.ts';

/** Few names, so that values meet the properties of schemas. */
const name = fc.constantFrom('a', 'b', 'name', 'kind', 'constructor', '__proto__');
const text = fc.constantFrom('', 'a', 'ab', 'abc', 'A-b', '12', 'é🚢', '2026-01-02T03:04:05Z', '10m', 'x"\n<&>');

const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer({ min: -4, max: 4 }),
  fc.constantFrom(0.5, 2 ** 31, 2 ** 40, 1e-7),
  text,
);

/** Any small JSON value. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

/** An object with any small JSON in it. */
export const anyFields = fc.dictionary(name, anyJson, { maxKeys: 4, noNullPrototype: true });

const stringNode = fc.record(
  {
    type: fc.constant('string' as const),
    minLength: fc.integer({ min: 0, max: 2 }),
    maxLength: fc.integer({ min: 0, max: 3 }),
    pattern: fc.constantFrom('^a', 'b$', '^[a-z]*$', '\\d+'),
    format: fc.constantFrom('date-time', 'duration', 'byte', 'ipv4', 'no-such-format'),
    enum: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
    nullable: fc.constant(true),
  },
  { requiredKeys: ['type'] },
);

const numberNode = fc.record(
  {
    type: fc.constantFrom('integer' as const, 'number' as const),
    format: fc.constantFrom('int32', 'int64', 'double'),
    minimum: fc.integer({ min: -3, max: 0 }),
    maximum: fc.integer({ min: 0, max: 3 }),
    exclusiveMinimum: fc.boolean(),
    exclusiveMaximum: fc.boolean(),
    multipleOf: fc.constantFrom(1, 2, 0.5),
    nullable: fc.constant(true),
  },
  { requiredKeys: ['type'] },
);

const leaf: fc.Arbitrary<SchemaNode> = fc.oneof(
  stringNode,
  numberNode,
  fc.constant<SchemaNode>({ type: 'boolean' }),
  fc.constant<SchemaNode>({ 'x-kubernetes-int-or-string': true }),
  fc.constant<SchemaNode>({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
  fc.constant<SchemaNode>({ 'x-kubernetes-preserve-unknown-fields': true }),
);

/** Branches of combinators restrict values without giving them a type. */
const branch: fc.Arbitrary<SchemaNode> = fc.oneof(
  fc.record({ minimum: fc.integer({ min: -1, max: 2 }) }),
  fc.record({ pattern: fc.constantFrom('^a', '^[0-9]+$') }),
  fc.record({ required: fc.uniqueArray(name, { minLength: 1, maxLength: 2 }) }),
  fc.record({ enum: fc.uniqueArray(text, { minLength: 1, maxLength: 2 }) }),
  fc.record({ maxProperties: fc.integer({ min: 0, max: 2 }) }),
);

const combinators = fc.record(
  {
    anyOf: fc.array(branch, { minLength: 1, maxLength: 3 }),
    oneOf: fc.array(branch, { minLength: 1, maxLength: 3 }),
    allOf: fc.array(branch, { minLength: 1, maxLength: 2 }),
    not: branch,
  },
  { requiredKeys: [] },
);

interface Nodes {
  node: SchemaNode;
  object: SchemaNode;
}

const objectFacets = fc.record(
  {
    required: fc.uniqueArray(name, { maxLength: 2 }),
    minProperties: fc.integer({ min: 0, max: 2 }),
    maxProperties: fc.integer({ min: 1, max: 4 }),
    nullable: fc.constant(true),
    'x-kubernetes-preserve-unknown-fields': fc.constant(true),
  },
  { requiredKeys: [] },
);

const listFacets = fc.record(
  { maxItems: fc.integer({ min: 0, max: 3 }), minItems: fc.integer({ min: 0, max: 2 }) },
  { requiredKeys: [] },
);

/** Random structural schemas, without defaults. */
export const schemas = fc.letrec<Nodes>((tie: fc.LetrecTypedTie<Nodes>) => {
  const properties = fc.dictionary(name, tie('node'), { maxKeys: 4, noNullPrototype: true });
  const object = fc
    .tuple(properties, objectFacets)
    .map(([properties, facets]): SchemaNode => ({ type: 'object', properties, ...facets }));
  const map = tie('node').map((value): SchemaNode => ({ type: 'object', additionalProperties: value }));
  const list = fc
    .tuple(tie('node'), listFacets)
    .map(([items, facets]): SchemaNode => ({ type: 'array', items, ...facets }));
  const set = fc.constant<SchemaNode>({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' });
  const plain = fc.oneof({ maxDepth: 3, depthSize: 'small' }, leaf, object, map, list, set, object.map(listMap));
  const combined = fc.tuple(plain, combinators).map(([node, more]): SchemaNode => combine(node, more));
  return { object, node: fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: combined }) };
});

function listMap({ nullable: _, ...item }: SchemaNode): SchemaNode {
  return {
    type: 'array',
    items: { ...item, properties: { ...item.properties, name: { type: 'string' } }, required: ['name'] },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  };
}

function combine(node: SchemaNode, more: SchemaNode): SchemaNode {
  return node.anyOf || node['x-kubernetes-int-or-string'] ? node : { ...node, ...more };
}

/** Puts a default on some of the nodes below: `pick` decides, `make` gives one that is right for the node. */
export function withDefaults(node: SchemaNode, make: (node: SchemaNode) => Json | undefined): SchemaNode {
  const value = make(node);
  return {
    ...node,
    ...(node.properties && {
      properties: Object.fromEntries(
        Object.entries(node.properties).map(([key, child]) => [key, withDefaults(child, make)]),
      ),
    }),
    ...(node.items && { items: withDefaults(node.items, make) }),
    ...(value !== undefined && { default: value }),
  };
}
