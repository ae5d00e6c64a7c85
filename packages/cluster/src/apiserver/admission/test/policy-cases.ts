import type { Case, Step } from './cases.ts';
import { configMap, configure, namespaces, pod, post, scene } from './steps.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const rules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];

interface PolicySpec {
  readonly validations: readonly object[];
  readonly [field: string]: unknown;
}

function policy(title: string, spec: PolicySpec, bindings: readonly object[] = [{}]): readonly Step[] {
  const only = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': title } } };
  const bind = (more: object, i: number) =>
    configure(`${group}/validatingadmissionpolicybindings`, {
      metadata: { name: `${title}-${i}` },
      spec: { policyName: title, validationActions: ['Deny'], matchResources: only, ...more },
    });
  return [
    configure(`${group}/validatingadmissionpolicies`, {
      metadata: { name: title },
      spec: { matchConstraints: { resourceRules: rules }, ...spec },
    }),
    ...bindings.map(bind),
  ];
}

/** One policy, and writes that it judges. */
function judged(
  title: string,
  spec: PolicySpec,
  objects: readonly object[] = [configMap('a')],
  bindings: readonly object[] = [{}],
  before: readonly Step[] = [],
): Case {
  const steps = [
    ...scene(title),
    ...before,
    ...policy(title, spec, bindings),
    ...objects.map((one) => post(title, 'configmaps', one)),
  ];
  return { title, steps };
}

const expect = (expression: string, more: object = {}) => ({ expression, ...more });
const never = expect('1 > 2');

export const policyCases: readonly Case[] = [
  judged('policy-plain', { validations: [expect("object.data.a == 'c'")] }, [
    configMap('a'),
    { metadata: { name: 'b' }, data: { a: 'c' } },
    { metadata: { generateName: 'gen-' } },
  ]),
  judged('policy-message', { validations: [expect('false', { message: 'never ' }), never] }),
  judged('policy-expression', {
    validations: [expect('false', { messageExpression: "'not ' + object.metadata.name", reason: 'Forbidden' })],
  }),
  judged('policy-bad-message', {
    validations: [expect('false', { messageExpression: 'string(object.data.nothing)', message: 'plain' })],
  }),
  judged(
    'policy-warn',
    { validations: [never, expect('false', { message: 'no' })] },
    [configMap('a')],
    [{ validationActions: ['Warn', 'Audit'] }],
  ),
  judged('policy-ignore', { failurePolicy: 'Ignore', validations: [expect("object.data.nothing == 'x'")] }),
  judged(
    'policy-conditions',
    { validations: [never], matchConditions: [{ name: 'c', expression: "object.metadata.name.startsWith('x')" }] },
    [configMap('a'), configMap('xa')],
  ),
  judged('policy-variables', {
    variables: [
      { name: 'first', expression: 'object.data.a' },
      { name: 'both', expression: "variables.first + 'z'" },
      { name: 'broken', expression: 'object.data.nothing' },
    ],
    validations: [
      expect("variables.both == 'bz'"),
      expect("true || variables.broken == 'x'"),
      expect("namespaceObject.metadata.name == 'policy-variables'"),
      expect("request.operation == 'UPDATE'", { messageExpression: "'it is ' + request.operation" }),
    ],
  }),
  judged('policy-broken', {
    variables: [{ name: 'broken', expression: 'object.data.nothing' }],
    validations: [expect("variables.broken == 'x'")],
  }),
  judged(
    'policy-params',
    {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [expect('object.data.a == params.data.wanted')],
    },
    [configMap('a')],
    [{ paramRef: { name: 'settings', parameterNotFoundAction: 'Deny' } }],
    [configure(`${namespaces}/policy-params/configmaps`, { metadata: { name: 'settings' }, data: { wanted: 'x' } })],
  ),
  judged(
    'policy-no-params',
    { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [never] },
    [configMap('a')],
    [
      { paramRef: { name: 'missing', parameterNotFoundAction: 'Allow' } },
      { paramRef: { selector: { matchLabels: { settings: 'yes' } }, parameterNotFoundAction: 'Deny' } },
    ],
  ),
  judged(
    'policy-no-kind',
    {
      paramKind: { apiVersion: 'example.com/v1', kind: 'Nothing' },
      matchConstraints: {
        resourceRules: rules,
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'policy-no-kind' } },
      },
      validations: [expect('true')],
    },
    [configMap('a')],
    [{ paramRef: { name: 'missing', parameterNotFoundAction: 'Allow' } }],
  ),
  judged(
    'policy-selected-params',
    {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [
        expect('object.data.a == params.data.wanted', { messageExpression: "'not ' + params.data.wanted" }),
      ],
    },
    [configMap('a')],
    [{ paramRef: { selector: { matchLabels: { settings: 'yes' } }, parameterNotFoundAction: 'Deny' } }],
    ['x', 'b', 'y'].map((wanted) =>
      configure(`${namespaces}/policy-selected-params/configmaps`, {
        metadata: { name: `s-${wanted}`, labels: { settings: 'yes' } },
        data: { wanted },
      }),
    ),
  ),
  judged('policy-too-large', { validations: [expect('false', { reason: 'RequestEntityTooLarge', message: 'big' })] }),
  judged('policy-annotations', {
    validations: [expect("object.data.a == 'b'")],
    auditAnnotations: [
      { key: 'name', valueExpression: "'it is ' + object.metadata.name" },
      { key: 'none', valueExpression: 'null' },
    ],
  }),
  judged('policy-bad-annotation', {
    validations: [expect('true')],
    auditAnnotations: [{ key: 'name', valueExpression: "'it is ' + object.data.nothing" }],
  }),
  judged(
    'policy-bad-annotation-warn',
    { validations: [never], auditAnnotations: [{ key: 'name', valueExpression: "'it is ' + object.data.nothing" }] },
    [configMap('a')],
    [{ validationActions: ['Warn'] }],
  ),
  judged('policy-budget', {
    validations: [
      expect(
        "['a','b','c','d','e','f','g','h','i','j'].all(a, ['a','b','c','d','e','f','g','h','i','j'].all(b, ['a','b','c','d','e','f','g','h','i','j'].all(c, ['a','b','c','d','e','f','g','h','i','j'].all(d, ['a','b','c','d','e','f','g','h','i','j'].all(e, ['a','b','c','d','e','f','g','h','i','j'].all(f, a + b + c + d + e + f != 'x'))))))",
      ),
    ],
  }),
  judged(
    'policy-two-bindings',
    { validations: [expect('false', { message: 'no' })] },
    [configMap('a')],
    [{ validationActions: ['Warn'] }, {}],
  ),
  judged('policy-authorizer', {
    variables: [
      { name: 'may', expression: "authorizer.group('').resource('pods').namespace('x').check('get').allowed()" },
    ],
    validations: [
      expect('variables.may', { messageExpression: "variables.may ? 'yes' : 'no'" }),
      expect('!variables.may', { messageExpression: "variables.may ? 'yes' : 'no'" }),
    ],
  }),
  {
    title: 'policy-connect',
    steps: [
      ...scene('policy-connect'),
      ...policy('policy-connect', {
        matchConstraints: {
          resourceRules: [{ operations: ['CONNECT'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods/exec'] }],
        },
        validations: [
          expect("object.command[0] != 'rm'", {
            messageExpression: "'no ' + object.command[0] + ' by ' + object.kind + ' ' + request.kind.kind",
          }),
        ],
      }),
      post('policy-connect', 'pods', pod('p', [{}])),
      post('policy-connect', 'pods/p/exec', {}, { command: 'rm' }),
      post('policy-connect', 'pods/p/exec', {}, { command: 'ls' }),
    ],
  },
];
