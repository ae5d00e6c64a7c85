import { core, del, get, group, mergePatch, object, post } from '../build.ts';
import type { Area, Step } from '../types.ts';
import { configurationScenarios } from './admission-configuration.ts';

const pods = core('pods');
const nodes = '/api/v1/nodes';
const dry = '?dryRun=All';

/** The account that pods of a fresh namespace need: no controller is there to make one. */
const account = post(core('serviceaccounts'), {
  ...object('v1', 'ServiceAccount', 'default'),
  automountServiceAccountToken: false,
});

interface Parts {
  readonly metadata?: object;
  readonly containers?: readonly object[];
  readonly [field: string]: unknown;
}

function podOf(name: string, { metadata = {}, containers = [{}], ...spec }: Parts = {}) {
  const named = containers.map((one, i) => ({ name: `c${i}`, image: 'i', ...one }));
  return object('v1', 'Pod', name, { metadata, spec: { ...spec, containers: named } });
}

const pod = (name: string, parts: Parts = {}, query = ''): Step => post(`${pods}${query}`, podOf(name, parts));
const tried = (parts: Parts): Step => pod('p', parts, dry);

/** Sets what the namespace demands of its pods. */
const demands = (levels: Readonly<Record<string, string | null>>): Step =>
  mergePatch('/api/v1/namespaces/{ns}', {
    metadata: {
      labels: Object.fromEntries(
        Object.entries(levels).map(([mode, level]) => [`pod-security.kubernetes.io/${mode}`, level]),
      ),
    },
  });

const secure = (more: object = {}) => ({
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
    ...more,
  },
});

const context = (securityContext: object): Parts => ({ containers: [{ securityContext }] });

/** Pods that a baseline forbids, each for one reason. */
const beyondBaseline: readonly Parts[] = [
  context({ privileged: true }),
  { containers: [{ securityContext: { privileged: true } }, { securityContext: { privileged: true } }] },
  context({ capabilities: { add: ['SYS_ADMIN', 'CHOWN', 'NET_ADMIN'] } }),
  { hostNetwork: true, hostPID: true, hostIPC: true },
  {
    volumes: [
      { name: 'a', hostPath: { path: '/' } },
      { name: 'b', emptyDir: {} },
    ],
  },
  {
    containers: [
      { ports: [{ containerPort: 80, hostPort: 8080 }] },
      { ports: [{ containerPort: 81, hostPort: 9090 }, { containerPort: 82 }] },
    ],
  },
  { containers: [{ livenessProbe: { httpGet: { port: 80, host: 'example.com' } } }] },
  {
    containers: [
      {
        readinessProbe: { tcpSocket: { port: 80, host: '10.0.0.1' } },
        lifecycle: { preStop: { httpGet: { port: 80, host: 'example.com' } } },
      },
    ],
  },
  context({ procMount: 'Default' }),
  { securityContext: { seLinuxOptions: { type: 'other_t', user: 'u', role: 'r' } } },
  context({ seLinuxOptions: { type: 'container_engine_t' } }),
  {
    securityContext: { seccompProfile: { type: 'Unconfined' } },
    ...context({ seccompProfile: { type: 'Unconfined' } }),
  },
  {
    securityContext: {
      sysctls: [
        { name: 'kernel.msgmax', value: '1' },
        { name: 'net.ipv4.tcp_rmem', value: '1' },
      ],
    },
  },
  { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
  context({ appArmorProfile: { type: 'Unconfined' } }),
  {
    securityContext: { windowsOptions: { hostProcess: true } },
    hostNetwork: true,
    containers: [{ securityContext: { windowsOptions: { hostProcess: true } } }],
  },
  { hostUsers: false, securityContext: { runAsUser: 0 } },
];

/** Pods that only the restricted level forbids. */
const beyondRestricted: readonly Parts[] = [
  {},
  { containers: [{}, secure()] },
  context({ allowPrivilegeEscalation: false, runAsNonRoot: true }),
  { containers: [secure({ runAsNonRoot: false })], securityContext: { runAsNonRoot: true } },
  { containers: [secure({ runAsUser: 0 })], securityContext: { runAsUser: 0 } },
  { containers: [secure({ seccompProfile: { type: 'Unconfined' } })] },
  { containers: [secure({ capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE', 'CHOWN'] } })] },
  {
    containers: [secure()],
    volumes: [
      { name: 'a', nfs: { server: 's', path: '/' } },
      { name: 'b', hostPath: { path: '/' } },
    ],
  },
  { containers: [secure()], initContainers: [{ name: 'i', image: 'i' }] },
  { containers: [secure()] },
  { os: { name: 'windows' }, securityContext: { runAsNonRoot: true } },
];

const workload = (apiVersion: string, kind: string, spec: object) => object(apiVersion, kind, 'w', { spec });
const insecure = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const selected = { selector: { matchLabels: { a: 'b' } }, template: insecure };
const once = { ...insecure, spec: { ...insecure.spec, restartPolicy: 'Never' } };

/** A node of the scenario, and its end: nodes are everybody's. */
const node = (name: string, more: Readonly<Record<string, unknown>> = {}): Step =>
  post(nodes, object('v1', 'Node', name, more));

const className = (kind: string): string => `admission-${kind}`;

const runtimeClasses = '/apis/node.k8s.io/v1/runtimeclasses';
const runtimeClass = (name: string, more: object = {}): Step =>
  post(runtimeClasses, object('node.k8s.io/v1', 'RuntimeClass', name, { handler: 'h', ...more }));

const ingresses = group('networking.k8s.io/v1', 'ingresses');
const ingressClasses = '/apis/networking.k8s.io/v1/ingressclasses';
const ingressClass = (name: string, isDefault: boolean): Step =>
  post(
    ingressClasses,
    object('networking.k8s.io/v1', 'IngressClass', name, {
      metadata: { annotations: { 'ingressclass.kubernetes.io/is-default-class': String(isDefault) } },
      spec: { controller: 'example.com/c' },
    }),
  );
const ingress = (name: string, spec: object = {}, metadata: object = {}): Step =>
  post(
    ingresses,
    object('networking.k8s.io/v1', 'Ingress', name, {
      metadata,
      spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } }, ...spec },
    }),
  );

const priorityClasses = '/apis/scheduling.k8s.io/v1/priorityclasses';
const priorityClass = (name: string, more: object): Step =>
  post(priorityClasses, object('scheduling.k8s.io/v1', 'PriorityClass', name, { value: 5, ...more }));

const requests = (cpu: string, memory = '64Mi') => ({
  resources: { requests: { cpu, memory }, limits: { cpu, memory } },
});

/** What the built-in admission plug-ins add and refuse. */
export const admission: Area = {
  name: 'admission',
  scenarios: [
    {
      title: 'pod security: labels of namespaces',
      steps: [
        post(
          '/api/v1/namespaces',
          object('v1', 'Namespace', 'admission-bad', {
            metadata: {
              labels: {
                'pod-security.kubernetes.io/enforce': 'tight',
                'pod-security.kubernetes.io/enforce-version': 'v2',
                'pod-security.kubernetes.io/audit': 'x',
                'pod-security.kubernetes.io/warn-version': '1.20',
              },
            },
          }),
        ),
        demands({ enforce: 'tight' }),
        demands({ enforce: 'baseline', 'enforce-version': 'v1.99' }),
        demands({ warn: 'restricted', 'warn-version': 'latest' }),
        demands({ 'audit-version': 'newest' }),
        demands({ enforce: null, 'enforce-version': null, warn: null, 'warn-version': null }),
      ],
    },
    {
      title: 'pod security: baseline',
      steps: [account, demands({ enforce: 'baseline' }), ...beyondBaseline.map(tried), pod('fine')],
    },
    {
      title: 'pod security: restricted',
      steps: [
        account,
        demands({ enforce: 'restricted' }),
        ...beyondRestricted.map(tried),
        ...beyondBaseline.map(tried),
      ],
    },
    {
      title: 'pod security: older versions',
      steps: [
        account,
        ...['v1.0', 'v1.7', 'v1.18', 'v1.21', 'v1.24', 'v1.30', 'v1.34', 'v1.36', 'v1.37', 'v1.50'].flatMap(
          (version) => [
            demands({ enforce: 'restricted', 'enforce-version': version }),
            tried({}),
            tried({ containers: [secure({ runAsUser: 0 })], hostUsers: false }),
            tried({ os: { name: 'windows' } }),
            tried({
              containers: [secure({ seLinuxOptions: { type: 'container_engine_t' } })],
              securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem', value: '1' }] },
            }),
          ],
        ),
      ],
    },
    {
      title: 'pod security: warnings',
      steps: [
        account,
        demands({ warn: 'restricted', audit: 'baseline' }),
        pod('warned', context({ privileged: true })),
        post(group('apps/v1', 'deployments'), workload('apps/v1', 'Deployment', selected)),
        post(group('apps/v1', 'replicasets'), workload('apps/v1', 'ReplicaSet', selected)),
        post(group('apps/v1', 'daemonsets'), workload('apps/v1', 'DaemonSet', selected)),
        post(group('apps/v1', 'statefulsets'), workload('apps/v1', 'StatefulSet', { ...selected, serviceName: 's' })),
        post(group('batch/v1', 'jobs'), {
          ...workload('batch/v1', 'Job', { template: once }),
          metadata: { name: 'w', labels: { own: 'x' } },
        }),
        post(
          group('batch/v1', 'cronjobs'),
          workload('batch/v1', 'CronJob', { schedule: '* * * * *', jobTemplate: { spec: { template: once } } }),
        ),
        post(
          core('replicationcontrollers'),
          workload('v1', 'ReplicationController', { selector: { a: 'b' }, template: insecure }),
        ),
        post(core('podtemplates'), object('v1', 'PodTemplate', 'w', { template: insecure })),
        mergePatch(`${group('apps/v1', 'deployments')}/w`, { spec: { replicas: 2 } }),
        mergePatch(`${group('apps/v1', 'deployments')}/w/scale`, { spec: { replicas: 3 } }),
        mergePatch(`${pods}/warned`, { metadata: { labels: { a: 'b' } } }),
        mergePatch(`${pods}/warned`, { spec: { containers: null } }),
        demands({ warn: null, audit: null, enforce: 'restricted' }),
        post(`${group('apps/v1', 'deployments')}${dry}`, workload('apps/v1', 'Deployment', selected)),
        demands({ warn: 'privileged' }),
        post(`${group('apps/v1', 'deployments')}${dry}`, object('apps/v1', 'Deployment', 'x', { spec: selected })),
      ],
    },
    {
      title: 'pod security: pods that are there already',
      steps: [
        account,
        pod('a', context({ privileged: true })),
        pod('b', context({ privileged: true })),
        pod('c', { hostNetwork: true }),
        pod('d', context({ privileged: true })),
        pod('e', { containers: [secure()] }),
        demands({ enforce: 'baseline' }),
        demands({ enforce: 'restricted' }),
        demands({ 'enforce-version': 'v1.10' }),
        demands({ enforce: 'baseline' }),
        demands({ enforce: 'privileged', 'enforce-version': null }),
        mergePatch(`/api/v1/namespaces/{ns}${dry}`, {
          metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } },
        }),
      ],
    },
    {
      title: 'runtime classes',
      steps: [
        account,
        pod('missing', { runtimeClassName: 'admission-missing' }),
        pod('none', { overhead: { cpu: '1' } }),
        runtimeClass('admission-plain'),
        runtimeClass('admission-heavy', { overhead: { podFixed: { cpu: '250m', memory: '64Mi' } } }),
        runtimeClass('admission-placed', {
          scheduling: {
            nodeSelector: { kind: 'vm' },
            tolerations: [
              { key: 'vm', operator: 'Exists' },
              { key: 'node.kubernetes.io/not-ready', operator: 'Exists' },
            ],
          },
        }),
        pod('plain', { runtimeClassName: 'admission-plain' }),
        pod('plain-over', { runtimeClassName: 'admission-plain', overhead: { cpu: '1' } }),
        pod('heavy', { runtimeClassName: 'admission-heavy' }),
        pod('heavy-same', { runtimeClassName: 'admission-heavy', overhead: { cpu: '0.25', memory: '64Mi' } }),
        pod('heavy-other', { runtimeClassName: 'admission-heavy', overhead: { cpu: '1' } }),
        pod('placed', { runtimeClassName: 'admission-placed', nodeSelector: { disk: 'ssd' } }),
        pod('placed-more', {
          runtimeClassName: 'admission-placed',
          tolerations: [
            { key: 'vm', operator: 'Equal', value: 'x', effect: 'NoSchedule' },
            { key: 'other', operator: 'Exists' },
          ],
        }),
        pod('placed-else', { runtimeClassName: 'admission-placed', nodeSelector: { kind: 'metal' } }),
        post(pods, { ...podOf('x', { runtimeClassName: 'nope' }), metadata: { generateName: 'gen-' } }),
        del(`${runtimeClasses}/admission-plain`),
        pod('deleted', { runtimeClassName: 'admission-plain' }),
        del(`${runtimeClasses}/admission-heavy`),
        del(`${runtimeClasses}/admission-placed`),
      ],
    },
    {
      title: 'ingress classes',
      steps: [
        ingress('none'),
        ingressClass(className('ingress-b'), true),
        ingress('defaulted'),
        ingress('named', { ingressClassName: 'other' }),
        ingress('annotated', {}, { annotations: { 'kubernetes.io/ingress.class': 'old' } }),
        ingressClass(className('ingress-a'), true),
        ingressClass(className('ingress-c'), false),
        ingress('again'),
        ...['a', 'b', 'c'].map((name) => del(`${ingressClasses}/${className(`ingress-${name}`)}`)),
        ingress('none-again'),
      ],
    },
    {
      title: 'new nodes',
      steps: [
        node('admission-bare'),
        node('admission-ready', { status: { conditions: [{ type: 'Ready', status: 'True' }] } }),
        node('admission-tainted', { spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } }),
        node('admission-known', {
          spec: { taints: [{ key: 'node.kubernetes.io/not-ready', value: 'x', effect: 'NoSchedule' }] },
        }),
        mergePatch(`${nodes}/admission-bare`, { spec: { taints: null } }),
        get(`${nodes}/admission-bare`),
        ...['bare', 'ready', 'tainted', 'known'].map((name) => del(`${nodes}/admission-${name}`)),
      ],
    },
    {
      title: 'zones of pods',
      steps: [
        account,
        node('admission-zoned', {
          metadata: {
            labels: { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r', other: 'x' },
          },
        }),
        pod('placed', { nodeName: 'admission-zoned', metadata: { labels: { 'topology.kubernetes.io/zone': 'mine' } } }),
        pod('elsewhere', { nodeName: 'admission-nowhere' }),
        pod('bound'),
        post(
          `${pods}/bound/binding`,
          object('v1', 'Binding', 'bound', { target: { kind: 'Node', name: 'admission-zoned' } }),
        ),
        get(`${pods}/bound`),
        pod('own', { metadata: { labels: { 'topology.kubernetes.io/zone': 'mine', a: 'b' } } }),
        post(
          `${pods}/own/binding`,
          object('v1', 'Binding', 'own', {
            metadata: { labels: { mine: 'x' } },
            target: { kind: 'Node', name: 'admission-zoned' },
          }),
        ),
        get(`${pods}/own`),
        del(`${nodes}/admission-zoned`),
      ],
    },
    {
      title: 'resizes of pods',
      steps: [
        account,
        node('admission-small', { status: { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } } }),
        node('admission-windows', {
          metadata: { labels: { 'kubernetes.io/os': 'windows' } },
          status: { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } },
        }),
        pod('a', { nodeName: 'admission-small', containers: [requests('100m')] }),
        pod('w', { nodeName: 'admission-windows', containers: [requests('100m')] }),
        pod('nowhere', { nodeName: 'admission-nowhere', containers: [requests('100m')] }),
        pod('free', { containers: [requests('100m')] }),
        ...['a', 'w', 'nowhere', 'free'].flatMap((name) => [
          {
            ...mergePatch(`${pods}/${name}/resize`, {}),
            contentType: 'application/strategic-merge-patch+json',
            body: { spec: { containers: [{ name: 'c0', ...requests('500m') }] } },
          },
          {
            ...mergePatch(`${pods}/${name}/resize`, {}),
            contentType: 'application/strategic-merge-patch+json',
            body: { spec: { containers: [{ name: 'c0', ...requests('2500m', '3Gi') }] } },
          },
        ]),
        del(`${nodes}/admission-small`),
        del(`${nodes}/admission-windows`),
      ],
    },
    {
      title: 'priorities',
      steps: [
        account,
        priorityClass('admission-default', { globalDefault: true }),
        priorityClass('admission-second', { globalDefault: true }),
        priorityClass('admission-never', { value: 7, preemptionPolicy: 'Never' }),
        mergePatch(`${priorityClasses}/admission-never`, { globalDefault: true }),
        mergePatch(`${priorityClasses}/admission-default`, { metadata: { labels: { a: 'b' } } }),
        pod('defaulted'),
        pod('never', { priorityClassName: 'admission-never' }),
        pod('wrong', { priorityClassName: 'admission-never', priority: 3 }),
        pod('policy', { priorityClassName: 'admission-never', preemptionPolicy: 'PreemptLowerPriority' }),
        post(pods, { ...podOf('x', { priorityClassName: 'nope' }), metadata: { generateName: 'gen-' } }),
        del(`${priorityClasses}/admission-default`),
        del(`${priorityClasses}/admission-never`),
        pod('undefaulted'),
        pod('own-policy', { preemptionPolicy: 'Never' }),
      ],
    },
    {
      title: 'accounts of pods',
      steps: [
        pod('none'),
        post(pods, { ...podOf('x', { serviceAccountName: 'nope' }), metadata: { generateName: 'gen-' } }),
        account,
        pod('some', { serviceAccountName: 'nope' }),
        pod('mirror', { nodeName: 'n', metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }),
        pod('mirror-account', {
          nodeName: 'n',
          metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } },
          serviceAccountName: 'default',
        }),
        pod('mirror-secret', {
          nodeName: 'n',
          metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } },
          volumes: [{ name: 's', secret: { secretName: 's' } }],
        }),
        post(core('serviceaccounts'), {
          ...object('v1', 'ServiceAccount', 'strict', {
            metadata: { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
          }),
          automountServiceAccountToken: false,
          secrets: [{ name: 'mine' }],
          imagePullSecrets: [{ name: 'pull' }],
        }),
        pod('mine', { serviceAccountName: 'strict', volumes: [{ name: 's', secret: { secretName: 'mine' } }] }),
        pod('theirs', { serviceAccountName: 'strict', volumes: [{ name: 's', secret: { secretName: 'theirs' } }] }),
        pod('env', {
          serviceAccountName: 'strict',
          containers: [{ env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 'theirs', key: 'k' } } }] }],
        }),
        pod('env-from', {
          serviceAccountName: 'strict',
          containers: [{ envFrom: [{ secretRef: { name: 'theirs' } }] }],
        }),
        pod('pull', { serviceAccountName: 'strict', imagePullSecrets: [{ name: 'other' }] }),
      ],
    },
    {
      title: 'limits',
      steps: [
        account,
        post(
          core('limitranges'),
          object('v1', 'LimitRange', 'l', {
            spec: {
              limits: [
                {
                  type: 'Container',
                  min: { cpu: '100m', memory: '32Mi' },
                  max: { cpu: '1', memory: '1Gi' },
                  maxLimitRequestRatio: { cpu: '2' },
                },
                { type: 'Pod', max: { cpu: '2' } },
              ],
            },
          }),
        ),
        pod('silent'),
        pod('low', { containers: [requests('50m')] }),
        pod('high', { containers: [requests('1100m'), requests('1')] }),
        pod('ratio', {
          containers: [
            { resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '64Mi' } } },
          ],
        }),
        pod('fine', { containers: [requests('200m')] }),
      ],
    },
    {
      title: 'volumes in use',
      steps: [
        post(
          core('persistentvolumeclaims'),
          object('v1', 'PersistentVolumeClaim', 'c', {
            spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1Gi' } } },
          }),
        ),
        mergePatch(core('persistentvolumeclaims/c/status'), { status: { phase: 'Bound' } }),
        mergePatch(core('persistentvolumeclaims/c'), { spec: { resources: { requests: { storage: '2Gi' } } } }),
        post(
          '/api/v1/persistentvolumes',
          object('v1', 'PersistentVolume', 'admission-v', {
            spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' } },
          }),
        ),
        mergePatch('/api/v1/persistentvolumes/admission-v', { metadata: { finalizers: null } }),
        del('/api/v1/persistentvolumes/admission-v'),
      ],
    },
    {
      title: 'namespaces',
      steps: [
        ...['default', 'kube-system', 'kube-public'].map((name) => del(`/api/v1/namespaces/${name}${dry}`)),
        post('/api/v1/namespaces/admission-missing/pods', podOf('p')),
        mergePatch('/api/v1/namespaces/admission-missing/configmaps/x', { data: {} }),
      ],
    },
    ...configurationScenarios,
  ],
};
