import type { CustomResourceDefinition } from '@coxswain/k8s';
import type { SchemaNode } from '../../node.ts';

type Version = CustomResourceDefinition['spec']['versions'][number];

/** A definition to be judged, by what stands in its schema. */
export interface CrdCase {
  readonly name: string;
  /** The schema of the object; `apiVersion`, `kind` and `metadata` are the server's. */
  readonly schema: unknown;
  /** What else the version says. */
  readonly version?: Partial<Version>;
}

const rules = (...list: readonly (string | object)[]) => ({
  'x-kubernetes-validations': list.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});
const text = { type: 'string' };
const number = { type: 'integer' };
const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });
const list = (items: object, rest: object = {}) => ({ type: 'array', items, ...rest });
const map = (values: object, rest: object = {}) => ({ type: 'object', additionalProperties: values, ...rest });
const of = (name: string, spec: object, version?: Partial<Version>): CrdCase => {
  return { name, schema: object({ spec }), ...(version && { version }) };
};
const whole = (name: string, schema: object): CrdCase => ({ name, schema });
const column = (jsonPath: string, type: string, rest: object = {}): Partial<Version> => {
  return { additionalPrinterColumns: [{ name: 'C', jsonPath, type, ...rest }] };
};
const scale = (paths: object): Partial<Version> => ({ subresources: { scale: paths } as never });
const selectable = (...paths: readonly string[]): Partial<Version> => {
  return { selectableFields: paths.map((jsonPath) => ({ jsonPath })) };
};
const pairs = 'self.hosts.all(a, self.hosts.exists_one(b, a == b))';
const keyed = (item: object, keys: readonly string[] = ['name']) =>
  object({ a: list(item, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys }) });
const replicas = object({ replicas: number, name: text, tags: list(text), labels: map(text) });

const rulesAndCost: readonly CrdCase[] = [
  of('sound', object({ size: { ...number, minimum: 1, default: 1 }, hosts: list(text) })),
  of('sound rule', object({ a: number, b: number }, rules('self.a <= self.b'))),
  of('rule that does not parse', object({ a: number }, rules('self.a >'))),
  of('rule on a field that is not there', object({ a: number }, rules('self.b > 1'))),
  of('rule of the wrong type', object({ a: number }, rules('self.a'))),
  of('rule that compares types', object({ a: number }, rules('self.a == "x"'))),
  of('rule with an unknown function', object({ a: text }, rules('self.a.shout()'))),
  of('several wrong rules', object({ a: number }, rules('self.b', 'true', 'self.c'))),
  of('costly rule', object({ hosts: list(text) }, rules(pairs))),
  of('costly rule with bounds', object({ hosts: list({ ...text, maxLength: 63 }, { maxItems: 8 }) }, rules(pairs))),
  of('costly rule with one bound', object({ hosts: list(text, { maxItems: 100 }) }, rules(pairs))),
  of('rule inside an unbounded list', object({ a: list(object({ t: text }, rules('self.t.matches("a+b")'))) })),
  of(
    'rule inside a bounded list',
    object({ a: list(object({ t: { ...text, maxLength: 9 } }, rules('self.t.matches("a+b")')), { maxItems: 9 }) }),
  ),
  of('rule inside lists inside maps', object({ a: map(list(list(object({ n: number }, rules('self.n > 0'))))) })),
  of('cheap rule inside an unbounded list', object({ a: list(object({ n: number }, rules('self.n > 0'))) })),
  of(
    'costly rules together',
    object(
      Object.fromEntries(
        Array.from({ length: 13 }, (_, i) => [
          `list${i}`,
          list({ ...text, maxLength: 10 }, { maxItems: 1200 + i, ...rules('self.all(a, self.exists_one(b, a == b))') }),
        ]),
      ),
    ),
  ),
  of(
    'rule with a message that costs',
    object(
      { hosts: list(text) },
      rules({ rule: 'true', messageExpression: 'self.hosts.map(a, self.hosts.join(a)).join(",")' }),
    ),
  ),
  of(
    'message expression of the wrong type',
    object({ a: number }, rules({ rule: 'true', messageExpression: 'self.a' })),
  ),
  of(
    'message expression that does not compile',
    object({ a: number }, rules({ rule: 'true', messageExpression: 'self.b' })),
  ),
  of('empty rule', object({ a: number }, rules(' '))),
  of('rule without a message on two lines', object({ a: number }, rules('self.a > 0 &&\nself.a < 9'))),
  of('empty rule beside a bad rule', object({ a: number }, rules(' ', 'self.b > 1'))),
  of('unknown reason beside a bad rule', object({ a: number }, rules({ rule: 'true', reason: 'Odd' }, 'self.b > 1'))),
  of('unknown reason', object({ a: number }, rules({ rule: 'true', reason: 'Odd' }))),
  of('field path that is there', object({ a: number }, rules({ rule: 'true', fieldPath: '.a' }))),
  of('field path that is not there', object({ a: number }, rules({ rule: 'true', fieldPath: '.b' }))),
  of('field path into a list', object({ a: list(object({ b: text })) }, rules({ rule: 'true', fieldPath: '.a[0].b' }))),
  whole('rule on the name', object({ spec: object({}) }, rules('self.metadata.name.startsWith("a")'))),
  whole('rule on labels', object({ spec: object({}) }, rules('has(self.metadata.labels)'))),
  whole('rule on the namespace', object({ spec: object({}) }, rules('self.metadata.namespace == "a"'))),
  whole('rule on the kind', object({ spec: object({}) }, rules('self.kind == "Case" && self.apiVersion != ""'))),
  of('oldSelf', object({ a: text }, rules('self.a == oldSelf.a'))),
  of('oldSelf in an atomic list', object({ a: list({ ...text, ...rules('self == oldSelf') }) })),
  of(
    'oldSelf in a set',
    object({ a: list({ ...text, ...rules('self == oldSelf') }, { 'x-kubernetes-list-type': 'set' }) }),
  ),
  of(
    'oldSelf in a list map',
    keyed(object({ name: text, b: number }, { required: ['name'], ...rules('self == oldSelf') })),
  ),
  of('oldSelf in a map', object({ a: map({ ...text, ...rules('self == oldSelf') }) })),
  of(
    'oldSelf in an atomic map',
    object({ a: object({ b: { ...text, ...rules('self == oldSelf') } }, { 'x-kubernetes-map-type': 'atomic' }) }),
  ),
  of(
    'optionalOldSelf',
    object({
      a: { ...text, ...rules({ rule: '!oldSelf.hasValue() || self == oldSelf.value()', optionalOldSelf: true }) },
    }),
  ),
  of(
    'optionalOldSelf without oldSelf',
    object({ a: { ...text, ...rules({ rule: 'self != ""', optionalOldSelf: true }) } }),
  ),
  of('oldSelf as an optional, unsaid', object({ a: { ...text, ...rules('oldSelf.hasValue()') } })),
  of(
    'rule on an open object',
    object({ a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, ...rules('self.b == 1') } }),
  ),
  of(
    'rule on int-or-string',
    object({ a: { 'x-kubernetes-int-or-string': true, ...rules('type(self) == int || self == "x"') } }),
  ),
  of(
    'rule on an embedded resource',
    object({
      a: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
        ...rules('self.kind == "Pod" && self.metadata.name != ""'),
      },
    }),
  ),
  of(
    'rule with a quantity and an address',
    object({ a: text, b: text }, rules('quantity(self.a).isGreaterThan(quantity("1"))', 'isIP(self.b)')),
  ),
  of(
    'rule with a reserved name',
    object({ in: number, 'a-b': number }, rules('self.__in__ > 0 && self.a__dash__b > 0')),
  ),
];

const defaults: readonly CrdCase[] = [
  of('default of the wrong type', object({ a: { ...number, default: 'x' } })),
  of('default out of its bounds', object({ a: { ...number, minimum: 3, default: 1 } })),
  of('default outside the enum', object({ a: { ...text, enum: ['x', 'y'], default: 'z' } })),
  of('default against the pattern', object({ a: { ...text, pattern: '^a', default: 'b' } })),
  of('default against a rule', object({ a: { ...number, ...rules('self > 1'), default: 1 } })),
  of(
    'default against a rule around it',
    object({ a: { ...number, default: 1 } }, { ...rules('self.a > 1'), default: {} }),
  ),
  of('default with an unknown field', object({ a: object({ b: number }, { default: { b: 1, c: 2 } }) })),
  of('default without a required field', object({ a: object({ b: number }, { required: ['b'], default: {} }) })),
  of(
    'bad default beside a bad rule',
    object({ a: { ...number, minimum: 3, default: 1 }, b: { ...text, ...rules('self > 1') } }),
  ),
  of(
    'default against a rule beside a bad rule',
    object({ a: { ...number, ...rules('self > 1'), default: 1 }, b: { ...text, ...rules('self > 1') } }),
  ),
  of('default of a field whose rule does not compile', object({ a: { ...number, ...rules('self > ""'), default: 1 } })),
  of(
    'default against a rule beside a costly rule',
    object({ a: { ...number, ...rules('self > 1'), default: 1 }, hosts: list(text) }, rules(pairs)),
  ),
  of('default null', object({ a: { ...text, default: null } })),
  of('default null where it may be', object({ a: { ...text, nullable: true, default: null } })),
  of('default in a map', object({ a: map({ ...text, default: 'x' }) })),
  of('default of a list', object({ a: list(object({ b: { ...number, default: 1 } }), { default: [{}] }) })),
  of(
    'default with items twice in a set',
    object({ a: list(text, { 'x-kubernetes-list-type': 'set', default: ['x', 'x'] }) }),
  ),
  of(
    'default of an embedded resource',
    object({
      a: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
        default: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'A_B' } },
      },
    }),
  ),
  whole('default of metadata', { type: 'object', properties: { metadata: { type: 'object', default: {} } } }),
];

const structure: readonly CrdCase[] = [
  of('bad structure beside a bad rule', object({ a: { type: 'array' } }, rules('self.b > 1'))),
  of('bad keyword beside a bad rule', object({ a: { ...text, pattern: '^(?!a)' } }, rules('self.b > 1'))),
  of('uniqueItems beside a bad rule', object({ a: list(text, { uniqueItems: true }) }, rules('self.b > 1'))),
  of('forbidden anyOf beside a bad rule', object({ a: { ...text, anyOf: [{ type: 'string' }] } }, rules('self.b > 1'))),
  of('list without items', object({ a: { type: 'array' } })),
  of('map key without default', keyed(object({ name: text }))),
  of('map key with default', keyed(object({ name: { ...text, default: 'a' } }))),
  of('map key required', keyed(object({ name: text }, { required: ['name'] }))),
  of('map key that is no field', keyed(object({ name: text }, { required: ['name'] }), ['nam'])),
  of('list map without keys', keyed(object({ name: text }, { required: ['name'] }), [])),
  of('set of objects', object({ a: list(object({ b: text }), { 'x-kubernetes-list-type': 'set' }) })),
  of('type inside anyOf', object({ a: { ...text, anyOf: [{ type: 'string' }] } })),
  of('description inside anyOf', object({ a: { ...text, anyOf: [{ description: 'x', maxLength: 2 }] } })),
  of('default inside allOf', object({ a: { ...text, allOf: [{ default: 'x' }] } })),
  of(
    'field of anyOf only',
    object({ a: text }, { anyOf: [{ required: ['a'] }, { properties: { b: { minLength: 1 } } }] }),
  ),
  of(
    'int-or-string',
    object({ a: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } }),
  ),
  of('int-or-string with a type', object({ a: { ...text, 'x-kubernetes-int-or-string': true } })),
  of('no type', object({ a: { maxLength: 3 } })),
  of('no type, but open', object({ a: { 'x-kubernetes-preserve-unknown-fields': true } })),
  of('unknown type', object({ a: { type: 'text' } })),
  of('uniqueItems', object({ a: list(text, { uniqueItems: true }) })),
  of('properties and additionalProperties', object({ a: object({ b: text }, { additionalProperties: text }) })),
  of('properties and additionalProperties true', object({ a: object({ b: text }, { additionalProperties: true }) })),
  of('properties and additionalProperties false', object({ a: object({ b: text }, { additionalProperties: false }) })),
  of('additionalProperties false alone', object({ a: { type: 'object', additionalProperties: false } })),
  of('embedded resource without properties', object({ a: { type: 'object', 'x-kubernetes-embedded-resource': true } })),
  of(
    'embedded resource',
    object({
      a: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    }),
  ),
  of('pattern outside RE2', object({ a: { ...text, pattern: '^(?!a)' } })),
  of('unknown format', object({ a: { ...text, format: 'shape' } })),
  of('bounds the wrong way round', object({ a: { ...number, minimum: 3, maximum: 1 } })),
  of('enum of other types', object({ a: { ...text, enum: [1, 'x'] } })),
  of('enum twice', object({ a: { ...text, enum: ['x', 'x'] } })),
  of('required field that is not there', object({ a: text }, { required: ['b'] })),
  of('$ref', object({ a: { $ref: '#/definitions/a' } })),
  of('preserve-unknown false', object({ a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false } })),
  whole('root is a string', text),
  whole('root is nullable', object({}, { nullable: true })),
  whole('root has additionalProperties', map(text)),
  whole('bounds of the name', object({ metadata: object({ name: { ...text, maxLength: 9 } }) })),
  whole('bounds of labels', object({ metadata: object({ labels: map(text, { maxProperties: 9 }) }) })),
];

const paths: readonly CrdCase[] = [
  of('column', replicas, column('.spec.replicas', 'integer')),
  of('column that is not in the schema', replicas, column('.spec.replica', 'integer')),
  of('column of another type', replicas, column('.spec.name', 'integer')),
  of('column of an unknown type', replicas, column('.spec.name', 'text')),
  of('column of an unknown format', replicas, column('.spec.name', 'string', { format: 'shape' })),
  of('column without a dot', replicas, column('spec.name', 'string')),
  of('column that is no path', replicas, column('.spec.name[', 'string')),
  of('column with a filter', replicas, column('.status.conditions[?(@.type=="Ready")].status', 'string')),
  of('scale', replicas, scale({ specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' })),
  of(
    'scale path that is not there',
    replicas,
    scale({ specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' }),
  ),
  of(
    'scale path of another type',
    replicas,
    scale({ specReplicasPath: '.spec.name', statusReplicasPath: '.status.size' }),
  ),
  of(
    'scale path outside spec',
    replicas,
    scale({ specReplicasPath: '.status.size', statusReplicasPath: '.spec.replicas' }),
  ),
  of(
    'scale path with an index',
    replicas,
    scale({ specReplicasPath: '.spec.tags[0]', statusReplicasPath: '.status.size' }),
  ),
  of('scale without a path', replicas, scale({ specReplicasPath: '.spec.replicas' })),
  of(
    'scale path without a dot',
    replicas,
    scale({ specReplicasPath: 'spec.replicas', statusReplicasPath: 'status.size' }),
  ),
  of(
    'scale selector outside spec and status',
    replicas,
    scale({
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.size',
      labelSelectorPath: '.metadata.labels',
    }),
  ),
  of('selectable field', replicas, selectable('.spec.name', '.spec.replicas')),
  of('selectable field that is not there', replicas, selectable('.spec.nam')),
  of('selectable list', replicas, selectable('.spec.tags')),
  of('selectable item', replicas, selectable('.spec.tags[0]')),
  of('selectable value of a map', replicas, selectable('.spec.labels.a')),
  of('selectable field of metadata', replicas, selectable('.metadata.name')),
  of('selectable field twice', replicas, selectable('.spec.name', '.spec.name')),
  of('selectable field without a dot', replicas, selectable('spec.name')),
  of(
    'nine selectable fields',
    object(Object.fromEntries([...'abcdefghi'].map((n) => [n, text]))),
    selectable(...[...'abcdefghi'].map((n) => `.spec.${n}`)),
  ),
];

/** Definitions, sound and not, to hold what judges definitions against each other. */
export const crdCases: readonly CrdCase[] = [...rulesAndCost, ...defaults, ...structure, ...paths];

/** The manifest of a case, in a group of its own. */
export function crdOfCase({ schema, version }: CrdCase, group: string): CustomResourceDefinition {
  const openAPIV3Schema = schema as SchemaNode;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `cases.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Case', listKind: 'CaseList', plural: 'cases', singular: 'case' },
      versions: [{ ...version, name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  } as CustomResourceDefinition;
}
