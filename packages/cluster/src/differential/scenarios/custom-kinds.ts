import {
  applyPatch,
  collect,
  del,
  get,
  group,
  jsonPatch,
  mergePatch,
  post,
  put,
  strategicPatch,
  watch,
} from '../build.ts';
import type { Area } from '../types.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = group('d.example/v1', 'widgets');
const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };

const schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 10 },
        color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
        name: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
        port: { 'x-kubernetes-int-or-string': true },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        labels: { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 2 },
        parts: {
          type: 'array',
          maxItems: 3,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              name: { type: 'string' },
              weight: { type: 'integer', default: 1 },
              note: { type: 'string', nullable: true },
            },
          },
        },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        nested: { type: 'object', default: {}, properties: { on: { type: 'boolean', default: true } } },
        when: { type: 'string', format: 'date-time' },
        maybe: { type: 'string', nullable: true, default: 'd' },
        replicas: { type: 'integer' },
      },
    },
    status: { type: 'object', properties: { ready: { type: 'integer' }, selector: { type: 'string' } } },
  },
};

const crd = (name: string, kind: string, version: object, names: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${name}.d.example` },
  spec: {
    group: 'd.example',
    scope: 'Namespaced',
    names: { plural: name, kind, ...names },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
  },
});

const columns = [
  { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
  { name: 'Color', type: 'string', jsonPath: '.spec.color', description: 'the color' },
  { name: 'On', type: 'boolean', jsonPath: '.spec.nested.on', priority: 1 },
  { name: 'When', type: 'date', jsonPath: '.spec.when' },
  { name: 'First', type: 'string', jsonPath: '.spec.parts[0].name' },
  { name: 'Heavy', type: 'string', jsonPath: '.spec.parts[?(@.weight==1)].name' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

const widgetCrd = crd(
  'widgets',
  'Widget',
  {
    additionalPrinterColumns: columns,
    subresources: {
      status: {},
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.ready',
        labelSelectorPath: '.status.selector',
      },
    },
  },
  { singular: 'widget', shortNames: ['wd'], categories: ['all'] },
);

const widget = (name: string, spec: object = {}, more: Readonly<Record<string, unknown>> = {}) => ({
  apiVersion: 'd.example/v1',
  kind: 'Widget',
  metadata: { name },
  spec: { size: 2, ...spec },
  ...more,
});
const definition = `${crds}?watch=true&fieldSelector=metadata.name%3Dwidgets.d.example`;
const tried = (spec: unknown, more: Readonly<Record<string, unknown>> = {}) =>
  post(widgets, { ...widget('tried', {}, more), spec });
const badSchema = (properties: object) =>
  crd('gadgets', 'Gadget', { schema: { openAPIV3Schema: { type: 'object', properties } } });

/** Definitions of kinds, and objects of such kinds. */
export const customKinds: Area = {
  name: 'custom-kinds',
  scenarios: [
    {
      title: 'definitions that are refused',
      steps: [
        post(crds, { ...widgetCrd, metadata: { name: 'wrong.d.example' } }),
        post(crds, crd('gadgets', 'Gadget', { schema: undefined })),
        post(crds, crd('gadgets', 'Gadget', { storage: false })),
        post(crds, crd('gadgets', 'Gadget', { served: false, name: 'Bad' })),
        post(crds, badSchema({ spec: {} })),
        post(crds, badSchema({ spec: { type: 'nonsense' } })),
        post(crds, badSchema({ spec: { type: 'array' } })),
        post(crds, badSchema({ spec: { type: 'object', properties: { a: { type: 'string', default: 5 } } } })),
        post(crds, badSchema({ spec: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } })),
        post(crds, badSchema({ spec: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' } })),
        post(
          crds,
          badSchema({
            spec: { type: 'object', additionalProperties: { type: 'string' }, properties: { a: { type: 'string' } } },
          }),
        ),
        post(crds, badSchema({ metadata: { type: 'object', properties: { labels: { type: 'object' } } } })),
        post(crds, crd('Gadgets', 'gadget', {})),
        post(
          crds,
          crd('gadgets', 'Gadget', {
            subresources: { scale: { specReplicasPath: 'spec.replicas', statusReplicasPath: '' } },
          }),
        ),
        post(
          crds,
          crd('gadgets', 'Gadget', { additionalPrinterColumns: [{ name: 'x', type: 'nonsense', jsonPath: 'x' }] }),
        ),
        post(crds, {
          ...widgetCrd,
          spec: { ...widgetCrd.spec, group: 'k8s.io' },
          metadata: { name: 'widgets.k8s.io' },
        }),
        post(crds, { ...widgetCrd, spec: { ...widgetCrd.spec, scope: 'Galaxy' } }),
      ],
    },
    {
      title: 'the life of a definition',
      steps: [
        watch('crd', definition),
        post(crds, widgetCrd, { save: { crd: '' } }),
        collect('crd', 3),
        get(`${crds}/widgets.d.example`),
        get(`${crds}/widgets.d.example`, asTable),
        get('/apis/d.example/v1'),
        get('/apis/d.example'),
        post(widgets, widget('first')),
        get(widgets),
        mergePatch(`${crds}/widgets.d.example`, { spec: { scope: 'Cluster' } }),
        mergePatch(`${crds}/widgets.d.example`, { spec: { names: { kind: 'Other' } } }),
        put(
          `${crds}/widgets.d.example`,
          { spec: { names: { shortNames: ['wdg'] } }, metadata: { resourceVersion: null } },
          { base: 'crd' },
        ),
      ],
    },
    {
      title: 'validation, pruning and defaults',
      steps: [
        tried({ size: 2 }),
        del(`${widgets}/tried`),
        tried({ size: 0 }),
        tried({ size: 11 }),
        tried({ size: 2, color: 'green' }),
        tried({ size: 2, name: 'UPPER' }),
        tried({ size: 1.5 }),
        tried({ size: '2' }),
        tried({}),
        tried(undefined),
        tried(null),
        tried('text'),
        tried({ size: 2, name: 'toolong' }),
        tried({ size: 2, port: true }),
        tried({ size: 2, labels: { a: 1 } }),
        tried({ size: 2, labels: { a: 'a', b: 'b', c: 'c' } }),
        tried({ size: 2, parts: [{ name: 'a' }, { name: 'a' }] }),
        tried({ size: 2, parts: [{ weight: 1 }] }),
        tried({ size: 2, parts: [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }] }),
        tried({ size: 2, tags: ['a', 'a'] }),
        tried({ size: 2, when: 'yesterday' }),
        tried({ size: 2, color: null, maybe: null, nested: null }),
        mergePatch(`${widgets}/tried`, { spec: { color: null, maybe: null, nested: { on: null } } }),
        mergePatch(`${widgets}/tried`, { spec: { size: 99 } }),
        mergePatch(`${widgets}/tried`, { spec: { unknown: 1, free: { any: { thing: [1, 'x'] } } } }),
        jsonPatch(`${widgets}/tried`, [{ op: 'add', path: '/spec/parts', value: [{ name: 'a', extra: 1 }] }]),
        strategicPatch(`${widgets}/tried`, { spec: { size: 3 } }),
        del(`${widgets}/tried`),
        post(widgets, { ...widget('pruned', { unknown: 1, parts: [{ name: 'a', bogus: 1 }] }), top: 1 }),
        post(`${widgets}?fieldValidation=Strict`, {
          ...widget('strict', { unknown: 1, parts: [{ name: 'a', bogus: 1 }] }),
          top: 1,
        }),
        post(`${widgets}?fieldValidation=Ignore`, { ...widget('ignored', { unknown: 1 }) }),
        post(widgets, widget('meta', {}, { metadata: { name: 'meta', nonsense: 1, labels: { 'bad key!': 'x' } } })),
        post(widgets, { ...widget('x'), kind: 'Other' }),
        post(widgets, { ...widget('x'), apiVersion: 'd.example/v2' }),
        post(widgets, { ...widget('x'), apiVersion: undefined }),
        post(widgets, { ...widget('x'), kind: undefined }),
        post(widgets, { ...widget('x'), metadata: { name: 5 } }),
      ],
    },
    {
      title: 'updates, status and scale',
      steps: [
        post(widgets, widget('a', { replicas: 1 }, { status: { ready: 9 } }), { save: { a: '' } }),
        put(`${widgets}/a`, { metadata: { resourceVersion: null } }, { base: 'a' }),
        put(`${widgets}/a`, { spec: { size: 3 }, status: { ready: 1 } }, { base: 'a', save: { a: '' } }),
        mergePatch(`${widgets}/a/status`, {
          status: { ready: 1, selector: 'app=a' },
          spec: { size: 9 },
          metadata: { labels: { x: 'y' } },
        }),
        mergePatch(`${widgets}/a/status`, { status: { ready: 'x' } }),
        mergePatch(`${widgets}/a`, { metadata: { labels: { x: 'y' } } }),
        get(`${widgets}/a/scale`, { save: { scale: '' } }),
        put(`${widgets}/a/scale`, { spec: { replicas: 4 } }, { base: 'scale' }),
        mergePatch(`${widgets}/a/scale`, { spec: { replicas: 5 } }),
        get(`${widgets}/a`),
        get(`${widgets}/a/nonsense`),
        post(
          widgets,
          widget(
            'finalised',
            {},
            { metadata: { name: 'finalised', finalizers: ['bare', 'a.example', 'd.example/ok'] } },
          ),
        ),
        del(`${widgets}/finalised`),
        mergePatch(`${widgets}/finalised`, { metadata: { finalizers: null } }),
        get(widgets, asTable),
        get(`${widgets}/a`, asTable),
        get(`${widgets}?fieldSelector=metadata.name%3Da`),
        get(`${widgets}?fieldSelector=spec.size%3D2`),
        del(`${widgets}/a`),
      ],
    },
    {
      title: 'apply to custom kinds',
      steps: [
        applyPatch(`${widgets}/a?fieldManager=one`, widget('a', { parts: [{ name: 'x' }], tags: ['a', 'b'] })),
        applyPatch(
          `${widgets}/a?fieldManager=two`,
          widget('a', { size: 2, parts: [{ name: 'y', weight: 5 }], tags: ['c'] }),
        ),
        applyPatch(`${widgets}/a?fieldManager=two`, widget('a', { size: 3 })),
        applyPatch(`${widgets}/a?fieldManager=two&force=true`, widget('a', { size: 3 })),
        applyPatch(`${widgets}/a?fieldManager=one`, widget('a', { parts: [{ name: 'x', weight: 2 }] }), { save: {} }),
        applyPatch(`${widgets}/a?fieldManager=three`, widget('a', { size: 3, maybe: null, color: null })),
        applyPatch(`${widgets}/b?fieldManager=one`, widget('b', { unknown: 1 })),
        applyPatch(`${widgets}/b?fieldManager=one&fieldValidation=Strict`, widget('b', { unknown: 1 })),
        applyPatch(`${widgets}/b?fieldManager=one`, widget('b', { size: 'x' })),
        applyPatch(`${widgets}/a/status?fieldManager=ctl`, {
          apiVersion: 'd.example/v1',
          kind: 'Widget',
          metadata: { name: 'a' },
          status: { ready: 1 },
        }),
        applyPatch(`${widgets}/a?fieldManager=one`, {
          apiVersion: 'd.example/v1',
          kind: 'Widget',
          metadata: { name: 'a' },
        }),
      ],
    },
    {
      title: 'watches and the end',
      steps: [
        post(widgets, widget('a'), { save: { rv: 'metadata.resourceVersion' } }),
        watch('w', `${widgets}?watch=true&resourceVersion={rv}`),
        mergePatch(`${widgets}/a`, { spec: { size: 4 } }),
        del(`${widgets}/a`),
        collect('w', 2),
        post(widgets, widget('held', {}, { metadata: { name: 'held', finalizers: ['d.example/hold'] } }), {
          save: { rv: 'metadata.resourceVersion' },
        }),
        watch('held', `${widgets}?watch=true&resourceVersion={rv}`),
        watch('crd', definition),
        del(`${crds}/widgets.d.example`),
        collect('held', 1),
        post(widgets, widget('late')),
        applyPatch(`${widgets}/late?fieldManager=one`, widget('late')),
        del(`${crds}/widgets.d.example`),
        mergePatch(`${widgets}/held`, { metadata: { labels: { still: 'there' } } }),
        mergePatch(`${widgets}/held`, { metadata: { finalizers: null } }),
        collect('crd', 5),
        get(`${crds}/widgets.d.example`),
        get(widgets),
      ],
    },
  ],
};
