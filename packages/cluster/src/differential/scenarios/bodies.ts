import { template } from '../build.ts';

/** One kind with bodies to create it from. */
export interface KindCase {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Everything but apiVersion, kind and name. */
  readonly minimal: Readonly<Record<string, unknown>>;
  readonly rich: Readonly<Record<string, unknown>>;
  /** Merge patch of something that may change; default: a label. */
  readonly change?: Readonly<Record<string, unknown>>;
}

const selector = { matchLabels: { app: 'a' } };

export const richPodSpec = {
  initContainers: [
    { name: 'init', image: 'busybox:1.36', command: ['sh', '-c', 'true'] },
    { name: 'sidecar', image: 'proxy:2', restartPolicy: 'Always', startupProbe: { tcpSocket: { port: 80 } } },
  ],
  containers: [
    {
      name: 'web',
      image: 'nginx:1.27',
      args: ['-g', 'daemon off;'],
      ports: [{ containerPort: 80 }, { name: 'metrics', containerPort: 9090, protocol: 'UDP' }],
      env: [
        { name: 'A', value: 'x' },
        { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'C', valueFrom: { configMapKeyRef: { name: 'c', key: 'k', optional: true } } },
        { name: 'D', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      ],
      envFrom: [{ prefix: 'P_', secretRef: { name: 's' } }],
      resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '0.5' } },
      readinessProbe: { httpGet: { path: '/', port: 'metrics' }, periodSeconds: 5 },
      livenessProbe: { exec: { command: ['true'] }, initialDelaySeconds: 3 },
      lifecycle: { preStop: { httpGet: { port: 80 } } },
      volumeMounts: [
        { name: 'conf', mountPath: '/conf' },
        { name: 'data', mountPath: '/data', subPath: 'x' },
      ],
      securityContext: { runAsNonRoot: true, capabilities: { drop: ['ALL'] } },
      terminationMessagePolicy: 'FallbackToLogsOnError',
    },
    { name: 'helper', image: `registry.example/x@sha256:${'a'.repeat(64)}` },
  ],
  volumes: [
    { name: 'conf', configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } },
    { name: 'data', emptyDir: { sizeLimit: '1Gi' } },
    { name: 'sec', secret: { secretName: 's' } },
    { name: 'host', hostPath: { path: '/tmp' } },
    { name: 'down', downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
    {
      name: 'proj',
      projected: { sources: [{ serviceAccountToken: { path: 't' } }, { configMap: { name: 'c' } }] },
    },
    { name: 'pvc', persistentVolumeClaim: { claimName: 'p' } },
    {
      name: 'eph',
      ephemeral: {
        volumeClaimTemplate: {
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      },
    },
  ],
  nodeSelector: { disk: 'ssd' },
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'a' } } } },
      ],
    },
  },
  tolerations: [{ key: 'x', operator: 'Exists', effect: 'NoSchedule' }],
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { app: 'a' } },
    },
  ],
  hostAliases: [{ ip: '10.0.0.9', hostnames: ['a.example'] }],
  securityContext: { fsGroup: 1000, runAsUser: 1000 },
  terminationGracePeriodSeconds: 5,
  imagePullSecrets: [{ name: 'reg' }],
};

const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const subject = { kind: 'ServiceAccount', name: 'default', namespace: 'x' };

export const coreKinds: readonly KindCase[] = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    plural: 'configmaps',
    namespaced: true,
    minimal: {},
    rich: { data: { a: '1', 'b.txt': 'x\ny' }, binaryData: { c: 'AAE=' }, immutable: false },
    change: { data: { a: '2' } },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    plural: 'secrets',
    namespaced: true,
    minimal: {},
    rich: { type: 'kubernetes.io/basic-auth', stringData: { username: 'u', password: 'p' }, data: { x: 'eA==' } },
    change: { stringData: { username: 'v' } },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    plural: 'pods',
    namespaced: true,
    minimal: { spec: { containers: [{ name: 'main', image: 'busybox' }] } },
    rich: { metadata: { labels: { app: 'a' } }, spec: richPodSpec },
    change: { metadata: { labels: { app: 'b' } } },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    plural: 'services',
    namespaced: true,
    minimal: { spec: { ports: [{ port: 80 }] } },
    rich: {
      spec: {
        type: 'LoadBalancer',
        selector: { app: 'a' },
        sessionAffinity: 'ClientIP',
        externalTrafficPolicy: 'Local',
        ports: [
          { name: 'http', port: 80, targetPort: 'web' },
          { name: 'dns', port: 53, protocol: 'UDP' },
        ],
      },
    },
    change: { spec: { selector: { app: 'b' } } },
  },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    namespaced: true,
    minimal: {},
    rich: { imagePullSecrets: [{ name: 'a' }], automountServiceAccountToken: false },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    plural: 'persistentvolumeclaims',
    namespaced: true,
    minimal: { spec: claimSpec },
    rich: { spec: { ...claimSpec, storageClassName: 'fast', volumeMode: 'Block', selector } },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    plural: 'persistentvolumes',
    namespaced: false,
    minimal: { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } },
    rich: {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteMany'],
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'fast',
        csi: { driver: 'd.example', volumeHandle: 'h' },
        mountOptions: ['ro'],
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Endpoints',
    plural: 'endpoints',
    namespaced: true,
    minimal: {},
    rich: { subsets: [{ addresses: [{ ip: '10.1.0.2' }, { ip: '10.1.0.1' }], ports: [{ port: 80 }] }] },
  },
  {
    apiVersion: 'v1',
    kind: 'LimitRange',
    plural: 'limitranges',
    namespaced: true,
    minimal: { spec: { limits: [] } },
    rich: { spec: { limits: [{ type: 'Container', default: { cpu: '1' }, max: { cpu: '2' } }] } },
  },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    plural: 'resourcequotas',
    namespaced: true,
    minimal: {},
    rich: { spec: { hard: { 'count/things.example': '1', 'requests.cpu': '1000m' }, scopes: ['NotTerminating'] } },
  },
  {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    plural: 'replicationcontrollers',
    namespaced: true,
    minimal: { spec: { selector: { app: 'a' }, template: template() } },
    rich: { spec: { replicas: 0, minReadySeconds: 3, template: template() } },
    change: { spec: { replicas: 2 } },
  },
  {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    plural: 'podtemplates',
    namespaced: true,
    minimal: { template: template() },
    rich: { template: { metadata: { labels: { a: 'b' } }, spec: richPodSpec } },
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    plural: 'nodes',
    namespaced: false,
    minimal: {},
    rich: {
      spec: { podCIDR: '10.9.0.0/24', taints: [{ key: 'a', effect: 'NoSchedule' }] },
      status: { capacity: { cpu: '4' } },
    },
    change: { spec: { unschedulable: true } },
  },
  {
    apiVersion: 'v1',
    kind: 'Event',
    plural: 'events',
    namespaced: true,
    minimal: { involvedObject: { namespace: '{ns}', kind: 'Pod', name: 'p' } },
    rich: {
      involvedObject: { namespace: '{ns}', kind: 'Pod', name: 'p', apiVersion: 'v1' },
      reason: 'Why',
      message: 'text',
      type: 'Warning',
      count: 2,
      source: { component: 'me' },
      firstTimestamp: '2026-01-01T00:00:00Z',
    },
  },
];

export const appsKinds: readonly KindCase[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    plural: 'deployments',
    namespaced: true,
    minimal: { spec: { selector, template: template() } },
    rich: {
      spec: {
        replicas: 3,
        selector,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '50%' } },
        minReadySeconds: 2,
        paused: true,
        template: { metadata: { labels: { app: 'a' } }, spec: richPodSpec },
      },
    },
    change: { spec: { replicas: 2 } },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    plural: 'replicasets',
    namespaced: true,
    minimal: { spec: { selector, template: template() } },
    rich: { spec: { replicas: 0, minReadySeconds: 5, selector, template: template() } },
    change: { spec: { replicas: 2 } },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    plural: 'statefulsets',
    namespaced: true,
    minimal: { spec: { selector, serviceName: 's', template: template() } },
    rich: {
      spec: {
        replicas: 2,
        selector,
        serviceName: 's',
        podManagementPolicy: 'Parallel',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
        ordinals: { start: 3 },
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
        template: template(),
      },
    },
    change: { spec: { replicas: 4 } },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    plural: 'daemonsets',
    namespaced: true,
    minimal: { spec: { selector, template: template() } },
    rich: { spec: { selector, updateStrategy: { type: 'OnDelete' }, template: template() } },
    change: { spec: { minReadySeconds: 1 } },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    plural: 'controllerrevisions',
    namespaced: true,
    minimal: { revision: 1, data: { a: 1 } },
    rich: { revision: 7, data: { spec: { template: { x: [1, 2] } } } },
    change: { revision: 8 },
  },
];

export const batchKinds: readonly KindCase[] = [
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    plural: 'jobs',
    namespaced: true,
    minimal: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'm', image: 'i' }] } } } },
    rich: {
      spec: {
        completions: 3,
        parallelism: 2,
        completionMode: 'Indexed',
        backoffLimitPerIndex: 1,
        ttlSecondsAfterFinished: 9,
        suspend: true,
        podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }] },
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'm', image: 'i' }] } },
      },
    },
    change: { spec: { parallelism: 3 } },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    plural: 'cronjobs',
    namespaced: true,
    minimal: {
      spec: {
        schedule: '* * * * *',
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'm', image: 'i' }] } } },
        },
      },
    },
    rich: {
      spec: {
        schedule: '@daily',
        timeZone: 'Etc/UTC',
        concurrencyPolicy: 'Forbid',
        startingDeadlineSeconds: 10,
        successfulJobsHistoryLimit: 0,
        jobTemplate: {
          metadata: { labels: { a: 'b' } },
          spec: { template: { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'm', image: 'i' }] } } },
        },
      },
    },
    change: { spec: { suspend: true } },
  },
];

export const policyKinds: readonly KindCase[] = [
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    plural: 'poddisruptionbudgets',
    namespaced: true,
    minimal: {},
    rich: { spec: { maxUnavailable: '25%', selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
    change: { spec: { selector: { matchLabels: { app: 'b' } } } },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    plural: 'roles',
    namespaced: true,
    minimal: {},
    rich: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: ['a'] }] },
    change: { rules: [] },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    plural: 'clusterroles',
    namespaced: false,
    minimal: { rules: [] },
    rich: {
      rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    plural: 'rolebindings',
    namespaced: true,
    minimal: { roleRef: { kind: 'Role', name: 'r' } },
    rich: {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
      subjects: [subject, { kind: 'User', name: 'u' }, { kind: 'Group', name: 'g' }],
    },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    plural: 'clusterrolebindings',
    namespaced: false,
    minimal: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' } },
    rich: { roleRef: { kind: 'ClusterRole', name: 'r' }, subjects: [subject] },
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    plural: 'leases',
    namespaced: true,
    minimal: {},
    rich: {
      spec: {
        holderIdentity: 'me',
        leaseDurationSeconds: 15,
        acquireTime: '2026-01-01T00:00:00.000000Z',
        renewTime: '2026-01-01T00:00:00.500000Z',
        leaseTransitions: 2,
      },
    },
    change: { spec: { holderIdentity: 'you' } },
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    plural: 'endpointslices',
    namespaced: true,
    minimal: { addressType: 'IPv4', endpoints: [] },
    rich: {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: true }, targetRef: { kind: 'Pod', name: 'p' } }],
      ports: [{ port: 80 }, { name: 'x', port: 81, protocol: 'UDP' }],
    },
    change: { endpoints: [] },
  },
  {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    plural: 'events',
    namespaced: true,
    minimal: {
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'a.example/b',
      reportingInstance: 'i',
      action: 'Do',
      reason: 'Why',
      type: 'Normal',
      regarding: { namespace: '{ns}', kind: 'Pod', name: 'p' },
    },
    rich: {
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'a.example/b',
      reportingInstance: 'i',
      action: 'Do',
      reason: 'Why',
      type: 'Warning',
      note: 'text',
      regarding: { namespace: '{ns}', kind: 'Pod', name: 'p' },
      related: { kind: 'Node', name: 'n' },
      series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' },
    },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    plural: 'storageclasses',
    namespaced: false,
    minimal: { provisioner: 'p.example' },
    rich: {
      provisioner: 'p.example',
      parameters: { a: 'b' },
      reclaimPolicy: 'Retain',
      allowVolumeExpansion: true,
      volumeBindingMode: 'WaitForFirstConsumer',
      mountOptions: ['ro'],
    },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    plural: 'csidrivers',
    namespaced: false,
    minimal: {},
    rich: { spec: { attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: ['Ephemeral'] } },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    plural: 'csinodes',
    namespaced: false,
    minimal: { spec: { drivers: [] } },
    rich: { spec: { drivers: [{ name: 'd.example', nodeID: 'n', topologyKeys: ['zone'] }] } },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    plural: 'volumeattachments',
    namespaced: false,
    minimal: { spec: { attacher: 'a.example', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
    rich: {
      spec: { attacher: 'a.example', nodeName: 'n', source: { persistentVolumeName: 'p' } },
      status: { attached: true },
    },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    plural: 'networkpolicies',
    namespaced: true,
    minimal: { spec: { podSelector: {} } },
    rich: { spec: { podSelector: selector, ingress: [{ ports: [{ port: 80 }] }], egress: [{}] } },
    change: { spec: { policyTypes: ['Ingress'] } },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    plural: 'ingresses',
    namespaced: true,
    minimal: { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
    rich: {
      spec: {
        ingressClassName: 'c',
        rules: [
          {
            host: 'a.example',
            http: {
              paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { name: 'h' } } } }],
            },
          },
        ],
        tls: [{ hosts: ['a.example'], secretName: 't' }],
      },
    },
  },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    plural: 'priorityclasses',
    namespaced: false,
    minimal: { value: 5 },
    rich: { value: 1000, preemptionPolicy: 'Never', description: 'text' },
  },
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    plural: 'horizontalpodautoscalers',
    namespaced: true,
    minimal: { spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } } },
    rich: {
      spec: {
        minReplicas: 2,
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
        behavior: { scaleDown: { stabilizationWindowSeconds: 10 } },
      },
    },
    change: { spec: { maxReplicas: 4 } },
  },
];
