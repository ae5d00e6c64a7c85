import { applyPatch, collect, get, group, mergePatch, post, watch } from '../build.ts';
import type { Area } from '../types.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const gauges = group('r.example/v1', 'gauges');
const strictGauges = group('r.example/v2', 'gauges');

const integer = { type: 'integer' };
const ruled = (rules: readonly object[]) => (rules.length > 0 ? { 'x-kubernetes-validations': rules } : {});

/** A schema with rules on its spec and on a text in it. */
function schema(spec: readonly object[], name: readonly object[] = [], status: readonly object[] = []) {
  return {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['size'],
        properties: { size: integer, max: integer, name: { type: 'string', maxLength: 20, ...ruled(name) } },
        ...ruled(spec),
      },
      status: { type: 'object', properties: { ready: integer, phase: { type: 'string' } }, ...ruled(status) },
    },
  };
}

const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.ready' };
const version = (name: string, openAPIV3Schema: object) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema },
  subresources: { status: {}, scale },
});

const crd = (plural: string, kind: string, ...versions: readonly object[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.r.example` },
  spec: { group: 'r.example', scope: 'Namespaced', names: { plural, kind }, versions },
});

const refused = (...rules: readonly object[]) => post(crds, crd('dials', 'Dial', version('v1', schema(rules))));
const withList = (list: object) => {
  const properties = { spec: { type: 'object', properties: { list } } };
  return post(crds, crd('dials', 'Dial', version('v1', { type: 'object', properties })));
};

const startsWithG = { rule: "self.startsWith('g-')", message: 'must start with g-' };
const strict = schema(
  [
    {
      rule: '!has(self.max) || self.size <= self.max',
      messageExpression: "'%d is more than %d'.format([self.size, self.max])",
      fieldPath: '.size',
    },
    { rule: 'self.size < 100', reason: 'FieldValueForbidden', message: 'too much' },
    { rule: 'self.size >= oldSelf.size', message: 'must not shrink' },
    { rule: '!has(self.max) || 100 / self.max > 0' },
  ],
  [startsWithG],
  [{ rule: "!has(self.phase) || self.phase != 'Broken'", fieldPath: '.phase' }],
);

const gauge = (name: string, spec: object, apiVersion = 'r.example/v2') => ({
  apiVersion,
  kind: 'Gauge',
  metadata: { name },
  spec,
});
const definition = `${crds}?watch=true&fieldSelector=metadata.name%3Dgauges.r.example`;

/** Rules in the schemas of definitions, and objects that are held to them. */
export const customRules: Area = {
  name: 'custom-rules',
  scenarios: [
    {
      title: 'a definition with rules',
      steps: [
        watch('crd', definition),
        post(crds, crd('gauges', 'Gauge', version('v1', schema([])), version('v2', strict))),
        collect('crd', 3),
        get('/apis/r.example'),
      ],
    },
    {
      title: 'definitions that are refused',
      steps: [
        refused({ rule: 'self.sise > 1' }),
        refused({ rule: 'self.size' }),
        refused({ rule: 'self.size >' }),
        refused({ rule: '' }),
        refused({ rule: 'self.size > 1', message: ' ' }),
        refused({ rule: 'self.size > 1', messageExpression: 'self.size' }),
        refused({ rule: 'self.size > 1', reason: 'Whim' }),
        refused({ rule: 'self.size > 1', fieldPath: '.nothing' }),
        refused({ rule: 'self.size > 1', optionalOldSelf: true }),
        refused({ rule: 'true', fieldPath: '.nothing' }, { rule: 'self.sise > 1' }),
        post(crds, crd('dials', 'Dial', version('v1', schema([{ rule: '' }], [{ rule: 'self' }])))),
        post(crds, crd('dials', 'Dial', version('v1', schema([])), version('v2', schema([{ rule: 'self' }])))),
        withList({
          type: 'array',
          items: { type: 'string' },
          ...ruled([{ rule: 'self.all(a, self.all(b, self.all(c, a == b || b == c)))' }]),
        }),
        withList({ type: 'array', items: { type: 'string', ...ruled([{ rule: 'self == oldSelf' }]) } }),
      ],
    },
    {
      title: 'objects with rules',
      steps: [
        post(strictGauges, gauge('a', { size: 2, max: 2, name: 'g-1' })),
        post(strictGauges, gauge('b', { size: 200, max: 3, name: 'x' })),
        post(strictGauges, gauge('b', { size: 0, max: 0 })),
        post(strictGauges, gauge('b', { max: 3, name: 'x' })),
        post(strictGauges, gauge('b', { size: 1, max: 'x', name: 'x' })),
        post(strictGauges, gauge('b', { size: 1, name: 'x'.repeat(30) })),
        post(`${strictGauges}?dryRun=All`, gauge('b', { size: 3, max: 2 })),
        mergePatch(`${strictGauges}/a`, { spec: { size: 1 } }),
        mergePatch(`${strictGauges}/a`, { spec: { size: 3 } }),
        mergePatch(`${strictGauges}/a`, { spec: { size: 3, max: 5 } }),
        applyPatch(`${strictGauges}/a?fieldManager=me&force=true`, gauge('a', { size: 1 })),
        mergePatch(`${strictGauges}/a/scale`, { spec: { replicas: 1 } }),
        mergePatch(`${strictGauges}/a/scale`, { spec: { replicas: 4 } }),
        mergePatch(`${strictGauges}/a/status`, { status: { phase: 'Broken' } }),
        mergePatch(`${strictGauges}/a/status`, { status: { phase: 'Fine' } }),
        get(`${strictGauges}/a`),
      ],
    },
    {
      title: 'what was stored before the rules',
      steps: [
        post(gauges, gauge('old', { size: 200, name: 'x' }, 'r.example/v1')),
        mergePatch(`${strictGauges}/old`, { metadata: { labels: { a: 'b' } } }),
        mergePatch(`${strictGauges}/old`, { spec: { max: 500 } }),
        mergePatch(`${strictGauges}/old`, { spec: { size: 90 } }),
        mergePatch(`${strictGauges}/old/status`, { status: { phase: 'Fine' } }),
        mergePatch(`${strictGauges}/old/status`, { status: { phase: 'Broken' } }),
        mergePatch(`${gauges}/old`, { spec: { size: 20 } }),
        mergePatch(`${strictGauges}/old`, { spec: { max: 30 } }),
        mergePatch(`${strictGauges}/old`, { spec: { name: 'y' } }),
        mergePatch(`${crds}/gauges.r.example`, { metadata: { labels: { a: 'b' } } }),
      ],
    },
  ],
};
