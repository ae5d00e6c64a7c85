import type { Case, Step } from './cases.ts';
import { configMap, configure, namespaces, pod, post, scene } from './steps.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const configMaps = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

const everything = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };
const connections = { ...everything, operations: ['CONNECT'] };
const replicaSet = {
  metadata: { name: 'r' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};

interface Hook {
  readonly path: string;
  readonly [field: string]: unknown;
}

function webhook(title: string, { path, ...rest }: Hook, index: number): object {
  return {
    name: `h${index}.${title}.example.com`,
    clientConfig: { url: `HOOKS/${path}`, caBundle: 'CA_BUNDLE' },
    rules: [configMaps],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': title } },
    ...rest,
  };
}

type Flavour = 'mutating' | 'validating';

function hooks(flavour: Flavour, title: string, list: readonly Hook[], name = title): Step {
  return configure(`${group}/${flavour}webhookconfigurations`, {
    metadata: { name },
    webhooks: list.map((hook, i) => webhook(title, hook, i)),
  });
}

const remove = (flavour: Flavour, name: string): Step => ({
  method: 'DELETE',
  path: `${group}/${flavour}webhookconfigurations/${name}`,
  configures: true,
});

/** One create for each webhook alone, so that each answer is seen. */
function each(title: string, flavour: Flavour, list: readonly Hook[]): Case {
  const steps = list.flatMap((hook, i) => [
    hooks(flavour, title, [hook], `${title}-${i}`),
    post(title, 'configmaps', configMap(`c${i}`)),
    remove(flavour, `${title}-${i}`),
  ]);
  return { title, steps: [...scene(title), ...steps] };
}

function together(title: string, configurations: readonly Step[], steps: readonly Step[]): Case {
  return { title, steps: [...scene(title), ...configurations, ...steps] };
}

const patch = (title: string, name: string, body: object): Step => ({
  method: 'PATCH',
  path: `${namespaces}/${title}/configmaps/${name}`,
  body,
  type: 'application/merge-patch+json',
});

export const webhookCases: readonly Case[] = [
  each('hook-denials', 'validating', [
    { path: 'deny' },
    { path: 'deny-message' },
    { path: 'deny-reason' },
    { path: 'deny-low' },
    { path: 'deny-details' },
    { path: 'warn' },
    { path: 'label/x' },
    { path: 'deny', matchConditions: [{ name: 'no', expression: "object.metadata.name == 'other'" }] },
    { path: 'deny', matchConditions: [{ name: 'bad', expression: 'object.data.missing.field == 1' }] },
    {
      path: 'deny',
      failurePolicy: 'Ignore',
      matchConditions: [{ name: 'bad', expression: 'object.data.missing == "1"' }],
    },
    {
      path: 'deny',
      matchConditions: [{ name: 'yes', expression: "request.operation == 'CREATE' && oldObject == null" }],
    },
  ]),
  each('hook-failures', 'validating', [
    { path: 'wrong-uid' },
    { path: 'no-response' },
    { path: 'wrong-version' },
    { path: 'status/500' },
    { path: 'status/404' },
    { path: 'status/400' },
    { path: 'status/503' },
    { path: 'text/500' },
    { path: 'text/403' },
    { path: 'text/418' },
    { path: 'empty' },
    { path: 'status/500', failurePolicy: 'Ignore' },
    { path: 'x', clientConfig: { url: 'https://127.0.0.1:1/x', caBundle: 'CA_BUNDLE' } },
    { path: 'x', clientConfig: { url: 'HOOKS/x' } },
    {
      path: 'x',
      clientConfig: { service: { namespace: 'nowhere', name: 'nobody', path: '/x' }, caBundle: 'CA_BUNDLE' },
    },
  ]),
  each('hook-patches', 'mutating', [
    { path: 'label/x' },
    { path: 'no-change' },
    { path: 'empty-patch' },
    { path: 'patch-no-type' },
    { path: 'type-no-patch' },
    { path: 'other-patch' },
    { path: 'bad-patch' },
    { path: 'failing-patch' },
    { path: 'deny-message', failurePolicy: 'Ignore' },
    { path: 'bad-patch', failurePolicy: 'Ignore' },
    { path: 'unknown-field' },
    { path: 'owners' },
    { path: 'managed-fields' },
    { path: 'deny-message' },
  ]),
  together(
    'hook-order',
    [
      hooks('mutating', 'hook-order', [{ path: 'trace/c' }, { path: 'trace/d' }], 'hook-order-b'),
      hooks(
        'mutating',
        'hook-order',
        [{ path: 'trace/a', reinvocationPolicy: 'IfNeeded' }, { path: 'trace/b' }],
        'hook-order-a',
      ),
      hooks('validating', 'hook-order', [{ path: 'allow' }, { path: 'deny-reason' }], 'hook-order-v'),
    ],
    [post('hook-order', 'configmaps', configMap('a'))],
  ),
  together(
    'hook-requests',
    [hooks('validating', 'hook-requests', [{ path: 'allow', rules: [everything] }])],
    [
      post('hook-requests', 'configmaps', configMap('a'), { fieldManager: 'me' }),
      post('hook-requests', 'configmaps', { metadata: { generateName: 'gen-' } }, { dryRun: 'All' }),
      patch('hook-requests', 'a', { metadata: { labels: { x: 'y' } } }),
      {
        method: 'DELETE',
        path: `${namespaces}/hook-requests/configmaps/a`,
        body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background', gracePeriodSeconds: 5 },
      },
      {
        method: 'PATCH',
        path: `${namespaces}/hook-requests`,
        body: { metadata: { labels: { x: 'y' } } },
        type: 'application/merge-patch+json',
      },
      post('hook-requests', 'serviceaccounts', { metadata: { name: 'other' } }),
      { method: 'DELETE', path: `${namespaces}/hook-requests/serviceaccounts/other` },
    ],
  ),
  together(
    'hook-subresources',
    [hooks('validating', 'hook-subresources', [{ path: 'allow', rules: [everything] }])],
    [
      post('hook-subresources', 'pods', pod('p', [{}])),
      post('hook-subresources', 'pods/p/binding', { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } }),
      {
        method: 'PATCH',
        path: `${namespaces}/hook-subresources/pods/p/status`,
        body: { status: { phase: 'Running' } },
        type: 'application/merge-patch+json',
      },
      post('hook-subresources', 'pods/p/eviction', {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'p' },
      }),
      { method: 'POST', path: '/apis/apps/v1/namespaces/hook-subresources/replicasets', body: replicaSet },
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/hook-subresources/replicasets/r/scale',
        body: { spec: { replicas: 2 } },
        type: 'application/merge-patch+json',
      },
    ],
  ),
  together(
    'hook-dry-run',
    [hooks('validating', 'hook-dry-run', [{ path: 'allow', sideEffects: 'NoneOnDryRun' }])],
    [post('hook-dry-run', 'configmaps', configMap('a'), { dryRun: 'All' })],
  ),
  together(
    'hook-selectors',
    [hooks('validating', 'hook-selectors', [{ path: 'deny', objectSelector: { matchLabels: { guarded: 'yes' } } }])],
    [
      post('hook-selectors', 'configmaps', configMap('free')),
      post('hook-selectors', 'configmaps', configMap('held', { guarded: 'yes' })),
      patch('hook-selectors', 'free', { metadata: { labels: { guarded: 'yes' } } }),
    ],
  ),
  together(
    'hook-equivalent',
    [
      hooks('mutating', 'hook-equivalent', [
        {
          path: 'label/seen',
          rules: [
            {
              operations: ['CREATE'],
              apiGroups: ['autoscaling'],
              apiVersions: ['v1'],
              resources: ['horizontalpodautoscalers'],
            },
          ],
        },
      ]),
    ],
    [
      {
        method: 'POST',
        path: '/apis/autoscaling/v2/namespaces/hook-equivalent/horizontalpodautoscalers',
        body: {
          metadata: { name: 'a' },
          spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
        },
      },
    ],
  ),
  together(
    'hook-connect',
    [hooks('mutating', 'hook-connect', [{ path: 'allow', rules: [connections] }])],
    [
      post('hook-connect', 'pods', pod('p', [{}])),
      post('hook-connect', 'pods/p/exec', {}, { command: 'ls', container: 'c0', stdout: 'true' }),
      post('hook-connect', 'pods/p/attach', {}, { stdin: 'true', tty: 'true' }),
      post('hook-connect', 'pods/p/portforward', {}, { ports: '80' }),
      { method: 'GET', path: `${namespaces}/hook-connect/pods/p/proxy/some/path` },
      { method: 'GET', path: `${namespaces}/hook-connect/services/s/proxy/x` },
      { method: 'GET', path: '/api/v1/nodes/hook-connect/proxy/x' },
    ],
  ),
  together(
    'hook-connect-denied',
    [hooks('validating', 'hook-connect-denied', [{ path: 'deny-message', rules: [connections] }])],
    [
      post('hook-connect-denied', 'pods', pod('p', [{}])),
      post('hook-connect-denied', 'pods/p/exec', {}, { command: 'ls' }),
      post('hook-connect-denied', 'pods/missing/exec', {}, { command: 'ls' }),
    ],
  ),
  together(
    'hook-annotations',
    [hooks('validating', 'hook-annotations', [{ path: 'annotate' }])],
    [post('hook-annotations', 'configmaps', configMap('a'))],
  ),
];
