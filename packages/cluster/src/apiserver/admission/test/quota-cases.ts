import type { Case, Step } from './cases.ts';
import { configMap, configure, namespaces, pod, post, scene } from './steps.ts';

/** A quota whose status was written as its controller would. */
function quota(namespace: string, name: string, hard: object, used: object, spec: object = {}): readonly Step[] {
  const path = `${namespaces}/${namespace}/resourcequotas`;
  const object = { metadata: { name }, spec: { hard, ...spec } };
  return [
    configure(path, object),
    { method: 'PUT', path: `${path}/${name}/status`, body: { ...object, status: { hard, used } }, configures: true },
  ];
}

const used = (namespace: string, name: string): Step => ({
  method: 'GET',
  path: `${namespaces}/${namespace}/resourcequotas/${name}`,
});

const asks = (cpu: string, memory = '10Mi') => [{ resources: { requests: { cpu, memory }, limits: { cpu, memory } } }];

export const quotaCases: readonly Case[] = [
  {
    title: 'quota-counts',
    steps: [
      ...scene('quota-counts'),
      ...quota(
        'quota-counts',
        'q',
        { configmaps: '2', 'count/secrets': '1', 'count/deployments.apps': '0' },
        { configmaps: '1', 'count/secrets': '0', 'count/deployments.apps': '0' },
      ),
      post('quota-counts', 'configmaps', configMap('dry'), { dryRun: 'All' }),
      post('quota-counts', 'configmaps', configMap('a')),
      used('quota-counts', 'q'),
      post('quota-counts', 'configmaps', configMap('b')),
      post('quota-counts', 'configmaps', { metadata: { generateName: 'gen-' } }),
      post('quota-counts', 'secrets', { metadata: { name: 'a' } }),
      post('quota-counts', 'secrets', { metadata: { name: 'b' } }),
      {
        method: 'POST',
        path: '/apis/apps/v1/namespaces/quota-counts/deployments',
        body: {
          metadata: { name: 'd' },
          spec: {
            selector: { matchLabels: { a: 'b' } },
            template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
      used('quota-counts', 'q'),
    ],
  },
  {
    title: 'quota-pods',
    steps: [
      ...scene('quota-pods'),
      ...quota(
        'quota-pods',
        'q',
        { pods: '2', 'requests.cpu': '1', 'limits.memory': '1Gi' },
        { pods: '0', 'requests.cpu': '0', 'limits.memory': '0' },
      ),
      post('quota-pods', 'pods', pod('silent', [{}, {}])),
      post('quota-pods', 'pods', pod('half', [{ resources: { requests: { cpu: '1' } } }])),
      post('quota-pods', 'pods', pod('a', asks('600m', '600Mi'))),
      used('quota-pods', 'q'),
      post('quota-pods', 'pods', pod('b', asks('600m', '600Mi'))),
      post('quota-pods', 'pods', pod('c', asks('400m', '424Mi'))),
      post('quota-pods', 'pods', pod('d', asks('0', '0'))),
      used('quota-pods', 'q'),
    ],
  },
  {
    title: 'quota-scopes',
    steps: [
      ...scene('quota-scopes'),
      ...quota('quota-scopes', 'best', { pods: '0' }, { pods: '0' }, { scopes: ['BestEffort'] }),
      ...quota('quota-scopes', 'ending', { pods: '1' }, { pods: '0' }, { scopes: ['Terminating'] }),
      post('quota-scopes', 'pods', pod('best', [{}])),
      post('quota-scopes', 'pods', pod('other', asks('10m'))),
      post('quota-scopes', 'pods', pod('job', asks('10m'), { activeDeadlineSeconds: 10 })),
      post('quota-scopes', 'pods', pod('job-two', asks('10m'), { activeDeadlineSeconds: 10 })),
      used('quota-scopes', 'ending'),
    ],
  },
  {
    title: 'quota-others',
    steps: [
      ...scene('quota-others'),
      ...quota(
        'quota-others',
        'q',
        {
          'services.nodeports': '1',
          'services.loadbalancers': '0',
          'requests.storage': '1Gi',
          'gold.storageclass.storage.k8s.io/requests.storage': '0',
        },
        {
          'services.nodeports': '0',
          'services.loadbalancers': '0',
          'requests.storage': '0',
          'gold.storageclass.storage.k8s.io/requests.storage': '0',
        },
      ),
      post('quota-others', 'services', {
        metadata: { name: 'lb' },
        spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
      }),
      post('quota-others', 'services', {
        metadata: { name: 'np' },
        spec: {
          type: 'NodePort',
          ports: [
            { port: 80, name: 'a' },
            { port: 81, name: 'b' },
          ],
        },
      }),
      post('quota-others', 'services', { metadata: { name: 'plain' }, spec: { ports: [{ port: 80 }] } }),
      post('quota-others', 'persistentvolumeclaims', {
        metadata: { name: 'gold' },
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gold', resources: { requests: { storage: '1Gi' } } },
      }),
      post('quota-others', 'persistentvolumeclaims', {
        metadata: { name: 'plain' },
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '512Mi' } } },
      }),
      used('quota-others', 'q'),
    ],
  },
  {
    title: 'quota-unknown',
    steps: [
      ...scene('quota-unknown'),
      configure(`${namespaces}/quota-unknown/resourcequotas`, {
        metadata: { name: 'q' },
        spec: { hard: { configmaps: '2' } },
      }),
      post('quota-unknown', 'configmaps', configMap('a')),
    ],
  },
];
