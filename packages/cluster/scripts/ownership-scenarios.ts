/** What `record-ownership.ts` plays. One object a scenario; every step is one request. */

export interface Step {
  readonly op: 'create' | 'update' | 'apply' | 'json' | 'merge' | 'strategic';
  readonly manager: string;
  readonly subresource?: string;
  readonly force?: boolean;
  /** The body, or how it comes from the stored object. */
  readonly body: unknown;
}

export interface Scenario {
  readonly title: string;
  readonly collection: string;
  readonly name: string;
  /** Name of a built-in definition, or the CRD to create first. */
  readonly schema: string | object;
  readonly steps: readonly Step[];
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are edited as a client would, without types
type Loose = any;

const core = 'io.k8s.api.core.v1';
const apps = 'io.k8s.api.apps.v1';

function deployment(spec: object = {}, metadata: object = {}): object {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', ...metadata }, spec };
}

const deploymentSpec = {
  replicas: 2,
  selector: { matchLabels: { app: 'a' } },
  template: {
    metadata: { labels: { app: 'a' } },
    spec: {
      containers: [
        {
          name: 'c',
          image: 'i:1',
          ports: [{ containerPort: 80 }],
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
          ],
        },
        { name: 'side', image: 's:1', args: ['x', 'y'] },
      ],
      tolerations: [{ key: 'k', operator: 'Exists' }],
    },
  },
};

const applied = (containers: object[], more: object = {}) =>
  deployment({
    ...more,
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers } },
  });

const deployments: readonly Scenario[] = [
  {
    title: 'deployment updates',
    collection: '/apis/apps/v1/namespaces/default/deployments',
    name: 'd',
    schema: `${apps}.Deployment`,
    steps: [
      {
        op: 'create',
        manager: 'creator',
        body: deployment(deploymentSpec, { labels: { app: 'a' }, annotations: { n: '1' } }),
      },
      { op: 'update', manager: 'scaler', body: (o: Loose) => ({ ...o, spec: { ...o.spec, replicas: 5 } }) },
      { op: 'update', manager: 'scaler', body: (o: Loose) => o },
      {
        op: 'strategic',
        manager: 'patcher',
        body: {
          metadata: { labels: { app: 'b', extra: 'x' } },
          spec: {
            strategy: { $retainKeys: ['type'], type: 'Recreate' },
            template: {
              spec: {
                '$setElementOrder/containers': [{ name: 'side' }, { name: 'new' }, { name: 'c' }],
                containers: [
                  { name: 'new', image: 'n:1' },
                  {
                    name: 'c',
                    env: [
                      { name: 'A', $patch: 'delete' },
                      { name: 'C', value: '3' },
                    ],
                  },
                ],
              },
            },
          },
        },
      },
      {
        op: 'json',
        manager: 'json-patcher',
        body: [
          { op: 'test', path: '/spec/replicas', value: 5 },
          { op: 'remove', path: '/spec/template/spec/containers/1' },
          { op: 'add', path: '/spec/template/spec/containers/0/args/-', value: 'z' },
          { op: 'replace', path: '/metadata/labels/none', value: 'v' },
        ],
      },
      { op: 'json', manager: 'json-patcher', body: [{ op: 'test', path: '/spec/replicas', value: 6 }] },
      { op: 'json', manager: 'json-patcher', body: [{ op: 'remove', path: '/spec/nothing' }] },
      { op: 'json', manager: 'json-patcher', body: [{ op: 'frob', path: '/spec' }] },
      { op: 'json', manager: 'json-patcher', body: { op: 'add' } },
      { op: 'json', manager: 'json-patcher', body: [{ op: 1, path: '/spec' }] },
      { op: 'json', manager: 'json-patcher', body: ['add'] },
      { op: 'merge', manager: 'json-patcher', body: ['add'] },
      { op: 'merge', manager: 'merger', body: { metadata: { annotations: null, labels: { extra: null } } } },
      { op: 'strategic', manager: 'patcher', body: { spec: { template: { spec: { containers: [{ image: 'x' }] } } } } },
      { op: 'strategic', manager: 'patcher', body: { metadata: { labels: { $patch: 'merge', a: 'b' } } } },
      { op: 'strategic', manager: 'patcher', body: { spec: { $retainKeys: ['x'], replicas: 1 } } },
      {
        op: 'strategic',
        manager: 'patcher',
        body: { spec: { template: { spec: { $deleteFromPrimitiveList: ['x'] } } } },
      },
      {
        op: 'strategic',
        manager: 'patcher',
        body: {
          spec: {
            template: {
              spec: { '$setElementOrder/containers': [{ name: 'c' }], containers: [{ name: 'zz', image: 'q' }] },
            },
          },
        },
      },
      {
        op: 'update',
        manager: 'statuser',
        subresource: 'status',
        body: (o: Loose) => ({
          ...o,
          metadata: { ...o.metadata, annotations: { s: 't' } },
          spec: { ...o.spec, replicas: 99 },
          status: {
            replicas: 3,
            observedGeneration: 1,
            conditions: [{ type: 'Available', status: 'True', reason: 'r', message: 'm' }],
          },
        }),
      },
      { op: 'merge', manager: 'statuser', subresource: 'status', body: { status: { readyReplicas: 1, replicas: 2 } } },
      { op: 'merge', manager: 'scaler-2', subresource: 'scale', body: { spec: { replicas: 7 } } },
    ],
  },
  {
    title: 'deployment apply',
    collection: '/apis/apps/v1/namespaces/default/deployments',
    name: 'd',
    schema: `${apps}.Deployment`,
    steps: [
      { op: 'create', manager: 'creator', body: deployment(deploymentSpec, { labels: { app: 'a' } }) },
      { op: 'apply', manager: 'one', body: applied([{ name: 'c', image: 'i:2' }], { replicas: 3 }) },
      {
        op: 'apply',
        manager: 'one',
        force: true,
        body: applied(
          [
            { name: 'new', image: 'n' },
            { name: 'c', image: 'i:2', ports: [{ containerPort: 81 }] },
          ],
          { replicas: 3 },
        ),
      },
      {
        op: 'apply',
        manager: 'one',
        body: applied(
          [
            { name: 'new', image: 'n' },
            { name: 'c', image: 'i:2', ports: [{ containerPort: 81 }] },
          ],
          { replicas: 3 },
        ),
      },
      { op: 'apply', manager: 'two', body: applied([{ name: 'c', image: 'i:2' }], { replicas: 3 }) },
      { op: 'apply', manager: 'two', body: applied([{ name: 'c', image: 'i:3' }], { replicas: 4 }) },
      { op: 'apply', manager: 'one', body: applied([{ name: 'c', image: 'i:2' }]) },
      { op: 'update', manager: 'scaler', body: (o: Loose) => ({ ...o, spec: { ...o.spec, replicas: 9 } }) },
      { op: 'apply', manager: 'two', body: applied([{ name: 'c', image: 'i:2' }], { replicas: 3 }) },
      { op: 'apply', manager: 'two', body: applied([{ name: 'c', image: 'i:2' }]) },
      { op: 'apply', manager: 'two', body: applied([{ name: 'c', image: 'i:2' }], { foo: 1 }) },
      {
        op: 'apply',
        manager: 'two',
        body: applied([
          {
            name: 'c',
            image: 'i:2',
            env: [
              { name: 'D', value: '1' },
              { name: 'D', value: '2' },
            ],
          },
        ]),
      },
      { op: 'apply', manager: 'two', body: applied([{ image: 'i:2' }]) },
      {
        op: 'apply',
        manager: 'two',
        body: applied([{ name: 'c', image: 5 } as Loose], { replicas: 'x', paused: 1, template: [] }),
      },
      { op: 'apply', manager: 'two', body: { ...deployment(), metadata: { name: 'd', managedFields: [] } } },
      { op: 'apply', manager: 'two', body: { ...deployment(), apiVersion: 'apps/v2' } },
      {
        op: 'apply',
        manager: 'two',
        body: applied([{ name: 'c', image: 'i:2', env: null, resources: {} }], { replicas: null, strategy: {} }),
      },
      {
        op: 'apply',
        manager: 'status',
        subresource: 'status',
        body: { ...deployment(), status: { replicas: 1, conditions: [{ type: 'A', status: 'True' }] } },
      },
      {
        op: 'apply',
        manager: 'status',
        subresource: 'status',
        body: { ...deployment(), status: { replicas: 1, conditions: [{ type: 'B', status: 'True' }] } },
      },
      {
        op: 'apply',
        manager: 'one',
        force: true,
        body: { ...applied([{ name: 'c', image: 'i:9' }]), status: { replicas: 44 } },
      },
      { op: 'apply', manager: 'one', body: deployment() },
      { op: 'apply', manager: 'two', body: deployment() },
    ],
  },
  {
    title: 'deployment created by apply',
    collection: '/apis/apps/v1/namespaces/default/deployments',
    name: 'd',
    schema: `${apps}.Deployment`,
    steps: [
      {
        op: 'apply',
        manager: 'one',
        body: applied([{ name: 'c', image: 'i', ports: [{ containerPort: 80, name: 'http' }] }]),
      },
      {
        op: 'update',
        manager: 'other',
        body: (o: Loose) => ({ ...o, metadata: { ...o.metadata, labels: { x: 'y' } } }),
      },
      {
        op: 'apply',
        manager: 'one',
        body: applied([
          { name: 'c', image: 'j' },
          { name: 'd', image: 'k' },
        ]),
      },
    ],
  },
];

const config = (data: object | undefined, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', ...metadata },
  ...(data ? { data } : {}),
});

const lastApplied = JSON.stringify(config({ a: '1', b: '2' }, { namespace: 'default' }));

const configMaps: readonly Scenario[] = [
  {
    title: 'managed fields cleared and forged',
    collection: '/api/v1/namespaces/default/configmaps',
    name: 'c',
    schema: `${core}.ConfigMap`,
    steps: [
      { op: 'create', manager: 'creator', body: config({ a: '1', b: '2' }) },
      {
        op: 'update',
        manager: 'forger',
        body: (o: Loose) => ({
          ...o,
          data: { a: '2', b: '2' },
          metadata: { ...o.metadata, managedFields: [{ manager: 'x', operation: 'Nope' }] },
        }),
      },
      {
        op: 'update',
        manager: 'forger',
        body: (o: Loose) => ({
          ...o,
          metadata: {
            ...o.metadata,
            managedFields: [
              {
                manager: 'forged',
                operation: 'Update',
                apiVersion: 'v1',
                fieldsType: 'FieldsV1',
                fieldsV1: { 'f:data': { 'f:a': {} } },
              },
            ],
          },
        }),
      },
      {
        op: 'update',
        manager: 'clearer',
        body: (o: Loose) => ({ ...o, data: { ...o.data, z: '1' }, metadata: { ...o.metadata, managedFields: [{}] } }),
      },
      { op: 'update', manager: 'updater', body: (o: Loose) => ({ ...o, data: { ...o.data, y: '1' } }) },
      { op: 'apply', manager: 'applier', body: config({ a: 'other', k: 'v' }) },
      { op: 'apply', manager: 'applier', body: config({ k: 'v' }) },
      { op: 'update', manager: 'updater', body: (o: Loose) => ({ ...o, data: { a: '7' } }) },
      { op: 'apply', manager: 'applier', body: config(undefined) },
      { op: 'apply', manager: 'applier', force: true, body: config({}) },
      {
        op: 'apply',
        manager: 'applier',
        force: true,
        body: config({ a: '1' }, { finalizers: ['x/y'], labels: { l: 'm' } }),
      },
      {
        op: 'apply',
        manager: 'second',
        force: true,
        body: config({ b: '1' }, { finalizers: ['x/z'], labels: { l: 'm', n: 'o' } }),
      },
      { op: 'apply', manager: 'applier', force: true, body: config({ a: '1' }, {}) },
      {
        op: 'strategic',
        manager: 'p',
        body: { metadata: { finalizers: ['x/a', 'x/z'], '$deleteFromPrimitiveList/finalizers': ['x/y'] } },
      },
      { op: 'merge', manager: 'p', body: { metadata: { finalizers: null, ownerReferences: null } } },
    ],
  },
  {
    title: 'many updaters',
    collection: '/api/v1/namespaces/default/configmaps',
    name: 'c',
    schema: `${core}.ConfigMap`,
    steps: [
      { op: 'create', manager: 'm0', body: config({ k0: '0' }) },
      ...Array.from({ length: 13 }, (_, i) => ({
        op: 'merge' as const,
        manager: `m${i + 1}`,
        body: { data: { [`k${i + 1}`]: 'v' } },
      })),
    ],
  },
  {
    title: 'client side apply taken over',
    collection: '/api/v1/namespaces/default/configmaps',
    name: 'c',
    schema: `${core}.ConfigMap`,
    steps: [
      {
        op: 'create',
        manager: 'kubectl-client-side-apply',
        body: config(
          { a: '1', b: '2' },
          { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': lastApplied } },
        ),
      },
      { op: 'merge', manager: 'editor', body: { data: { b: '3' } } },
      { op: 'apply', manager: 'kubectl', body: config({ a: '9', b: '9' }, { namespace: 'default' }) },
      { op: 'apply', manager: 'kubectl', body: config({ a: '9' }, { namespace: 'default' }) },
      { op: 'apply', manager: 'someone', body: config({ a: '9', b: '3' }, { namespace: 'default' }) },
    ],
  },
];

const services: readonly Scenario[] = [
  {
    title: 'service ports',
    collection: '/api/v1/namespaces/default/services',
    name: 's',
    schema: `${core}.Service`,
    steps: [
      {
        op: 'apply',
        manager: 'one',
        body: {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 's' },
          spec: {
            selector: { a: 'b' },
            ports: [
              { port: 80, name: 'http' },
              { port: 53, protocol: 'UDP', name: 'dns' },
            ],
          },
        },
      },
      {
        op: 'apply',
        manager: 'two',
        body: {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 's' },
          spec: {
            ports: [
              { port: 443, name: 'https' },
              { port: 80, protocol: 'TCP', name: 'http' },
            ],
          },
        },
      },
      {
        op: 'apply',
        manager: 'one',
        body: {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 's' },
          spec: {
            selector: { a: 'c' },
            ports: [
              { port: 53, protocol: 'UDP', name: 'dns' },
              { port: 8080, name: 'alt' },
            ],
          },
        },
      },
      {
        op: 'apply',
        manager: 'two',
        body: {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 's' },
          spec: {
            ports: [
              { port: 80, name: 'http' },
              { port: 80, protocol: 'TCP', name: 'again' },
            ],
          },
        },
      },
      {
        op: 'strategic',
        manager: 'p',
        body: {
          spec: {
            ports: [
              { port: 9, name: 'nine' },
              { port: 53, $patch: 'delete' },
            ],
          },
        },
      },
      {
        op: 'merge',
        manager: 'q',
        subresource: 'status',
        body: { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } },
      },
    ],
  },
];

const creations: readonly Scenario[] = (
  [
    [
      'pod creation',
      '/api/v1/namespaces/default/pods',
      `${core}.Pod`,
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name: 'o',
          labels: { a: 'b' },
          ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u-1' }],
        },
        spec: {
          nodeSelector: { x: 'y' },
          volumes: [
            { name: 'v', emptyDir: {} },
            { name: 'w', configMap: { name: 'c' } },
          ],
          initContainers: [{ name: 'i', image: 'i' }],
          containers: [
            {
              name: 'c',
              image: 'i',
              command: ['a'],
              resources: { requests: { cpu: '100m' } },
              volumeMounts: [{ name: 'v', mountPath: '/v' }],
              livenessProbe: { tcpSocket: { port: 80 } },
              env: [{ name: 'E', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
            },
          ],
        },
      },
    ],
    [
      'stateful set creation',
      '/apis/apps/v1/namespaces/default/statefulsets',
      `${apps}.StatefulSet`,
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 'o' },
        spec: {
          serviceName: 's',
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
          volumeClaimTemplates: [
            {
              metadata: { name: 'data' },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          ],
        },
      },
    ],
    [
      'network policy creation',
      '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
      'io.k8s.api.networking.v1.NetworkPolicy',
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'o' },
        spec: { podSelector: {}, policyTypes: ['Ingress'] },
      },
    ],
    [
      'role creation',
      '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles',
      'io.k8s.api.rbac.v1.Role',
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'o' },
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
      },
    ],
    [
      'claim creation',
      '/api/v1/namespaces/default/persistentvolumeclaims',
      `${core}.PersistentVolumeClaim`,
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'o' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
    [
      'lease creation',
      '/apis/coordination.k8s.io/v1/namespaces/default/leases',
      'io.k8s.api.coordination.v1.Lease',
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'o' },
        spec: { holderIdentity: 'x', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' },
      },
    ],
    [
      'job creation',
      '/apis/batch/v1/namespaces/default/jobs',
      'io.k8s.api.batch.v1.Job',
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'o' },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
      },
    ],
  ] as const
).map(([title, collection, schema, body]) => ({
  title,
  collection,
  name: 'o',
  schema,
  steps: [
    { op: 'create', manager: 'creator', body },
    { op: 'merge', manager: 'labeller', body: { metadata: { labels: { l: 'm' } } } },
  ],
}));

const widgetCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer' },
                  port: { 'x-kubernetes-int-or-string': true },
                  tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
                  parts: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name', 'kind'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: {
                        name: { type: 'string' },
                        kind: { type: 'string', default: 'std' },
                        weight: { type: 'number' },
                      },
                    },
                  },
                  names: { type: 'array', items: { type: 'string' } },
                  settings: { type: 'object', additionalProperties: { type: 'string' } },
                  whole: {
                    type: 'object',
                    'x-kubernetes-map-type': 'atomic',
                    properties: { a: { type: 'string' }, b: { type: 'string' } },
                  },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  template: {
                    type: 'object',
                    properties: {
                      metadata: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                      image: { type: 'string' },
                    },
                  },
                },
              },
              status: { type: 'object', properties: { phase: { type: 'string' }, ready: { type: 'boolean' } } },
            },
          },
        },
      },
    ],
  },
};

const widget = (spec: object, more: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w' },
  spec,
  ...more,
});

const custom: readonly Scenario[] = [
  {
    title: 'custom resource',
    collection: '/apis/example.com/v1/namespaces/default/widgets',
    name: 'w',
    schema: widgetCrd,
    steps: [
      {
        op: 'create',
        manager: 'creator',
        body: widget(
          {
            size: 1,
            port: 'http',
            tags: ['a', 'b'],
            parts: [
              { name: 'x', weight: 1.5 },
              { name: 'y', kind: 'big' },
            ],
            names: ['n'],
            settings: { k: 'v' },
            whole: { a: '1' },
            free: { deep: { er: [1, { q: 2 }] } },
            template: { metadata: { labels: { l: 'm' } }, image: 'i' },
          },
          { status: { phase: 'x' } },
        ),
      },
      {
        op: 'merge',
        manager: 'merger',
        body: {
          spec: { tags: ['b', 'c'], names: ['m'], settings: { k2: 'v2' }, free: { deep: { other: true } }, port: 80 },
        },
      },
      {
        op: 'merge',
        manager: 'statuser',
        subresource: 'status',
        body: { metadata: { labels: { s: 't' } }, spec: { size: 9 }, status: { phase: 'Running', ready: false } },
      },
      {
        op: 'apply',
        manager: 'one',
        body: widget({
          size: 2,
          tags: ['c', 'd'],
          parts: [{ name: 'y', kind: 'big', weight: 3 }, { name: 'z' }],
          whole: { b: '2' },
          free: { deep: { er: [2] } },
        }),
      },
      {
        op: 'apply',
        manager: 'one',
        force: true,
        body: widget({
          size: 2,
          tags: ['c', 'd'],
          parts: [{ name: 'y', kind: 'big', weight: 3 }, { name: 'z' }],
          whole: { b: '2' },
          free: { deep: { er: [2] } },
        }),
      },
      {
        op: 'apply',
        manager: 'one',
        body: widget({ size: 2, tags: ['d'], parts: [{ name: 'z', kind: 'std' }], free: { deep: {} } }),
      },
      { op: 'apply', manager: 'one', body: widget({ size: 2, unknown: 1 }) },
      { op: 'apply', manager: 'one', body: widget({ tags: ['d', 'd'] }) },
      { op: 'apply', manager: 'one', body: widget({ size: 'big', parts: [{ weight: 1 }], settings: { a: 1 } }) },
      {
        op: 'apply',
        manager: 'two',
        subresource: 'status',
        body: {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { name: 'w', labels: { q: 'r' } },
          spec: { size: 77 },
          status: { ready: true },
        },
      },
      {
        op: 'apply',
        manager: 'two',
        subresource: 'status',
        force: true,
        body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, status: { ready: true } },
      },
      { op: 'apply', manager: 'one', body: widget({}) },
      { op: 'apply', manager: 'one', body: widget({ settings: {}, names: [], free: null }) },
      { op: 'update', manager: 'creator', body: (o: Loose) => ({ ...o, spec: {} }) },
    ],
  },
  {
    title: 'custom resource created by apply',
    collection: '/apis/example.com/v1/namespaces/default/widgets',
    name: 'w',
    schema: widgetCrd,
    steps: [
      {
        op: 'apply',
        manager: 'one',
        body: widget(
          { parts: [{ name: 'a' }, { name: 'b' }, { name: 'c' }], tags: ['a<&>b'], settings: { x: 'y' } },
          { status: { phase: 'no' } },
        ),
      },
      {
        op: 'apply',
        manager: 'two',
        body: widget({ parts: [{ name: 'c', weight: 1 }, { name: 'n' }, { name: 'a', weight: 2 }] }),
      },
      { op: 'apply', manager: 'one', body: widget({ parts: [{ name: 'b' }], settings: {} }) },
      { op: 'apply', manager: 'two', body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } } },
    ],
  },
];

export const scenarios: readonly Scenario[] = [...deployments, ...configMaps, ...services, ...creations, ...custom];
