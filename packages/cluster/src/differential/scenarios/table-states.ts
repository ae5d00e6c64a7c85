import { core, del, get, group, mergePatch, object, post, template } from '../build.ts';
import type { Area, Scenario, Step } from '../types.ts';
import { Subject } from './every-kind.ts';
import { everyKind } from './every-kind-bodies.ts';

type Body = Readonly<Record<string, unknown>>;

const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const table = (path: string): Step => get(`${path}?includeObject=None`, asTable);
const quiet = { verdict: true };
const container = { name: 'm', image: 'i' };
const selector = { matchLabels: { app: 'a' } };
const day = '2020-01-01T00:00:00Z';

/** One row each of all kinds, with what a status may say. */
const all: Scenario = {
  title: 'a row of every kind',
  steps: everyKind.flatMap((kind) => {
    const subject = new Subject(kind);
    const one = subject.one('printed');
    return [
      post(subject.all, subject.body('printed', kind.rich), quiet),
      ...(kind.status ? [mergePatch(`${one}/status`, { status: kind.status }, quiet)] : []),
      table(one),
      del(one, undefined, quiet),
    ];
  }),
};

/** Objects of one kind in several states, and the table of them. */
interface States {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
  readonly states: Readonly<Record<string, readonly [body: Body, status?: Body]>>;
  /** Names of those that are deleted, and stay. */
  readonly deleted?: readonly string[];
}

function statesOf({ apiVersion, kind, path, states, deleted = [] }: States): Scenario {
  return {
    title: `${kind} in its states`,
    steps: [
      post(core('configmaps'), object('v1', 'ConfigMap', 'now'), { save: { now: 'metadata.creationTimestamp' } }),
      ...Object.entries(states).flatMap(([name, [body, status]]) => [
        post(path, object(apiVersion, kind, name, body), quiet),
        ...(status ? [mergePatch(`${path}/${name}/status`, { status }, quiet)] : []),
      ]),
      ...deleted.map((name) => del(`${path}/${name}`, undefined, quiet)),
      get(`${path}/${Object.keys(states)[1] ?? Object.keys(states)[0]}`),
      ...(path.includes('{ns}') ? [table(path)] : Object.keys(states).map((name) => table(`${path}/${name}`))),
    ],
  };
}

const pod = (more: Body = {}): Body => ({ spec: { containers: [container], nodeName: 'n', ...more } });
const own = (more: Body): Body => ({ name: 'm', image: 'i', imageID: '', ready: false, restartCount: 0, ...more });
const running = (...containerStatuses: readonly Body[]): Body => ({ phase: 'Running', containerStatuses });
const state = (value: Body, more: Body = {}): Body => running(own({ state: value, ...more }));
const initPod = pod({
  initContainers: [
    { name: 'a', image: 'i' },
    { name: 'b', image: 'i', restartPolicy: 'Always' },
  ],
});
const init = (...initContainerStatuses: readonly Body[]): Body => ({ phase: 'Pending', initContainerStatuses });
const two = pod({ containers: [container, { name: 'k', image: 'i' }] });
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };

const pods = statesOf({
  apiVersion: 'v1',
  kind: 'Pod',
  path: core('pods'),
  deleted: ['p-terminating', 'p-ended-deleted', 'p-lost'],
  states: {
    'p-bare': [{ spec: { containers: [container] } }],
    'p-gated': [{ spec: { containers: [container], schedulingGates: [{ name: 'a.example/g' }] } }],
    'p-crash': [pod(), state({ waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 5 })],
    'p-creating': [pod(), state({ waiting: { reason: 'ContainerCreating' } })],
    'p-wait': [pod(), state({ waiting: {} })],
    'p-exit': [pod(), state({ terminated: { exitCode: 3 } })],
    'p-signal': [pod(), state({ terminated: { exitCode: 137, signal: 9 } })],
    'p-oom': [pod(), state({ terminated: { exitCode: 137, reason: 'OOMKilled' } })],
    'p-restarted': [
      pod(),
      state(
        { running: {} },
        { ready: true, restartCount: 2, lastState: { terminated: { exitCode: 1, finishedAt: '{now}' } } },
      ),
    ],
    'p-mixed': [
      two,
      {
        ...running(
          own({ state: { terminated: { exitCode: 0, reason: 'Completed' } } }),
          own({ name: 'k', ready: true, state: { running: {} } }),
        ),
        ...ready,
      },
    ],
    'p-notready': [
      two,
      running(
        own({ state: { terminated: { exitCode: 0, reason: 'Completed' } } }),
        own({ name: 'k', ready: true, state: { running: {} } }),
      ),
    ],
    'p-half': [
      two,
      running(
        own({ state: { terminated: { exitCode: 0, reason: 'Completed' } } }),
        own({ name: 'k', state: { terminated: { exitCode: 2, reason: 'Error' } } }),
      ),
    ],
    'p-init-first': [initPod, init(own({ name: 'a', state: { running: {} } }))],
    'p-init-wait': [initPod, init(own({ name: 'a', state: { waiting: { reason: 'PodInitializing' } } }))],
    'p-init-crash': [
      initPod,
      init(own({ name: 'a', restartCount: 4, state: { waiting: { reason: 'CrashLoopBackOff' } } })),
    ],
    'p-init-exit': [initPod, init(own({ name: 'a', state: { terminated: { exitCode: 7 } } }))],
    'p-init-signal': [initPod, init(own({ name: 'a', state: { terminated: { exitCode: 7, signal: 15 } } }))],
    'p-init-error': [initPod, init(own({ name: 'a', state: { terminated: { exitCode: 1, reason: 'Error' } } }))],
    'p-sidecar': [
      initPod,
      {
        ...init(
          own({ name: 'a', state: { terminated: { exitCode: 0 } }, restartCount: 1 }),
          own({ name: 'b', ready: true, started: true, restartCount: 3, state: { running: {} } }),
        ),
        ...state({ running: {} }, { ready: true, restartCount: 1 }),
      },
    ],
    'p-sidecar-starting': [
      initPod,
      init(
        own({ name: 'a', state: { terminated: { exitCode: 0 } } }),
        own({ name: 'b', started: false, state: { running: {} } }),
      ),
    ],
    'p-evicted': [pod(), { phase: 'Failed', reason: 'Evicted', message: 'm' }],
    'p-done': [pod(), { phase: 'Succeeded' }],
    'p-unknown': [pod(), { phase: 'Unknown' }],
    'p-nominated': [
      pod({ nodeName: undefined }),
      { nominatedNodeName: 'n2', podIPs: [{ ip: '10.1.1.2' }, { ip: 'fd00::1' }] },
    ],
    'p-gates': [
      pod({ readinessGates: [{ conditionType: 'a.example/x' }, { conditionType: 'a.example/y' }] }),
      {
        phase: 'Running',
        conditions: [
          { type: 'a.example/x', status: 'True' },
          { type: 'a.example/y', status: 'False' },
        ],
      },
    ],
    'p-terminating': [pod(), state({ running: {} }, { ready: true })],
    'p-ended-deleted': [{ metadata: { finalizers: ['a.example/f'] }, ...pod() }, { phase: 'Failed' }],
    'p-lost': [pod(), { phase: 'Running', reason: 'NodeLost' }],
  },
});

const role = (name: string): string => `node-role.kubernetes.io/${name}`;
const nodes = statesOf({
  apiVersion: 'v1',
  kind: 'Node',
  path: '/api/v1/nodes',
  states: {
    'd-plain': [{}],
    'd-master': [
      {
        metadata: { labels: { [role('b')]: '', [role('a')]: 'x', 'kubernetes.io/role': 'c' } },
        spec: { unschedulable: true },
      },
      {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [
          { type: 'InternalIP', address: '192.0.2.1' },
          { type: 'ExternalIP', address: '198.51.100.1' },
        ],
        nodeInfo: {
          kubeletVersion: 'v1.37.2',
          osImage: 'Linux',
          kernelVersion: '6.1',
          containerRuntimeVersion: 'containerd://2',
          architecture: 'amd64',
        },
      },
    ],
    'd-down': [
      {},
      {
        conditions: [
          { type: 'Ready', status: 'Unknown' },
          { type: 'DiskPressure', status: 'True' },
        ],
      },
    ],
    'd-cordoned': [{ spec: { unschedulable: true } }],
  },
});

const job = (more: Body = {}): Body => ({
  spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } }, ...more },
});
const jobs = statesOf({
  apiVersion: 'batch/v1',
  kind: 'Job',
  path: group('batch/v1', 'jobs'),
  deleted: ['j-deleted'],
  states: {
    'j-plain': [job()],
    'j-suspended': [job({ suspend: true, completions: 3 }), { conditions: [{ type: 'Suspended', status: 'True' }] }],
    'j-parallel': [job({ parallelism: 4 }), { succeeded: 1, active: 3 }],
    'j-running': [job({ completions: 5, parallelism: 2 }), { startTime: '{now}', succeeded: 2, active: 2 }],
    'j-complete': [
      job(),
      {
        startTime: day,
        completionTime: '2020-01-01T01:02:03Z',
        succeeded: 1,
        conditions: [
          { type: 'SuccessCriteriaMet', status: 'True' },
          { type: 'Complete', status: 'True' },
        ],
      },
    ],
    'j-failed': [
      job(),
      {
        startTime: day,
        failed: 1,
        conditions: [
          { type: 'FailureTarget', status: 'True' },
          { type: 'Failed', status: 'True' },
        ],
      },
    ],
    'j-failing': [job(), { startTime: '{now}', conditions: [{ type: 'FailureTarget', status: 'True' }] }],
    'j-deleted': [{ metadata: { finalizers: ['a.example/f'] }, ...job({ completions: 2 }) }, { succeeded: 1 }],
  },
});
const cron = (more: Body = {}): Body => ({ spec: { schedule: '@daily', jobTemplate: job(), ...more } });
const cronJobs = statesOf({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  path: group('batch/v1', 'cronjobs'),
  states: {
    'c-plain': [cron()],
    'c-zone': [cron({ timeZone: 'Etc/UTC', suspend: true })],
    'c-active': [
      cron(),
      {
        lastScheduleTime: '{now}',
        active: [
          { kind: 'Job', name: 'j' },
          { kind: 'Job', name: 'k' },
        ],
      },
    ],
  },
});

const claim = (more: Body = {}): Body => ({
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'c', ...more },
});
const claims = statesOf({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  path: core('persistentvolumeclaims'),
  deleted: ['c-terminating'],
  states: {
    'c-pending': [claim()],
    'c-bound': [
      claim({ volumeName: 'v', volumeMode: 'Block' }),
      { phase: 'Bound', capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] },
    ],
    'c-lost': [claim({ volumeName: 'gone', accessModes: ['ReadWriteMany', 'ReadWriteOncePod'] }), { phase: 'Lost' }],
    'c-class': [claim({ volumeAttributesClassName: 'gold', storageClassName: '' })],
    'c-terminating': [{ metadata: { finalizers: ['kubernetes.io/pvc-protection'] }, ...claim() }],
  },
});
const volume = (more: Body = {}): Body => ({
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' }, ...more },
});
const volumes = statesOf({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  path: '/api/v1/persistentvolumes',
  deleted: ['d-terminating'],
  states: {
    'd-available': [volume({ storageClassName: 'c', volumeAttributesClassName: 'gold' }), { phase: 'Available' }],
    'd-bound': [
      volume({ claimRef: { namespace: 'x', name: 'y' }, persistentVolumeReclaimPolicy: 'Delete', volumeMode: 'Block' }),
      { phase: 'Bound' },
    ],
    'd-failed': [
      volume({ accessModes: ['ReadWriteMany', 'ReadOnlyMany'] }),
      { phase: 'Failed', reason: 'Why', message: 'm' },
    ],
    'd-released': [volume({ claimRef: { namespace: 'x', name: 'y' } }), { phase: 'Released' }],
    'd-terminating': [{ metadata: { finalizers: ['a.example/f'] }, ...volume() }],
  },
});

const ports = [
  { name: 'a', port: 80, nodePort: 31500 },
  { name: 'b', port: 53, protocol: 'UDP' },
];
const services = statesOf({
  apiVersion: 'v1',
  kind: 'Service',
  path: core('services'),
  states: {
    's-cluster': [{ spec: { ports: [{ port: 80 }], selector: { b: 'c', a: 'b' }, clusterIP: '10.96.7.7' } }],
    's-external': [
      { spec: { ports: [{ port: 80 }], externalIPs: ['192.0.2.1', '192.0.2.2'], clusterIP: '10.96.7.8' } },
    ],
    's-headless': [{ spec: { clusterIP: 'None', ports: [{ port: 1 }] } }],
    's-name': [{ spec: { type: 'ExternalName', externalName: 'a.example', ports: [{ port: 2 }] } }],
    's-port': [{ spec: { type: 'NodePort', ports: [ports[0]], clusterIP: '10.96.7.9' } }],
    's-balanced': [
      {
        spec: {
          type: 'LoadBalancer',
          ports: [{ port: 81 }],
          externalIPs: ['192.0.2.3'],
          allocateLoadBalancerNodePorts: false,
        },
      },
      { loadBalancer: { ingress: [{ ip: '192.0.2.9' }, { hostname: 'lb-of-a-quite-long-name.cloud.example' }] } },
    ],
    's-waiting': [{ spec: { type: 'LoadBalancer', ports: [{ port: 82 }], allocateLoadBalancerNodePorts: false } }],
    's-waiting-external': [
      {
        spec: {
          type: 'LoadBalancer',
          ports: [{ port: 83 }],
          externalIPs: ['192.0.2.4'],
          allocateLoadBalancerNodePorts: false,
        },
      },
    ],
  },
});

const backend = { service: { name: 's', port: { number: 80 } } };
const rule = (host?: string) => ({
  ...(host ? { host } : {}),
  http: { paths: [{ path: '/', pathType: 'Prefix', backend }] },
});
const ingresses = statesOf({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  path: group('networking.k8s.io/v1', 'ingresses'),
  states: {
    'i-default': [{ spec: { defaultBackend: backend } }],
    'i-hosts': [
      { spec: { ingressClassName: 'c', rules: ['a', 'b', 'c', 'd', 'e'].map((name) => rule(`${name}.example`)) } },
      { loadBalancer: { ingress: [{ ip: '192.0.2.9' }, { hostname: 'lb.example' }] } },
    ],
    'i-tls': [{ spec: { rules: [rule()], tls: [{ hosts: ['a.example'], secretName: 't' }] } }],
    'i-old': [
      { metadata: { annotations: { 'kubernetes.io/ingress.class': 'old' } }, spec: { rules: [rule('x.example')] } },
    ],
  },
});

const budget = (more: Body): Body => ({ spec: { selector, ...more } });
const budgets = statesOf({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  path: group('policy/v1', 'poddisruptionbudgets'),
  states: {
    'b-min': [
      budget({ minAvailable: '50%' }),
      { disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 },
    ],
    'b-max': [budget({ maxUnavailable: 0 })],
    'b-none': [{}],
  },
});

const workload = (more: Body = {}): Body => ({ spec: { selector, template: template(), ...more } });
const workloads = (kind: string, plural: string, states: States['states']): Scenario =>
  statesOf({ apiVersion: 'apps/v1', kind, path: group('apps/v1', plural), states });
const images = { spec: { containers: [container, { name: 'k', image: 'j:2' }] }, metadata: { labels: { app: 'a' } } };
const workloadScenarios = [
  workloads('Deployment', 'deployments', {
    'w-plain': [workload()],
    'w-rich': [
      workload({
        replicas: 4,
        template: images,
        selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['b', 'a'] }] },
      }),
      { replicas: 4, updatedReplicas: 2, readyReplicas: 3, availableReplicas: 1 },
    ],
  }),
  workloads('ReplicaSet', 'replicasets', {
    'w-plain': [workload({ replicas: 0 })],
    'w-rich': [workload({ replicas: 4, template: images }), { replicas: 3, readyReplicas: 2 }],
  }),
  workloads('StatefulSet', 'statefulsets', {
    'w-plain': [workload()],
    'w-rich': [workload({ replicas: 4, template: images }), { replicas: 3, readyReplicas: 2 }],
  }),
  workloads('DaemonSet', 'daemonsets', {
    'w-plain': [workload()],
    'w-rich': [
      workload({ template: { ...images, spec: { ...images.spec, nodeSelector: { b: 'c', a: 'b' } } } }),
      {
        desiredNumberScheduled: 5,
        currentNumberScheduled: 4,
        numberReady: 3,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
        numberMisscheduled: 1,
      },
    ],
  }),
];

const plain = (apiVersion: string, kind: string, path: string, states: States['states']): Scenario =>
  statesOf({ apiVersion, kind, path, states });
const addresses = (count: number) => Array.from({ length: count }, (_, i) => ({ ip: `10.1.2.${i + 1}` }));
const otherScenarios = [
  plain('v1', 'Endpoints', core('endpoints'), {
    'e-none': [{}],
    'e-many': [{ subsets: [{ addresses: addresses(5), ports: [{ port: 80 }, { name: 'x', port: 81 }] }] }],
    'e-open': [{ subsets: [{ addresses: addresses(2) }, { notReadyAddresses: addresses(1), ports: [{ port: 80 }] }] }],
  }),
  plain('discovery.k8s.io/v1', 'EndpointSlice', group('discovery.k8s.io/v1', 'endpointslices'), {
    's-none': [{ addressType: 'IPv4', endpoints: [] }],
    's-many': [
      {
        addressType: 'IPv4',
        endpoints: addresses(6).map(({ ip }) => ({ addresses: [ip] })),
        ports: [{ port: 80 }, { name: 'x', port: 81 }, { name: 'y', port: 82 }, { name: 'z', port: 83 }],
      },
    ],
    's-any': [{ addressType: 'FQDN', endpoints: [{ addresses: ['a.example'] }], ports: [{}] }],
  }),
  plain('v1', 'ResourceQuota', core('resourcequotas'), {
    'q-plain': [{}],
    'q-used': [
      { spec: { hard: { 'limits.cpu': '2', 'requests.cpu': '1', pods: '3' } } },
      { hard: { 'limits.cpu': '2', 'requests.cpu': '1', pods: '3' }, used: { 'limits.cpu': '1500m', pods: '1' } },
    ],
  }),
  plain('v1', 'ReplicationController', core('replicationcontrollers'), {
    'r-rich': [{ spec: { replicas: 2, selector: { app: 'a' }, template: images } }, { replicas: 2, readyReplicas: 1 }],
  }),
  plain('v1', 'Event', core('events'), {
    'e-old': [
      {
        involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}', fieldPath: 'spec.volumes' },
        type: 'Normal',
        reason: 'R',
        message: ' two\nlines ',
        count: 7,
        source: { component: 'c', host: 'h' },
        firstTimestamp: '{now}',
        lastTimestamp: '{now}',
      },
    ],
    'e-new': [
      {
        involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}' },
        type: 'Warning',
        reason: 'R',
        action: 'A',
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingComponent: 'a.example/c',
        reportingInstance: 'i',
        series: { count: 3, lastObservedTime: '2026-01-01T00:00:00.000000Z' },
      },
    ],
  }),
  plain('rbac.authorization.k8s.io/v1', 'RoleBinding', group('rbac.authorization.k8s.io/v1', 'rolebindings'), {
    'r-many': [
      {
        roleRef: { kind: 'ClusterRole', name: 'view' },
        subjects: [
          { kind: 'User', name: 'u' },
          { kind: 'User', name: 'v' },
          { kind: 'Group', name: 'g' },
          { kind: 'ServiceAccount', name: 's', namespace: 'x' },
        ],
      },
    ],
  }),
];

const policies = 'admissionregistration.k8s.io/v1';
const paramKind = { apiVersion: 'a.example/v1', kind: 'Thing' };
const bound = (paramRef: Body): readonly [Body] => [
  {
    spec: {
      policyName: 'none',
      validationActions: ['Deny'],
      paramRef: { parameterNotFoundAction: 'Allow', ...paramRef },
    },
  },
];
const policyScenarios = [
  plain(policies, 'ValidatingAdmissionPolicy', `/apis/${policies}/validatingadmissionpolicies`, {
    'd-param': [
      {
        spec: {
          paramKind,
          matchConstraints: {
            resourceRules: [
              { apiGroups: ['none.example'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nones'] },
            ],
          },
          validations: [{ expression: 'true' }, { expression: '1 == 1' }],
        },
      },
    ],
  }),
  plain(policies, 'ValidatingAdmissionPolicyBinding', `/apis/${policies}/validatingadmissionpolicybindings`, {
    'd-named': bound({ name: 'x' }),
    'd-in-namespace': bound({ name: 'x', namespace: 'y' }),
    'd-selected': bound({
      selector: {
        matchLabels: { b: 'c', a: 'b' },
        matchExpressions: [{ key: 'k', operator: 'In', values: ['x', 'y'] }],
      },
    }),
  }),
];

/** What `kubectl get` shows of objects in their states. */
export const tableStates: Area = {
  name: 'table-states',
  scenarios: [
    all,
    pods,
    nodes,
    jobs,
    cronJobs,
    claims,
    volumes,
    services,
    ingresses,
    budgets,
    ...workloadScenarios,
    ...otherScenarios,
    ...policyScenarios,
  ],
};
