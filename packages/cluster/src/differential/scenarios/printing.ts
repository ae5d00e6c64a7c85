import { core, get, group, mergePatch, object, post, template } from '../build.ts';
import type { Area, Step } from '../types.ts';

const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
const selector = { matchLabels: { app: 'a' } };

const made: readonly Step[] = [
  post(core('pods'), object('v1', 'Pod', 'waiting', { spec: { containers: [{ name: 'm', image: 'i' }] } })),
  post(
    core('pods'),
    object('v1', 'Pod', 'running', {
      spec: {
        nodeName: 'n1',
        containers: [
          { name: 'm', image: 'i' },
          { name: 'k', image: 'i' },
        ],
      },
    }),
  ),
  mergePatch(core('pods/running/status'), {
    status: {
      phase: 'Running',
      podIP: '10.1.1.1',
      podIPs: [{ ip: '10.1.1.1' }],
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: [
        { name: 'm', ready: true, restartCount: 2, image: 'i', imageID: '', state: { running: {} } },
        {
          name: 'k',
          ready: false,
          restartCount: 0,
          image: 'i',
          imageID: '',
          state: { waiting: { reason: 'CrashLoopBackOff' } },
        },
      ],
    },
  }),
  post(
    core('services'),
    object('v1', 'Service', 's', {
      spec: {
        selector: { app: 'a' },
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 53, protocol: 'UDP' },
        ],
      },
    }),
  ),
  post(core('services'), object('v1', 'Service', 'np', { spec: { type: 'NodePort', ports: [{ port: 80 }] } })),
  post(core('services'), object('v1', 'Service', 'headless', { spec: { clusterIP: 'None' } })),
  post(core('services'), object('v1', 'Service', 'ext', { spec: { type: 'ExternalName', externalName: 'a.example' } })),
  post(core('configmaps'), object('v1', 'ConfigMap', 'a', { data: { x: '1', y: '2' } })),
  post(core('secrets'), object('v1', 'Secret', 'a', { stringData: { x: '1' } })),
  post(
    core('persistentvolumeclaims'),
    object('v1', 'PersistentVolumeClaim', 'c', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }),
  ),
  post(
    core('endpoints'),
    object('v1', 'Endpoints', 'e', { subsets: [{ addresses: [{ ip: '10.1.0.1' }], ports: [{ port: 80 }] }] }),
  ),
  post(core('serviceaccounts'), object('v1', 'ServiceAccount', 'sa')),
  post(core('resourcequotas'), object('v1', 'ResourceQuota', 'q', { spec: { hard: { 'count/x.example': '5' } } })),
  post(
    core('events'),
    object('v1', 'Event', 'e', {
      involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}' },
      reason: 'R',
      message: 'M',
      type: 'Normal',
    }),
  ),
  post(
    group('apps/v1', 'deployments'),
    object('apps/v1', 'Deployment', 'd', { spec: { replicas: 3, selector, template: template() } }),
  ),
  mergePatch(group('apps/v1', 'deployments/d/status'), {
    status: { replicas: 3, readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 },
  }),
  post(
    group('apps/v1', 'replicasets'),
    object('apps/v1', 'ReplicaSet', 'r', { spec: { selector, template: template() } }),
  ),
  post(
    group('apps/v1', 'statefulsets'),
    object('apps/v1', 'StatefulSet', 's', { spec: { selector, serviceName: 's', template: template() } }),
  ),
  post(
    group('apps/v1', 'daemonsets'),
    object('apps/v1', 'DaemonSet', 'd', { spec: { selector, template: template() } }),
  ),
  post(
    group('apps/v1', 'controllerrevisions'),
    object('apps/v1', 'ControllerRevision', 'c', { revision: 3, data: {} }),
  ),
  post(
    group('batch/v1', 'jobs'),
    object('batch/v1', 'Job', 'j', {
      spec: { completions: 2, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'm', image: 'i' }] } } },
    }),
  ),
  post(
    group('batch/v1', 'cronjobs'),
    object('batch/v1', 'CronJob', 'c', {
      spec: {
        schedule: '@daily',
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'm', image: 'i' }] } } },
        },
      },
    }),
  ),
  post(
    group('policy/v1', 'poddisruptionbudgets'),
    object('policy/v1', 'PodDisruptionBudget', 'b', { spec: { maxUnavailable: 1, selector } }),
  ),
  post(
    group('coordination.k8s.io/v1', 'leases'),
    object('coordination.k8s.io/v1', 'Lease', 'l', { spec: { holderIdentity: 'me' } }),
  ),
  post(
    group('discovery.k8s.io/v1', 'endpointslices'),
    object('discovery.k8s.io/v1', 'EndpointSlice', 'e', {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.0.1'] }],
      ports: [{ port: 80 }],
    }),
  ),
  post(
    group('rbac.authorization.k8s.io/v1', 'roles'),
    object('rbac.authorization.k8s.io/v1', 'Role', 'r', { rules: [] }),
  ),
  post(
    group('rbac.authorization.k8s.io/v1', 'rolebindings'),
    object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'r', {
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [{ kind: 'User', name: 'u' }],
    }),
  ),
  post(
    '/api/v1/nodes',
    object('v1', 'Node', 'printed', {
      metadata: { labels: { 'node-role.kubernetes.io/worker': '' } },
      status: { nodeInfo: { kubeletVersion: 'v1' } },
    }),
  ),
  post(
    '/api/v1/persistentvolumes',
    object('v1', 'PersistentVolume', 'printed', {
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
    }),
  ),
  post(
    '/apis/storage.k8s.io/v1/storageclasses',
    object('storage.k8s.io/v1', 'StorageClass', 'printed', { provisioner: 'p.example' }),
  ),
];

const collections = [
  ...[
    'pods',
    'services',
    'configmaps',
    'secrets',
    'persistentvolumeclaims',
    'endpoints',
    'serviceaccounts',
    'resourcequotas',
    'events',
  ].map(core),
  ...['deployments', 'replicasets', 'statefulsets', 'daemonsets', 'controllerrevisions'].map((plural) =>
    group('apps/v1', plural),
  ),
  ...['jobs', 'cronjobs'].map((plural) => group('batch/v1', plural)),
  group('policy/v1', 'poddisruptionbudgets'),
  group('coordination.k8s.io/v1', 'leases'),
  group('discovery.k8s.io/v1', 'endpointslices'),
  group('rbac.authorization.k8s.io/v1', 'roles'),
  group('rbac.authorization.k8s.io/v1', 'rolebindings'),
];

const question = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  spec: { nonResourceAttributes: { path: '/', verb: 'get' } },
};

/** What `kubectl get` shows. */
export const printing: Area = {
  name: 'tables',
  scenarios: [
    {
      title: 'tables',
      steps: [
        ...made,
        ...collections.map((path) => get(`${path}?fieldSelector=metadata.name!%3Dkube-root-ca.crt`, asTable)),
        get('/api/v1/nodes/printed', asTable),
        get('/api/v1/persistentvolumes/printed', asTable),
        get('/apis/storage.k8s.io/v1/storageclasses/printed', asTable),
        get('/api/v1/namespaces/{ns}', asTable),
        get('/apis/rbac.authorization.k8s.io/v1/clusterroles/view', asTable),
        get('/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical', asTable),
        get(core('pods/running'), asTable),
        get(`${core('pods')}?includeObject=None`, asTable),
        get(`${core('pods/running')}?includeObject=Object`, asTable),
        get(`${core('pods')}?includeObject=Nonsense`, asTable),
        get(`${core('pods')}?limit=1`, asTable),
        get(core('pods/missing'), asTable),
        get(core('pods'), { accept: 'application/json;as=Table;v=v1beta1;g=meta.k8s.io' }),
        post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', question, {
          accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
        }),
      ],
    },
  ],
};
