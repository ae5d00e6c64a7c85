import type { Case, Step } from './cases.ts';
import { configMap, configure, namespaces, pod, post, scene } from './steps.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const rule = (resources: readonly string[], operations: readonly string[] = ['CREATE', 'UPDATE']) => ({
  operations,
  apiGroups: ['', 'autoscaling'],
  apiVersions: ['v1'],
  resources,
});

export const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
export const json = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

interface PolicySpec {
  readonly mutations: readonly object[];
  readonly [field: string]: unknown;
}

function policy(title: string, spec: PolicySpec, bindings: readonly object[] = [{}], name = title): readonly Step[] {
  const only = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': title } } };
  const bind = (more: object, i: number) =>
    configure(`${group}/mutatingadmissionpolicybindings`, {
      metadata: { name: `${name}-${i}` },
      spec: { policyName: name, matchResources: only, ...more },
    });
  return [
    configure(`${group}/mutatingadmissionpolicies`, {
      metadata: { name },
      spec: {
        matchConstraints: { resourceRules: [rule(['configmaps', 'pods'])] },
        reinvocationPolicy: 'Never',
        ...spec,
      },
    }),
    ...bindings.map(bind),
  ];
}

interface Play {
  readonly objects?: readonly object[];
  readonly bindings?: readonly object[];
  readonly before?: readonly Step[];
  readonly steps?: readonly Step[];
}

/** One policy, and writes that it changes. */
function changed(title: string, spec: PolicySpec, { objects, bindings, before = [], steps = [] }: Play = {}): Case {
  const writes = (objects ?? [configMap('a')]).map((one) => post(title, 'configmaps', one));
  return { title, steps: [...scene(title), ...before, ...policy(title, spec, bindings), ...writes, ...steps] };
}

const label = (key: string, value: string): string => `Object{metadata: Object.metadata{labels: {"${key}": ${value}}}}`;

const patch = (title: string, path: string, body: object): Step => ({
  method: 'PATCH',
  path: `${namespaces}/${title}/${path}`,
  body,
  type: 'application/merge-patch+json',
});

/** Adds a mark to what was there. */
const traced = (mark: string) => apply(`Object{data: {"t": (has(object.data.t) ? object.data.t : "") + "${mark}"}}`);

const limits = 'Object.spec.containers.resources{limits: {"cpu": "1"}}';
const autoscaler = {
  metadata: { name: 'a' },
  spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
};

/** What mutating policies make of writes. */
export const mutationCases: readonly Case[] = [
  changed(
    'mutate-apply',
    { mutations: [apply(label('x', 'object.metadata.name')), apply('Object{data: {"b": "c"}}')] },
    {
      objects: [configMap('a', { own: 'y' }), { metadata: { generateName: 'gen-' } }, configMap('b', { x: 'mine' })],
      steps: [patch('mutate-apply', 'configmaps/a', { metadata: { labels: { x: null } } })],
    },
  ),
  changed('mutate-fields', {
    mutations: [
      apply('Object{metadata: Object.metadata{annotations: {"n": string(1 + 1)}}, immutable: true}'),
      apply('Object{?data: optional.of({"k": request.operation})}'),
      apply('Object{?data: object.?nothing}'),
    ],
  }),
  changed('mutate-unknown', { mutations: [apply('Object{bogus: 1}')] }),
  changed('mutate-type', { mutations: [apply('Object{data: {"a": 1}}')] }),
  changed('mutate-misplaced', { mutations: [apply('Object{metadata: Object.data{labels: {"a": "b"}}}')] }),
  changed('mutate-null', { mutations: [apply('Object{data: null}')] }),
  changed(
    'mutate-lists',
    {
      mutations: [
        apply(`Object{spec: Object.spec{containers: [Object.spec.containers{name: "c1", resources: ${limits}}]}}`),
      ],
    },
    {
      objects: [],
      steps: [post('mutate-lists', 'pods', pod('p', [{}, {}])), post('mutate-lists', 'pods', pod('one', [{}]))],
    },
  ),
  changed(
    'mutate-atomic',
    {
      mutations: [apply('Object{spec: Object.spec{containers: [Object.spec.containers{name: "c0", command: ["a"]}]}}')],
    },
    { objects: [], steps: [post('mutate-atomic', 'pods', pod('p', [{}]))] },
  ),
  changed(
    'mutate-atomic-map',
    { mutations: [apply('Object{spec: Object.spec{nodeSelector: {"a": "b"}}}')] },
    { objects: [], steps: [post('mutate-atomic-map', 'pods', pod('p', [{}]))] },
  ),
  changed('mutate-json', {
    mutations: [
      json('[JSONPatch{op: "add", path: "/metadata/labels", value: {"a": "b"}}]'),
      json(
        '[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("x.y/z~"), value: object.metadata.labels["a"]}, ' +
          'JSONPatch{op: "copy", from: "/data/a", path: "/data/c"}, JSONPatch{op: "test", path: "/data/c", value: "b"}]',
      ),
    ],
  }),
  changed('mutate-json-test', {
    mutations: [
      json('[JSONPatch{op: "add", path: "/data/x", value: "y"}, JSONPatch{op: "test", path: "/data/a", value: "z"}]'),
    ],
  }),
  changed('mutate-json-missing', { mutations: [json('[JSONPatch{op: "remove", path: "/data/nothing"}]')] }),
  changed('mutate-json-unknown', { mutations: [json('[JSONPatch{op: "add", path: "/bogus", value: 1}]')] }),
  changed('mutate-json-type', { mutations: [json('[JSONPatch{op: "add", path: "/data/x", value: 1}]')] }),
  changed('mutate-json-object', {
    mutations: [json('[JSONPatch{op: "add", path: "/metadata", value: Object.metadata{name: "a"}}]')],
  }),
  changed('mutate-fails', { mutations: [apply(label('x', 'object.data.nothing')), apply(label('y', '"z"'))] }),
  changed('mutate-ignored', {
    failurePolicy: 'Ignore',
    mutations: [apply(label('x', 'object.data.nothing')), apply(label('y', '"z"'))],
  }),
  changed(
    'mutate-conditions',
    {
      mutations: [apply(label('x', '"y"'))],
      matchConditions: [{ name: 'c', expression: "object.metadata.name.startsWith('x')" }],
    },
    { objects: [configMap('a'), configMap('xa')] },
  ),
  changed('mutate-bad-condition', {
    mutations: [apply(label('x', '"y"'))],
    matchConditions: [{ name: 'c', expression: "object.data.nothing == 'x'" }],
  }),
  changed('mutate-variables', {
    variables: [
      { name: 'a', expression: 'object.data.a + "1"' },
      { name: 'b', expression: 'variables.a + "2"' },
      { name: 'broken', expression: 'object.data.nothing' },
    ],
    mutations: [
      apply(label('x', 'variables.b')),
      apply(label('x', 'variables.a')),
      apply(label('n', 'namespaceObject.metadata.name')),
    ],
  }),
  changed('mutate-broken-variable', {
    variables: [{ name: 'broken', expression: 'object.data.nothing' }],
    mutations: [apply(label('x', 'variables.broken'))],
  }),
  changed(
    'mutate-params',
    { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, mutations: [apply(label('x', 'params.data.wanted'))] },
    {
      bindings: [{ paramRef: { name: 'settings', parameterNotFoundAction: 'Deny' } }],
      before: [
        configure(`${namespaces}/mutate-params/configmaps`, { metadata: { name: 'settings' }, data: { wanted: 'x' } }),
      ],
    },
  ),
  changed(
    'mutate-no-params',
    { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, mutations: [apply(label('x', 'params.data.wanted'))] },
    { bindings: [{ paramRef: { name: 'missing', parameterNotFoundAction: 'Deny' } }] },
  ),
  changed(
    'mutate-no-kind',
    {
      paramKind: { apiVersion: 'example.com/v1', kind: 'Nothing' },
      matchConstraints: {
        resourceRules: [rule(['configmaps'])],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'mutate-no-kind' } },
      },
      mutations: [apply(label('x', '"y"'))],
    },
    { bindings: [{ paramRef: { name: 'missing', parameterNotFoundAction: 'Deny' } }] },
  ),
  {
    title: 'mutate-again',
    steps: [
      ...scene('mutate-again'),
      ...policy('mutate-again', { reinvocationPolicy: 'IfNeeded', mutations: [traced('1')] }, [{}], 'mutate-again-a'),
      configure(`${group}/mutatingwebhookconfigurations`, {
        metadata: { name: 'mutate-again' },
        webhooks: [
          {
            name: 'h.mutate-again.example.com',
            clientConfig: { url: 'HOOKS/label/x', caBundle: 'CA_BUNDLE' },
            rules: [rule(['configmaps'])],
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'mutate-again' } },
          },
        ],
      }),
      post('mutate-again', 'configmaps', configMap('a')),
      {
        method: 'DELETE',
        path: `${group}/mutatingwebhookconfigurations/mutate-again`,
        configures: true,
      },
      post('mutate-again', 'configmaps', configMap('b')),
    ],
  },
  {
    title: 'mutate-exists',
    steps: [
      ...scene('mutate-exists'),
      ...policy('mutate-exists', {
        reinvocationPolicy: 'IfNeeded',
        mutations: [
          json(
            'has(object.metadata.labels) ? [] : [JSONPatch{op: "add", path: "/metadata/labels", value: {"a": "b"}}]',
          ),
        ],
      }),
      post('mutate-exists', 'configmaps', configMap('a')),
      {
        method: 'POST',
        path: `${namespaces}/mutate-exists/configmaps`,
        body: { metadata: { name: 'b' } },
        query: { dryRun: 'All' },
      },
    ],
  },
  {
    title: 'mutate-invalid',
    steps: [
      ...scene('mutate-invalid'),
      ...policy('mutate-invalid', { mutations: [apply('Object{data: {"bad key!": "x"}}')] }),
      post('mutate-invalid', 'configmaps', configMap('a')),
    ],
  },
  {
    title: 'mutate-equivalent',
    steps: [
      ...scene('mutate-equivalent'),
      ...policy('mutate-equivalent', {
        matchConstraints: { resourceRules: [rule(['horizontalpodautoscalers'])] },
        mutations: [apply(label('cpu', 'string(has(object.spec.targetCPUUtilizationPercentage))'))],
      }),
      {
        method: 'POST',
        path: '/apis/autoscaling/v2/namespaces/mutate-equivalent/horizontalpodautoscalers',
        body: autoscaler,
      },
    ],
  },
  {
    title: 'mutate-connect',
    steps: [
      ...scene('mutate-connect'),
      ...policy('mutate-connect', {
        matchConstraints: { resourceRules: [{ ...rule(['pods/exec'], ['CONNECT']) }] },
        mutations: [apply('Object{stdin: true}')],
      }),
      post('mutate-connect', 'pods', pod('p', [{}])),
      post('mutate-connect', 'pods/p/exec', {}, { command: 'ls' }),
    ],
  },
  {
    title: 'mutate-subresource',
    steps: [
      ...scene('mutate-subresource'),
      ...policy('mutate-subresource', {
        matchConstraints: { resourceRules: [{ ...rule(['pods/binding', 'pods/eviction']) }] },
        mutations: [apply(label('x', '"y"'))],
      }),
      post('mutate-subresource', 'pods', pod('p', [{}])),
      post('mutate-subresource', 'pods/p/binding', { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } }),
      { method: 'GET', path: `${namespaces}/mutate-subresource/pods/p` },
      post('mutate-subresource', 'pods/p/eviction', {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'p' },
      }),
    ],
  },
];
