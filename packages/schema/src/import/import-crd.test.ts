import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { CustomResourceDefinition } from '@coxswain/k8s';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { s } from '../builder/s.ts';
import type { SchemaNode } from '../node.ts';
import { anyJson, schemas, withDefaults } from '../test/arbitraries.ts';
import { ImportError } from './errors.ts';
import {
  VolumeSnapshotContent,
  type VolumeSnapshotContentV1,
  type VolumeSnapshotContentV1beta1,
} from './fixtures/volume-snapshot-content.ts';
import { importCrd } from './import-crd.ts';
import { crdOfModule, normalCrd } from './test-run-module.ts';

const fixture = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const everything = JSON.parse(fixture('../fixtures/everything-crd.json')) as CustomResourceDefinition;

/** Of kcp, the CSI snapshotter, Calico and the Gateway API; without their prose. */
const upstream = JSON.parse(fixture('./fixtures/upstream-crds.json')) as readonly CustomResourceDefinition[];

/** A CRD whose objects have this schema, with more besides in its only version. */
function crdOf(schema: SchemaNode, version: Readonly<Record<string, unknown>> = {}): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'echoes.demo.dev' },
    spec: {
      group: 'demo.dev',
      names: { kind: 'Echo', plural: 'echoes' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
    },
  };
}

/** A CRD with fields of these schemas in its spec. */
function withFields(properties: Readonly<Record<string, SchemaNode>>, required: readonly string[] = []) {
  const spec: SchemaNode = { type: 'object', properties, ...(required.length > 0 && { required }) };
  return crdOf({ type: 'object', properties: { spec } });
}

function expectSame(crd: CustomResourceDefinition): string {
  const text = importCrd(crd);
  expect(normalCrd(crdOfModule(text))).toEqual(normalCrd(crd));
  return text;
}

function formatted(text: string): string {
  const biome = new URL('../../../../node_modules/.bin/biome', import.meta.url).pathname;
  const { stdout, stderr } = spawnSync(biome, ['format', '--stdin-file-path=a.ts'], { input: text, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout;
}

/** Texts that would break out of a string, or be read otherwise, if they were not escaped. */
const hostile = [
  "'); process.exit(1); ('",
  '`$' + '{process.exit(1)}`',
  '*/ process.exit(1) /*',
  'a\r\nb\u2028c\u2029d\\',
  "\\'",
  `both ' and "`,
  `'''""`,
  '\u202e\u0000\ud800\u{1f6a2}</script>',
];

const text = fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'binary', maxLength: 200 }));
const notes = fc.record(
  {
    description: text,
    title: text,
    example: anyJson.filter((value) => value !== null),
    externalDocs: fc.record({ url: text, description: text }, { requiredKeys: ['url'] }),
    'x-kubernetes-validations': fc.array(
      fc.record(
        {
          rule: fc.oneof(text, fc.constant('self == oldSelf')),
          message: fc.oneof(text, fc.constant('field is immutable')),
          fieldPath: text,
          optionalOldSelf: fc.boolean(),
        },
        { requiredKeys: ['rule'] },
      ),
      { maxLength: 2 },
    ),
    'x-kubernetes-embedded-resource': fc.boolean(),
    'x-kubernetes-map-type': fc.constantFrom('atomic', 'granular'),
  },
  { requiredKeys: [] },
);

/** Random schemas with everything on them, also what makes no sense. */
const annotated = fc
  .tuple(schemas.node, fc.infiniteStream(fc.tuple(fc.integer({ min: 0, max: 3 }), notes, anyJson)))
  .map(([node, stream]) => {
    const next = () => stream.next().value;
    const annotate = (schema: SchemaNode): SchemaNode => {
      const [chance, more] = next();
      return {
        ...schema,
        ...(chance === 0 && (more as SchemaNode)),
        ...(schema.items && { items: annotate(schema.items) }),
        ...(schema.properties && {
          properties: Object.fromEntries(
            Object.entries(schema.properties).map(([key, child]) => [key, annotate(child)]),
          ),
        }),
      };
    };
    return withDefaults(annotate(node), () => {
      const [chance, , value] = next();
      return chance === 1 && value !== null ? (value as SchemaNode['default']) : undefined;
    });
  });

describe('the module', () => {
  it('says what the CRD says, of everything that controller-gen has a marker for', () => {
    expect(expectSame(everything)).not.toContain('.with(');
  });

  it.each(upstream.map((crd) => [crd.metadata.name, crd]))('says what the CRD says: %s', (_, crd) => {
    expectSame(crd);
  });

  it('says what the CRD says, whatever its schemas', () => {
    fc.assert(
      fc.property(annotated, fc.boolean(), (node, required) => {
        expectSame(withFields({ a: node }, required ? ['a'] : []));
        expectSame(
          crdOf({
            type: 'object',
            properties: { spec: node, root: node },
            ...(required && { required: ['spec', 'other'] }),
          }),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('is laid out as the formatter has it', () => {
    const [sample] = fc.sample(fc.array(annotated, { minLength: 60, maxLength: 60 }), 1);
    const crd = withFields(Object.fromEntries((sample ?? []).map((node, index) => [`field-${index}`, node])));
    for (const made of [everything, crd, ...upstream].map(importCrd)) expect(made).toBe(formatted(made));
  });
});

describe('words', () => {
  const date = { type: 'string', format: 'date-time' } as const;
  const object = (properties: Readonly<Record<string, SchemaNode>>, required: readonly string[] = []): SchemaNode => {
    return { type: 'object', properties, ...(required.length > 0 && { required }) };
  };
  const named = object({ name: { type: 'string' } }, ['name']);
  const fixed = { rule: 'self == oldSelf', message: 'no' };

  /** The expression for a value, on one line. */
  function codeOf(node: SchemaNode, required = true): string {
    const text = expectSame(withFields({ a: node }, required ? ['a'] : []));
    const [, code] = /^ {4}a:(.*),\n {2}\}\),\n/ms.exec(text) ?? [];
    const line = (code ?? text).replace(/,?\n *(?=[.)\]])/g, '').replace(/,\n *\}/g, ' }');
    return line.replace(/\s+/g, ' ').replace(/\( /g, '(').trim();
  }

  it.each<[SchemaNode, string]>([
    [
      { type: 'string', pattern: '^[a-z]\\d$', minLength: 1, maxLength: 5 },
      "s.string().minLength(1).maxLength(5).pattern('^[a-z]\\\\d$')",
    ],
    [{ type: 'string', pattern: '(?=a)' }, "s.string().with({ pattern: '(?=a)' })"],
    [{ type: 'string', enum: ['a', "b'"] }, `s.enum('a', "b'")`],
    [{ type: 'string', enum: ['a', null], nullable: true }, "s.string().with({ enum: ['a', null] }).nullable()"],
    [date, 's.dateTime()'],
    [{ ...date, enum: ['2026-01-01T00:00:00Z'] }, "s.enum('2026-01-01T00:00:00Z').format('date-time')"],
    [{ type: 'string', format: 'duration' }, 's.duration()'],
    [{ type: 'string', format: 'ipv4' }, "s.string().format('ipv4')"],
    [{ type: 'integer', format: 'int32', minimum: 0, maximum: 9 }, 's.int32().min(0).max(9)'],
    [{ type: 'integer', format: 'int64', exclusiveMinimum: true, minimum: 0 }, 's.int64().exclusiveMin(0)'],
    [{ type: 'integer', exclusiveMinimum: true }, 's.int().with({ exclusiveMinimum: true })'],
    [{ type: 'number', format: 'double', multipleOf: 0.5 }, "s.number().multipleOf(0.5).with({ format: 'double' })"],
    [s.intOrString().node, 's.intOrString()'],
    [{ 'x-kubernetes-int-or-string': true }, "s.raw<string | number>({ 'x-kubernetes-int-or-string': true })"],
    [{ ...s.quantity().node, description: 'x' }, "s.quantity().describe('x')"],
    [{ ...s.intOrString().node, pattern: '^a' }, "s.intOrString().with({ pattern: '^a' })"],
    [s.conditions().describe('x').node, "s.conditions().describe('x')"],
    [{ type: 'array', items: { type: 'string' }, maxItems: 3 }, 's.list(s.string()).maxItems(3)'],
    [{ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' }, 's.set(s.string())'],
    [s.listMap('name', s.object({ name: s.string() })).node, "s.listMap('name', s.object({ name: s.string() }))"],
    [
      { type: 'array', items: named, 'x-kubernetes-list-type': 'atomic' },
      's.list(s.object({ name: s.string() })).atomic()',
    ],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 's.map(s.string())'],
    [{ type: 'object' }, "s.raw<{ readonly [name: string]: unknown }>({ type: 'object' })"],
    [s.anyObject().node, 's.anyObject()'],
    [s.any().node, 's.any()'],
    [s.objectMeta().node, 's.objectMeta()'],
    [s.embeddedResource().node, 's.embeddedResource()'],
    [s.embeddedResource(s.object({ spec: s.any() })).node, 's.embeddedResource(s.object({ spec: s.any() }))'],
    [{ ...named, 'x-kubernetes-preserve-unknown-fields': true }, 's.object({ name: s.string() }).preserveUnknown()'],
    [{ ...named, required: ['name', 'b'] }, "s.object({ name: s.string() }).with({ required: ['name', 'b'] })"],
    [
      { ...named, anyOf: [{ required: ['name'] }] },
      "s.object({ name: s.string() }).with({ anyOf: [{ required: ['name'] }] })",
    ],
    [{ type: 'string', 'x-kubernetes-validations': [fixed] }, "s.string().immutable('no')"],
    [
      { type: 'string', 'x-kubernetes-validations': [{ ...fixed, reason: 'FieldValueForbidden' }] },
      "s.string().rule('self == oldSelf', { message: 'no', reason: 'FieldValueForbidden' })",
    ],
    [
      { type: 'string', 'x-kubernetes-validations': [{ rule: 'a\n&& b', message: 'no' }] },
      "s.string().with({ 'x-kubernetes-validations': [{ rule: 'a\\n&& b', message: 'no' }] })",
    ],
  ])('%j', (node, code) => expect(codeOf(node)).toBe(code));

  it('say whether a field can be left out', () => {
    expect(codeOf({ type: 'string' }, false)).toBe('s.string().optional()');
    expect(codeOf({ type: 'string', default: 'x' }, false)).toBe("s.string().default('x')");
    expect(codeOf({ type: 'string', default: 'x' }, true)).toBe("s.string().with({ default: 'x' })");
  });

  it('tell the compiler not to look where a default is not of the type of what is read', () => {
    const inner = object({ b: { type: 'string', default: 'x' } });
    expect(codeOf({ ...object({ inner }), default: {} }, false)).toMatch(/\.default\(\{\}\)$/);
    expect(codeOf({ ...object({ inner }), default: { inner: {} } }, false)).toMatch(
      /\.default\(\{ inner: \{\} \} as never\)$/,
    );
  });
});

describe('the definition', () => {
  it('names the parts of the object', () => {
    const text = expectSame(
      crdOf(
        {
          type: 'object',
          description: 'An echo.',
          required: ['metadata', 'data'],
          properties: {
            apiVersion: { type: 'string', description: 'prose' },
            metadata: { type: 'object' },
            data: { type: 'string' },
            spec: { type: 'object', properties: { a: { type: 'string' } } },
            status: { type: 'object', additionalProperties: { type: 'string' } },
          },
          'x-kubernetes-validations': [{ rule: 'self.metadata.name.size() < 9', message: 'too long' }],
          'x-kubernetes-map-type': 'atomic',
        },
        { deprecated: true, subresources: { status: {} } },
      ),
    );
    expect(text).toBe(`import { defineResource, type ResourceType, s } from '@coxswain/schema';

export const Echo = defineResource({
  group: 'demo.dev',
  version: 'v1',
  kind: 'Echo',
  plural: 'echoes',
  scope: 'Namespaced',
  description: 'An echo.',
  spec: s.object({
    a: s.string().optional(),
  }),
  specOptional: true,
  status: s.map(s.string()),
  root: {
    metadata: s.raw<unknown>({ type: 'object' }),
    data: s.string(),
  },
  rules: [{ rule: 'self.metadata.name.size() < 9', message: 'too long' }],
  with: { 'x-kubernetes-map-type': 'atomic' },
  subresources: { status: true },
  deprecated: true,
});
export type Echo = ResourceType<typeof Echo>;
`);
  });

  it('leaves out what the server fills in and keeps', () => {
    const crd = crdOf({ type: 'object' });
    const stored = {
      ...crd,
      metadata: {
        ...crd.metadata,
        uid: '1',
        creationTimestamp: '2026-01-01T00:00:00Z',
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
        managedFields: [],
      },
      spec: {
        ...crd.spec,
        conversion: { strategy: 'None' },
        names: { ...crd.spec.names, singular: 'echo', listKind: 'EchoList' },
      },
      status: { conditions: [], acceptedNames: crd.spec.names, storedVersions: ['v1'] },
    } as CustomResourceDefinition;
    expect(importCrd(stored)).toBe(importCrd(crd));
    expect(importCrd(crd)).not.toContain(', s }');
  });

  it('has all versions, and a type for each', () => {
    const crd = crdOf({ type: 'object', properties: { spec: { type: 'string' } } });
    const [v1] = crd.spec.versions;
    if (!v1) throw new Error('no version');
    const versions = [v1, { ...v1, name: 'v1alpha1', storage: false, served: false }];
    const text = expectSame({ ...crd, spec: { ...crd.spec, versions, conversion: { strategy: 'Webhook' } } });
    expect(text).toContain("storage: 'v1',");
    expect(text).toContain("export const EchoV1alpha1 = Echo.version('v1alpha1');");
    expect(text).toContain('export type EchoV1alpha1 = ResourceType<typeof EchoV1alpha1>;');
    expect(text).toContain('withConversionWebhook');
  });
});

describe('what cannot be code is refused, by its place', () => {
  const good = crdOf({ type: 'object' });
  it.each<[string, unknown, string]>([
    ['nothing', null, 'must be an object'],
    ['another kind', { apiVersion: 'v1', kind: 'Pod' }, 'this is v1 Pod'],
    ['the version of old', { ...good, apiVersion: 'apiextensions.k8s.io/v1beta1' }, 'only apiextensions.k8s.io/v1 '],
    ['no spec', { ...good, spec: undefined }, 'spec: must be an object'],
    ['no versions', { ...good, spec: { ...good.spec, versions: [] } }, 'exactly one version must have storage'],
    ['another name', { ...good, metadata: { name: 'x' } }, 'metadata.name: must be echoes.demo.dev'],
    [
      'a kind that is no name',
      { ...good, spec: { ...good.spec, names: { kind: 'A;b', plural: 'echoes' } } },
      'spec.names.kind',
    ],
    ['a version that is no name', crdOf({ type: 'object' }, { name: 'v1;' }), 'is no name of a version'],
    ['a schema that is none', crdOf(7 as unknown as SchemaNode), 'openAPIV3Schema: must be a schema'],
    [
      'a field that is none',
      withFields({ a: [] as unknown as SchemaNode }),
      'properties.spec.properties.a: must be a schema',
    ],
    [
      'a keyword that is none',
      withFields({ a: { maxLength: '1' } as unknown as SchemaNode }),
      'a.maxLength: must be a number',
    ],
    ['a reference', withFields({ a: { $ref: '#/x' } }), 'a.$ref: a CRD cannot have this'],
  ])('%s', (_, crd, message) => {
    expect(() => importCrd(crd as CustomResourceDefinition)).toThrow(ImportError);
    expect(() => importCrd(crd as CustomResourceDefinition)).toThrow(message);
  });
});

describe('types', () => {
  it('are those of the CRD', () => {
    const crd = upstream.find(({ spec }) => spec.names.kind === 'VolumeSnapshotContent');
    expect(crd && importCrd(crd)).toBe(fixture('./fixtures/volume-snapshot-content.ts'));
    expect(VolumeSnapshotContent.versionNames).toEqual(['v1', 'v1beta1']);
    type Spec = VolumeSnapshotContentV1['spec'];
    expectTypeOf<Spec['deletionPolicy']>().toEqualTypeOf<'Delete' | 'Retain'>();
    expectTypeOf<Spec['volumeSnapshotClassName']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Spec['source']>().toEqualTypeOf<{
      readonly snapshotHandle?: string;
      readonly volumeHandle?: string;
    }>();
    type Status = NonNullable<VolumeSnapshotContentV1beta1['status']>;
    expectTypeOf<Status['restoreSize']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Status>().not.toHaveProperty('volumeGroupSnapshotHandle');
  });
});
