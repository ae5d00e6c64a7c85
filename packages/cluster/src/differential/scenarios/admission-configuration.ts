import { del, get, mergePatch, object, post, put } from '../build.ts';
import type { Scenario, Step } from '../types.ts';

const version = 'admissionregistration.k8s.io/v1';
const root = `/apis/${version}`;
const policies = `${root}/validatingadmissionpolicies`;
const bindings = `${root}/validatingadmissionpolicybindings`;
const mutators = `${root}/mutatingadmissionpolicies`;
const mutatorBindings = `${root}/mutatingadmissionpolicybindings`;
const dry = '?dryRun=All';

const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
const matchConstraints = { resourceRules: [rule] };

/** A policy that would be right but for what `spec` says. Nothing is stored. */
const policy = (spec: object, name = 'admission-p'): Step =>
  post(
    `${policies}${dry}`,
    object(version, 'ValidatingAdmissionPolicy', name, {
      spec: { matchConstraints, validations: [{ expression: 'true' }], ...spec },
    }),
  );

const binding = (spec: object, name = 'admission-b'): Step =>
  post(
    `${bindings}${dry}`,
    object(version, 'ValidatingAdmissionPolicyBinding', name, {
      spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
    }),
  );

const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const json = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

const mutator = (spec: object, name = 'admission-m'): Step =>
  post(
    `${mutators}${dry}`,
    object(version, 'MutatingAdmissionPolicy', name, {
      spec: { matchConstraints, reinvocationPolicy: 'Never', mutations: [apply('Object{}')], ...spec },
    }),
  );

const mutations = (...list: readonly object[]): Step => mutator({ mutations: list });

const mutatorBinding = (spec: object, name = 'admission-b'): Step =>
  post(
    `${mutatorBindings}${dry}`,
    object(version, 'MutatingAdmissionPolicyBinding', name, { spec: { policyName: 'p', ...spec } }),
  );

type Flavour = 'Mutating' | 'Validating';

const pathOf = (flavour: Flavour): string => `${root}/${flavour.toLowerCase()}webhookconfigurations`;

function hooks(flavour: Flavour, list: readonly object[], name = 'admission-h'): Step {
  const webhooks = list.map((more, i) => ({
    name: `h${i}.example.com`,
    clientConfig: { url: 'https://127.0.0.1:1/x' },
    rules: [rule],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  }));
  return post(`${pathOf(flavour)}${dry}`, object(version, `${flavour}WebhookConfiguration`, name, { webhooks }));
}

const at = (clientConfig: object) => ({ clientConfig });
const service = (more: object) => at({ service: { namespace: 'n', name: 's', ...more } });
const ruled = (more: object) => ({ rules: [{ ...rule, ...more }] });
const when = (expression: string, name = 'c') => ({ matchConditions: [{ name, expression }] });

/** Gives a user rights in the whole cluster. */
function rights(user: string, rules: readonly object[]): readonly Step[] {
  const rbac = 'rbac.authorization.k8s.io';
  const name = `admission-${user}`;
  return [
    post(`/apis/${rbac}/v1/clusterroles`, object(`${rbac}/v1`, 'ClusterRole', name, { rules })),
    post(
      `/apis/${rbac}/v1/clusterrolebindings`,
      object(`${rbac}/v1`, 'ClusterRoleBinding', name, {
        subjects: [{ kind: 'User', apiGroup: rbac, name: user }],
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      }),
    ),
  ];
}

const asMine = (step: Step): Step => ({ ...step, headers: { 'Impersonate-User': 'mine' } });

const wrongRules: readonly object[] = [
  {},
  { operations: [] },
  { operations: ['*', 'CREATE'] },
  { operations: ['create', 'CONNECT'] },
  { apiGroups: [], apiVersions: [] },
  { apiGroups: ['*', 'apps'], apiVersions: ['*', 'v1'] },
  { apiVersions: ['', 'v1'] },
  { resources: [] },
  { resources: ['', 'pods'] },
  { resources: ['pods/*', 'pods/exec'] },
  { resources: ['*/exec', 'pods/exec'] },
  { resources: ['*/*', 'pods'] },
  { resources: ['*', 'pods'] },
  { resources: ['*', 'pods/exec'] },
  { scope: 'Everywhere' },
];

const wrongExpressions: readonly string[] = [
  '',
  '1',
  'object',
  'object.spec.flag',
  'has(object.spec)',
  'objekt.spec == 1',
  'object.spec ==',
  'params.data.x == "1"',
  'variables.x == 1',
  'request.nothing == 1',
  'request.userInfo.groups.exists(g, g == 1)',
  'namespaceObject.metadata.uid == "1"',
  'namespaceObject.metadata.labels["a"] == "b"',
  'authorizer.group("").resource("pods").check("get").allowed()',
  'authorizer.requestResource.check("get").allowed()',
  'request.options.fieldManager == "x"',
  '"x".matches("(")',
  'object.metadata.name.unknown()',
  'quantity("1") == 1',
];

/** The kinds that configure admission, as they are written. What they then do is recorded elsewhere: the real server needs time to notice them. */
export const configurationScenarios: readonly Scenario[] = [
  {
    title: 'validating policies: form',
    steps: [
      policy({}),
      policy({ matchConstraints: undefined, validations: undefined }),
      policy({ failurePolicy: 'Maybe' }),
      policy({ matchConstraints: {} }),
      policy({
        matchConstraints: {
          ...matchConstraints,
          matchPolicy: 'Roughly',
          namespaceSelector: { matchLabels: { 'a b': 'c' } },
        },
      }),
      policy({
        matchConstraints: {
          resourceRules: [{ ...rule, resourceNames: ['a/b', 'c', 'c'] }],
          excludeResourceRules: [{ ...rule, operations: [] }],
        },
      }),
      ...wrongRules.map((more) => policy({ matchConstraints: { resourceRules: [{ ...rule, ...more }] } })),
      policy({ paramKind: {} }),
      policy({ paramKind: { apiVersion: 'a/b/c', kind: 'Two Words' } }),
      policy({ paramKind: { apiVersion: 'Bad_Group/1', kind: 'X' } }),
      policy({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }),
      policy({}, 'admission.static.k8s.io'),
      policy({ validations: [{ expression: 'true', message: ' ', messageExpression: ' ', reason: 'Other' }] }),
      policy({ validations: [{ expression: 'true', message: 'a\nb' }] }),
      policy({ validations: [{ expression: 'true', reason: 'Unauthorized' }] }),
      policy({ validations: [{ expression: 'true', messageExpression: '1' }] }),
      policy({
        validations: [{ expression: 'true', messageExpression: 'authorizer.path("/x").check("get").reason()' }],
      }),
      policy({
        auditAnnotations: [
          { key: 'a', valueExpression: '"x"' },
          { key: 'a', valueExpression: '1' },
          { key: 'b c', valueExpression: '' },
        ],
        validations: [],
      }),
      policy({
        auditAnnotations: [
          { key: 'n', valueExpression: 'null' },
          { key: 'o', valueExpression: 'object.metadata.name' },
        ],
      }),
      policy({ auditAnnotations: [{ key: 'long', valueExpression: `'${'x'.repeat(5200)}'` }] }),
    ],
  },
  {
    title: 'validating policies: expressions',
    steps: [
      ...wrongExpressions.map((expression) => policy({ validations: [{ expression }] })),
      policy({
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        validations: [{ expression: 'params.data.x == "1"' }],
      }),
      policy({ matchConditions: wrongExpressions.map((expression, i) => ({ name: `c${i}`, expression })) }),
      policy({
        matchConditions: [
          { expression: 'true' },
          { name: 'a b', expression: 'true' },
          { name: 'x', expression: 'true' },
          { name: 'x', expression: 'true' },
        ],
      }),
      policy({ matchConditions: Array.from({ length: 65 }, (_, i) => ({ name: `c${i}`, expression: 'true' })) }),
      policy({
        variables: [
          { name: '', expression: '' },
          { name: 'if', expression: '1' },
          { name: '1a', expression: '1' },
        ],
      }),
      policy({
        variables: [
          { name: 'a', expression: '1' },
          { name: 'b', expression: 'variables.a + 1' },
          { name: 'c', expression: 'variables.d + 1' },
          { name: 'd', expression: '[1, 2]' },
          { name: 'e', expression: 'quantity("1")' },
        ],
        validations: [
          { expression: 'variables.b == 2' },
          { expression: 'variables.a == "x"' },
          { expression: 'variables.d.exists(x, x == "1")' },
          { expression: 'variables.e.isGreaterThan(quantity("1"))' },
          { expression: 'variables.missing' },
          { expression: 'variables.c == 1', messageExpression: 'variables.a' },
        ],
      }),
      policy({ validations: [{ expression: 'Object{}' }, { expression: 'jsonpatch.escapeKey("a") == "a"' }] }),
    ],
  },
  {
    title: 'validating policies: life',
    steps: [
      post(
        policies,
        object(version, 'ValidatingAdmissionPolicy', 'admission-life', {
          spec: { matchConstraints, validations: [{ expression: 'true' }] },
        }),
        { save: { p: '' } },
      ),
      get(`${policies}/admission-life`),
      mergePatch(`${policies}/admission-life`, { spec: { validations: [{ expression: 'wrong' }] } }),
      mergePatch(`${policies}/admission-life`, { spec: { validations: [{ expression: '1 < 2' }] } }),
      mergePatch(`${policies}/admission-life`, { metadata: { labels: { a: 'b' } } }),
      mergePatch(`${policies}/admission-life`, { status: { observedGeneration: 5 } }),
      mergePatch(`${policies}/admission-life/status`, {
        status: {
          observedGeneration: 1,
          typeChecking: { expressionWarnings: [{ fieldRef: 'spec.validations[0].expression', warning: 'x' }] },
        },
      }),
      mergePatch(`${policies}/admission-life/status`, {
        status: { typeChecking: { expressionWarnings: [{ fieldRef: '', warning: '' }] } },
      }),
      mergePatch(`${policies}/admission-life/status`, { status: { conditions: [{ type: 'a', status: 'Maybe' }] } }),
      get(`${policies}/admission-life/status`),
      put(
        `${policies}/admission-life`,
        object(version, 'ValidatingAdmissionPolicy', 'admission-life', {
          spec: { matchConstraints, validations: [{ expression: 'true' }] },
        }),
      ),
      del(`${policies}/admission-life`),
    ],
  },
  {
    title: 'validating bindings',
    steps: [
      binding({}),
      binding({ policyName: undefined, validationActions: undefined }),
      binding({ policyName: 'Bad_Name' }),
      binding({ validationActions: ['Deny', 'Warn'] }),
      binding({ validationActions: ['Deny', 'Deny', 'Shout'] }),
      binding({ validationActions: [] }),
      binding({ paramRef: {} }),
      binding({ paramRef: { name: 'a/b', selector: {}, parameterNotFoundAction: 'Ask' } }),
      binding({
        paramRef: { selector: { matchExpressions: [{ key: 'a', operator: 'Is' }] }, parameterNotFoundAction: 'Allow' },
      }),
      binding({ paramRef: { name: 'a', namespace: 'n', parameterNotFoundAction: 'Deny' } }),
      binding({ matchResources: { resourceRules: [{ ...rule, operations: ['*', 'DELETE'] }] } }),
      binding({ matchResources: {} }),
      binding({}, 'admission.static.k8s.io'),
    ],
  },
  {
    title: 'mutating policies: form',
    steps: [
      mutator({}),
      mutator({ mutations: [], reinvocationPolicy: undefined }),
      mutator({ reinvocationPolicy: 'Always', failurePolicy: 'Maybe' }),
      mutator({ matchConstraints: undefined }),
      mutator({ matchConstraints: { resourceRules: [{ ...rule, operations: ['CREATE', 'DELETE'] }] } }),
      mutator({ matchConstraints: { resourceRules: [{ ...rule, operations: ['*'] }] } }),
      mutator({}, 'admission.static.k8s.io'),
      mutations({}),
      mutations({ patchType: 'Other' }),
      mutations({ patchType: 'JSONPatch' }, { patchType: 'ApplyConfiguration' }),
      mutations({ ...apply('Object{}'), jsonPatch: { expression: '[]' } }),
      mutations({ ...json('[JSONPatch{op: "test", path: "/x"}]'), applyConfiguration: { expression: '' } }),
      mutations(apply(''), json(' ')),
    ],
  },
  {
    title: 'mutating policies: expressions',
    steps: [
      ...[
        'Object{spec: Object.spec{replicas: 1}}',
        'Object{metadata: Object.metadata{labels: {"a": "b"}}}',
        'has(object.x) ? Object{} : Object{spec: Object.spec{}}',
        'Object{spec: Object.wrong{}}',
        'Other{}',
        'Object.spec{}',
        '{"a": "b"}',
        '"x"',
        'object',
        'Object{spec: missing}',
        'Object{spec: Object.spec{}.a}',
        'Object{?spec: optional.none()}',
        'Object{spec: Object.spec{list: [Object.spec.list{name: "a"}]}} ',
        'JSONPatch{op: "add"}',
      ].map((text) => mutations(apply(text))),
      ...[
        '[]',
        '[JSONPatch{op: "add", path: "/a", value: 1}]',
        '[JSONPatch{op: 1, path: "/a"}]',
        '[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b"), value: "x"}]',
        '[JSONPatch{op: "add", path: "/spec", value: Object.spec{a: 1}}]',
        '[JSONPatch{op: "add", path: "/spec", value: {"a": "b"}}, JSONPatch{op: "copy", from: "/a", path: "/b"}]',
        'has(object.x) ? [JSONPatch{op: "remove", path: "/x"}] : []',
        'JSONPatch{op: "add"}',
        '[1]',
        '["a"] + [JSONPatch{op: "add", path: "/a"}]',
        '[Object{}]',
      ].map((text) => mutations(json(text))),
      mutator({
        variables: [
          { name: 'a', expression: '"x"' },
          { name: 'o', expression: 'Object{}' },
        ],
        mutations: [
          apply('Object{metadata: Object.metadata{labels: {"a": variables.a}}}'),
          apply('variables.a'),
          json('[JSONPatch{op: "add", path: variables.a}]'),
        ],
      }),
      mutator({
        matchConditions: [
          { name: 'c', expression: 'Object{} == Object{}' },
          { name: 'd', expression: 'params.x' },
        ],
      }),
    ],
  },
  {
    title: 'mutating policies: life',
    steps: [
      post(
        mutators,
        object(version, 'MutatingAdmissionPolicy', 'admission-life', {
          spec: { matchConstraints, reinvocationPolicy: 'Never', mutations: [apply('Object{}')] },
        }),
      ),
      mergePatch(`${mutators}/admission-life`, { spec: { failurePolicy: 'Ignore' } }),
      mergePatch(`${mutators}/admission-life`, { metadata: { labels: { a: 'b' } } }),
      get(`${mutators}/admission-life/status`),
      del(`${mutators}/admission-life`),
      post(
        mutatorBindings,
        object(version, 'MutatingAdmissionPolicyBinding', 'admission-life', { spec: { policyName: 'p' } }),
      ),
      mergePatch(`${mutatorBindings}/admission-life`, { spec: { policyName: 'q' } }),
      del(`${mutatorBindings}/admission-life`),
      mutatorBinding({}),
      mutatorBinding({ policyName: undefined }),
      mutatorBinding({ policyName: 'Bad_Name', paramRef: {} }),
      mutatorBinding({ matchResources: { resourceRules: [{ ...rule, operations: ['DELETE'] }] } }),
      mutatorBinding({ validationActions: ['Deny'] }),
      mutatorBinding({}, 'admission.static.k8s.io'),
    ],
  },
  {
    title: 'webhooks',
    steps: [
      ...(['Validating', 'Mutating'] as const).flatMap((flavour) => [
        hooks(flavour, []),
        hooks(flavour, [{}]),
        hooks(flavour, [
          { name: '' },
          { name: 'short' },
          { name: 'Bad.Name.example' },
          { name: 'a.b.c' },
          { name: 'a.b.c' },
        ]),
        hooks(flavour, [{ sideEffects: undefined }, { sideEffects: 'Some' }, { sideEffects: 'Perhaps' }]),
        hooks(flavour, [
          { admissionReviewVersions: [] },
          { admissionReviewVersions: ['v2', 'v2', '1'] },
          { admissionReviewVersions: ['v2', 'v1beta1'] },
        ]),
        hooks(flavour, [
          { timeoutSeconds: 0 },
          { timeoutSeconds: 31 },
          { failurePolicy: 'x', matchPolicy: 'y', reinvocationPolicy: 'z' },
        ]),
        hooks(flavour, [
          {
            namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] },
            objectSelector: { matchLabels: { a: 'b c' } },
          },
        ]),
        hooks(flavour, [at({}), at({ url: 'https://x', service: { namespace: 'n', name: 's' } })]),
        hooks(
          flavour,
          ['http://x/y', 'https:///y', 'https://u:p@x/y', 'https://x/y#z', 'https://x/y?z=1', 'x', ''].map((url) =>
            at({ url }),
          ),
        ),
        hooks(flavour, [
          service({ name: '', namespace: '' }),
          service({ port: 0 }),
          service({ port: 70_000 }),
          service({ path: 'a' }),
          service({ path: '//' }),
          service({ path: '/a//b' }),
          service({ path: '/A_b/' }),
        ]),
        hooks(flavour, wrongRules.map(ruled)),
        hooks(flavour, [
          when('true'),
          when('object'),
          when('params.x == 1'),
          when('variables.x == 1'),
          when('x', 'a b'),
        ]),
        hooks(flavour, [ruled({ apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews', 'pods'] })]),
        hooks(flavour, [{}], 'admission.static.k8s.io'),
      ]),
      post(pathOf('Validating'), object(version, 'ValidatingWebhookConfiguration', 'admission-old', { webhooks: [] })),
      mergePatch(`${pathOf('Validating')}/admission-old`, { webhooks: [{ name: 'x' }] }),
      mergePatch(`${pathOf('Validating')}/admission-old`, { metadata: { labels: { a: 'b' } } }),
      del(`${pathOf('Validating')}/admission-old`),
    ],
  },
  {
    title: 'parameters that somebody may not read',
    steps: [
      ...rights('mine', [{ apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['*'] }]),
      asMine(policy({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } })),
      asMine(policy({ paramKind: { apiVersion: 'example.com/v1', kind: 'Nothing' } })),
      asMine(mutator({ paramKind: { apiVersion: 'v1', kind: 'Secret' } })),
      asMine(binding({ paramRef: { name: 'a', namespace: 'n', parameterNotFoundAction: 'Deny' } })),
      asMine(mutatorBinding({ paramRef: { selector: {}, parameterNotFoundAction: 'Deny' } })),
      post(
        policies,
        object(version, 'ValidatingAdmissionPolicy', 'p', {
          spec: {
            matchConstraints,
            validations: [{ expression: 'true' }],
            paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          },
        }),
      ),
      asMine(binding({ paramRef: { name: 'a', namespace: 'n', parameterNotFoundAction: 'Deny' } })),
      asMine(binding({ paramRef: { selector: {}, parameterNotFoundAction: 'Deny' } })),
      asMine(mergePatch(`${policies}/p`, { metadata: { labels: { a: 'b' } } })),
      asMine(mergePatch(`${policies}/p`, { spec: { paramKind: { kind: 'Secret' } } })),
      del(`${policies}/p`),
      del('/apis/rbac.authorization.k8s.io/v1/clusterroles/admission-mine'),
      del('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/admission-mine'),
    ],
  },
];
