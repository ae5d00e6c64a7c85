/** The objects that are written. */
export const namespace = 'bench';

const line = 'a line of configuration as they are; ';

/** 1.7 KB as sent. */
export function configMap(name: string, of = namespace): object {
  const data = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`key-${i}`, line.repeat(4)]));
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: of, labels: { app: 'bench' } }, data };
}

/** 1 KB as sent, 1.2 KB as stored. */
export function smallConfigMap(name: string): object {
  const data = Object.fromEntries(Array.from({ length: 3 }, (_, i) => [`key-${i}`, line.repeat(8)]));
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels: { app: 'bench' } }, data };
}

/** The text of objects that are alike but for their names, made once. */
export function written(object: (name: string) => object): (name: string) => string {
  const [before, ...rest] = JSON.stringify(object('@name@')).split('@name@');
  return (name) => `${before}${rest.map((part) => name + part).join('')}`;
}

const podSpec = {
  // of nobody: the peer runs without a scheduler
  schedulerName: 'none',
  containers: [
    {
      name: 'main',
      image: 'registry.example/app:1.2.3',
      ports: [{ name: 'http', containerPort: 8080 }],
      env: [
        { name: 'MODE', value: 'bench' },
        { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ],
      resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
      readinessProbe: { httpGet: { path: '/', port: 8080 } },
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    },
  ],
  volumes: [{ name: 'data', emptyDir: {} }],
};

export function pod(name: string): object {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels: { app: 'bench' } }, spec: podSpec };
}

/** Paused: the peer runs without controllers. */
export function deployment(name: string, replicas: number): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels: { app: name } },
    spec: {
      replicas,
      paused: true,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: podSpec.containers, volumes: podSpec.volumes },
      },
    },
  };
}

export function widget(name: string): object {
  const parts = Array.from({ length: 8 }, (_, i) => ({ name: `part-${i}`, size: i, color: 'blue', note: line }));
  const metadata = { name, namespace, labels: { app: 'bench' } };
  return { apiVersion: 'bench.example.com/v1', kind: 'Widget', metadata, spec: { size: 3, parts } };
}

const part = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', maxLength: 63, pattern: '^[a-z0-9-]+$' },
    size: { type: 'integer', minimum: 0, maximum: 100 },
    color: { type: 'string', enum: ['blue', 'red'], default: 'red' },
    note: { type: 'string', maxLength: 200 },
  },
};

const spec = {
  type: 'object',
  required: ['size'],
  'x-kubernetes-validations': [
    { rule: 'self.size <= self.parts.size()', message: 'size must not be above the number of parts' },
    { rule: "self.mode != 'fixed' || self.size == oldSelf.size", message: 'the size is fixed' },
  ],
  properties: {
    size: { type: 'integer', minimum: 1 },
    mode: { type: 'string', default: 'plain' },
    parts: {
      type: 'array',
      maxItems: 100,
      items: part,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
  },
};

export const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.bench.example.com' },
  spec: {
    group: 'bench.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
      },
    ],
  },
};
