import { schemaTable } from '@coxswain/k8s/schemas';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema, type SchemaNode, s, validateStructural } from '../index.ts';
import { cloneJson } from '../json.ts';
import { anyFields, schemas, withDefaults } from '../test/arbitraries.ts';
import { isSimple, validValue } from '../test/valid-values.ts';

const builtIn = (name: string): SchemaNode => schemaTable<SchemaNode>()[name] ?? {};
const lines = (node: SchemaNode, value: unknown, old?: unknown) =>
  compileSchema(node)
    .validate(value, { old })
    .map(({ field, message }) => `${field}: ${message}`);

describe('validate', () => {
  it('is silent, and answers the same empty list, when all is well', () => {
    const schema = compileSchema(s.object({ a: s.string() }).node);
    expect(schema.validate({ a: 'x' })).toBe(schema.validate({ a: 'y' }));
  });

  it('puts the prefix before fields, not into sentences', () => {
    const schema = compileSchema(s.object({ replicas: s.int32() }).node);
    expect(schema.validate({ replicas: true }, { path: 'status' })).toEqual([
      {
        field: 'status.replicas',
        reason: 'FieldValueTypeInvalid',
        message: 'Invalid value: "": replicas in body must be of type int32: ""',
      },
    ]);
    expect(schema.validate('x', { path: 'status' }).map(({ field }) => field)).toEqual(['status']);
  });

  it('holds only what changed against an update', () => {
    const node = s.object({ a: s.string().maxLength(2), b: s.string().maxLength(2) }).node;
    const old = { a: 'long', b: 'x' };
    expect(lines(node, { a: 'long', b: 'y' }, old)).toEqual([]);
    expect(lines(node, { a: 'longer', b: 'x' }, old)).toEqual(['a: Too long: may not be more than 2 bytes']);
  });

  it('follows references, also to the type itself', () => {
    const name = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
    const schema = compileSchema({ $ref: name }, builtIn);
    expect(schema.validate({ properties: { a: { properties: { b: { type: 'string' } } } } })).toEqual([]);
    expect(schema.validate({ properties: { a: { properties: { b: { type: 1 } } } } })).toHaveLength(1);
    expect(() => compileSchema({ $ref: name }).validate({})).toThrow(/no resolver/);
  });

  it('counts fields the schema does not know as a change', () => {
    const node = s.object({ part: s.anyObject().optional(), a: s.string().maxLength(2) }).node;
    const root = { ...node, maxProperties: 1 };
    const known = { a: 'x', part: {} };
    const unknown = { a: 'x', part: { b: 1 } };
    expect(lines(root, cloneJson(known), known)).toEqual([]);
    expect(lines(root, cloneJson(unknown), unknown)).toEqual(['<nil>: Too many: 2: must have at most 1 item']);
  });
});

describe('prune and applyDefaults', () => {
  it('names what it removes as the server does', () => {
    const schema = compileSchema(s.object({ ports: s.list(s.object({ port: s.int32() })) }).node);
    const value = { kind: 'A', metadata: { name: 'a', odd: 1 }, x: 1, ports: [{ port: 1, bar: 2 }] };
    expect(schema.prune(value)).toEqual(['metadata.odd', 'ports[0].bar', 'x']);
    expect(value).toEqual({ kind: 'A', metadata: { name: 'a' }, ports: [{ port: 1 }] });
  });

  it('keeps what embedded resources and schemaless parts hold', () => {
    const node = s.object({
      any: s.any(),
      claim: s.raw({
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        properties: { spec: { type: 'object' } },
      }),
    }).node;
    const claim = { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', odd: 1 }, spec: { a: 1 }, odd: 1 };
    const value = { any: { a: [{ b: 1 }] }, claim };
    expect(compileSchema(node).prune(value, { resource: false })).toEqual([
      'claim.metadata.odd',
      'claim.odd',
      'claim.spec.a',
    ]);
    expect(value.any).toEqual({ a: [{ b: 1 }] });
  });

  it('prunes built-in kinds by reference', () => {
    const pod = { metadata: { name: 'a', odd: 1 }, spec: { containers: [{ name: 'a', imge: 'x' }] } };
    const schema = compileSchema({ $ref: 'io.k8s.api.core.v1.Pod' }, builtIn);
    expect(schema.prune(pod)).toEqual(['metadata.odd', 'spec.containers[0].imge']);
  });

  it('fills nested defaults into what is there, and takes null for missing', () => {
    const inner = s.object({ n: s.int32().default(1), m: s.int32().nullable().optional(), o: s.string().optional() });
    const node = s.object({ there: inner.optional(), absent: inner.optional(), made: inner.default({}) }).node;
    const value = { there: { n: null, m: null, o: null } };
    compileSchema(node).applyDefaults(value);
    expect(value).toEqual({ there: { n: 1, m: null }, made: { n: 1 } });
  });

  it('are idempotent, and pruning leaves nothing unknown', () => {
    const defaulted = schemas.object.map((node) => withDefaults(node, someDefault));
    fc.assert(
      fc.property(defaulted, anyFields, (node, value) => {
        const schema = compileSchema(node);
        schema.prune(value);
        schema.applyDefaults(value);
        const once = cloneJson(value);
        schema.applyDefaults(value);
        expect(value).toEqual(once);
        expect(schema.prune(value)).toEqual([]);
        expect(value).toEqual(once);
      }),
    );
  });

  it('never touch the default they copy', () => {
    const node = s.object({ list: s.list(s.string()).default(['a']) }).node;
    const first: { list?: string[] } = {};
    compileSchema(node).applyDefaults(first);
    first.list?.push('b');
    const second = {};
    compileSchema(node).applyDefaults(second);
    expect(second).toEqual({ list: ['a'] });
  });
});

function someDefault(node: SchemaNode) {
  if (node.type === 'object') return {};
  return node.type === 'boolean' ? true : undefined;
}

describe('typeMismatch', () => {
  const deployment = compileSchema({ $ref: 'io.k8s.api.apps.v1.Deployment' }, builtIn);
  const container = (fields: object) => ({ spec: { template: { spec: { containers: [{ name: 'a', ...fields }] } } } });

  it('is undefined for what decodes, nulls included', () => {
    expect(deployment.typeMismatch({ spec: { replicas: null, paused: true }, odd: 1 })).toBeUndefined();
    expect(deployment.typeMismatch(container({ ports: [{ containerPort: 80 }] }))).toBeUndefined();
  });

  it('names the Go struct, the field and both types', () => {
    expect(deployment.typeMismatch({ spec: { replicas: 'x' } })).toEqual({
      path: 'spec.replicas',
      struct: 'DeploymentSpec',
      field: 'replicas',
      expected: 'int32',
      actual: 'string',
    });
    expect(deployment.typeMismatch(container({ image: 5 }))).toMatchObject({
      path: 'spec.template.spec.containers.image',
      struct: 'Container',
      expected: 'string',
      actual: 'number',
    });
    expect(deployment.typeMismatch({ spec: { replicas: 1.5 } })).toMatchObject({ actual: 'number 1.5' });
    expect(deployment.typeMismatch({ metadata: { labels: [] } })).toMatchObject({
      struct: 'ObjectMeta',
      expected: 'map[string]string',
      actual: 'array',
    });
    expect(deployment.typeMismatch('x')).toMatchObject({ path: '', struct: '', expected: 'v1.Deployment' });
  });
});

describe('values made from a schema', () => {
  it('are valid', () => {
    const valid = schemas.object
      .filter((node) => isSimple(node))
      .chain((node) => fc.tuple(fc.constant(node), validValue(node)));
    fc.assert(
      fc.property(valid, ([node, value]) => {
        expect(lines(node, value)).toEqual([]);
      }),
    );
  });

  it('keep their schema structural when the builder made it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fields), (props) => {
        expect(validateStructural(s.object({ spec: s.object(props) }).node)).toEqual([]);
      }),
    );
  });
});

const simpleFields = [
  () => s.string().minLength(1).describe('text'),
  () => s.int32().default(3),
  () => s.quantity().optional(),
  () => s.enum('A', 'B').default('A'),
  () => s.conditions().optional(),
  () => s.map(s.intOrString()).nullable(),
  () => s.any(),
  () => s.list(s.string(), { type: 'set' }).maxItems(3),
  () => s.k8s('io.k8s.api.core.v1.ResourceRequirements'),
  () =>
    s
      .object({ name: s.string(), n: s.number().exclusiveMin(1).optional() })
      .atomic()
      .rule('self.n > 1', 'too small'),
];
const fields = fc.constantFrom(...simpleFields).map((make) => make());
