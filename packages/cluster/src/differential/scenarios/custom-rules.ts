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

const int = { type: 'integer' };
const ruledBy = (rule: string, more: object = {}) => ruled([{ rule, ...more }]);
const tried = (spec: object) =>
  post(
    `${crds}?dryRun=All`,
    crd('cads', 'Cad', {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    }),
  );

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
    {
      title: 'libraries, types and defaults',
      steps: [
        tried({ type: 'object', properties: { a: { ...int, default: 5, ...ruledBy('self > 7') } } }),
        tried({
          type: 'object',
          default: { a: 1 },
          properties: { a: { ...int, ...ruledBy('self > 7', { message: 'more' }) } },
        }),
        tried({
          type: 'object',
          default: { a: 1, b: 0 },
          properties: { a: int, b: int },
          ...ruledBy('self.a / self.b > 0'),
        }),
        tried({ type: 'object', default: { a: 1 }, properties: { a: int }, ...ruledBy('self.a >= oldSelf.a') }),
        tried({
          type: 'object',
          properties: { a: int },
          ...ruledBy('oldSelf.hasValue() || self.a > 1', { optionalOldSelf: true }),
        }),
        tried({ type: 'object', properties: { a: int }, ...ruledBy('self.a > 1', { optionalOldSelf: false }) }),
        tried({
          type: 'object',
          properties: { a: { type: 'array', items: { type: 'string' } } },
          ...ruledBy('self.a.all(x, self.a.all(y, x == y))'),
        }),
        tried({ type: 'object', properties: { a: { type: 'string', ...ruledBy("self.matches('(')") } } }),
        tried({
          type: 'object',
          properties: { a: { type: 'string', ...ruledBy("self.matches('a+') && self.find('b') == 'b'") } },
        }),
        tried({
          type: 'object',
          additionalProperties: {
            type: 'object',
            additionalProperties: { type: 'string', ...ruledBy("self.contains('a')") },
          },
        }),
        tried({
          type: 'object',
          properties: {
            a: { type: 'string', ...ruledBy('self.size() > 1', { messageExpression: '"x" + self.size()' }) },
          },
        }),
        tried({
          type: 'object',
          properties: { a: { type: 'string', ...ruledBy('self.size() > 1', { messageExpression: 'self.nothing' }) } },
        }),
        tried({ type: 'object', properties: { a: { type: 'string', ...ruledBy('isSemver(self)') } } }),
        tried({ type: 'object', properties: { a: { type: 'string', ...ruledBy('semver(self).major() > 1') } } }),
        tried({
          type: 'object',
          properties: { a: { type: 'string', ...ruledBy('quantity(self).isGreaterThan(quantity("1"))') } },
        }),
        tried({
          type: 'object',
          properties: {
            a: { type: 'string', ...ruledBy('ip(self).family() == 4 && cidr("10.0.0.0/8").containsIP(ip(self))') },
          },
        }),
        tried({
          type: 'object',
          properties: { a: { type: 'string', ...ruledBy('format.named("dns1123Label").hasValue()') } },
        }),
        tried({
          type: 'object',
          properties: {
            a: { type: 'string', ...ruledBy('authorizer.group("").resource("pods").check("get").allowed()') },
          },
        }),
        tried({
          type: 'object',
          properties: { a: { type: 'array', items: int, ...ruledBy('self.all(i, v, i < v)') } },
        }),
        tried({
          type: 'object',
          properties: { a: { type: 'array', maxItems: 10, items: int, ...ruledBy('self.all(i, v, i < v)') } },
        }),
        tried({
          type: 'object',
          properties: { a: { type: 'string', ...ruledBy('has(self)') }, 'b-c': { type: 'string', ...ruledBy('true') } },
          ...ruledBy('self.b__dash__c == self.a'),
        }),
        tried({
          type: 'object',
          properties: { a: { 'x-kubernetes-preserve-unknown-fields': true, ...ruledBy('true') } },
        }),
        tried({
          type: 'object',
          properties: {
            a: { 'x-kubernetes-int-or-string': true, ...ruledBy('type(self) == int ? self > 1 : self == "a"') },
          },
        }),
        tried({ type: 'object', properties: { a: { 'x-kubernetes-int-or-string': true, ...ruledBy('self > 1') } } }),
        tried({
          type: 'object',
          properties: {
            m: {
              type: 'object',
              'x-kubernetes-embedded-resource': true,
              'x-kubernetes-preserve-unknown-fields': true,
              ...ruledBy("self.metadata.name == 'a' && self.kind == 'x'"),
            },
          },
        }),
        tried({
          type: 'object',
          properties: {
            a: {
              type: 'object',
              properties: { list: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 100 } } },
              ...ruledBy('self.list.map(x, x + "a").exists(y, y == "b")'),
            },
          },
        }),
        tried({
          type: 'object',
          properties: {
            a: { type: 'string', ...ruledBy('self == "x"', { reason: 'FieldValueRequired', fieldPath: '.a' }) },
          },
          ...ruledBy('true', { fieldPath: '.a', reason: 'FieldValueDuplicate' }),
        }),
        tried({
          type: 'object',
          properties: { a: { type: 'string' } },
          ...ruledBy('self.a == "x"', { message: 'a\nb' }),
        }),
        tried({ type: 'object', properties: { a: { type: 'string' } }, ...ruledBy('self.a ==\n"x"') }),
        tried({
          type: 'object',
          properties: { a: { type: 'string', nullable: true, ...ruledBy('self == null || self == "a"') } },
        }),
        tried({
          type: 'object',
          properties: {
            l: {
              type: 'array',
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['k'],
              items: {
                type: 'object',
                required: ['k'],
                properties: { k: { type: 'string' }, v: { ...int, ...ruledBy('self >= oldSelf') } },
              },
            },
            t: { type: 'array', items: { ...int, ...ruledBy('self >= oldSelf') } },
          },
        }),
      ],
    },
  ],
};
