import { template } from '../build.ts';
import { appsKinds, batchKinds, coreKinds, type KindCase, policyKinds } from './bodies.ts';
import { authority, signingRequest, stubRequest } from './certificates.ts';

type Body = Readonly<Record<string, unknown>>;

/** A kind with bodies; `$word` in them is a word of the object's name. */
export interface ServedKind extends KindCase {
  /** A status that may be written. Absent: the kind has none. */
  readonly status?: Body;
  /** Default: `every-` and the word. */
  readonly named?: (word: string) => string;
}

const condition = {
  type: 'Tested',
  status: 'True',
  reason: 'Test',
  message: 'tested',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};
const plainCondition = { type: 'Tested', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
const conditions = { conditions: [condition] };
const plain = { conditions: [plainCondition] };

/** By `apiVersion/plural`. */
const statuses: Readonly<Record<string, Body>> = {
  'v1/pods': {
    phase: 'Running',
    podIP: '10.1.1.1',
    podIPs: [{ ip: '10.1.1.1' }],
    hostIP: '',
    observedGeneration: 1,
    ...plain,
    startTime: '2026-01-01T00:00:00Z',
    containerStatuses: [
      { name: 'main', ready: false, restartCount: 0, image: 'i', imageID: '', state: { waiting: {} }, lastState: {} },
    ],
    initContainerStatuses: [],
  },
  'v1/services': { loadBalancer: { ingress: [{ ip: '192.0.2.9', ports: [] }] }, conditions: [condition] },
  'v1/persistentvolumeclaims': { phase: 'Bound', capacity: { storage: '1024Mi' }, accessModes: [], ...plain },
  'v1/persistentvolumes': { phase: 'Available', message: '' },
  'v1/replicationcontrollers': { replicas: 2, readyReplicas: 0, observedGeneration: 1, ...plain },
  'v1/resourcequotas': { hard: { 'requests.cpu': '1000m' }, used: {} },
  'v1/nodes': {
    capacity: { cpu: '4000m' },
    allocatable: { cpu: '3900m' },
    addresses: [{ type: 'InternalIP', address: '192.0.2.7' }],
    images: [{ names: ['a'], sizeBytes: 0 }],
    nodeInfo: { kubeletVersion: 'v1.37.2' },
    ...plain,
  },
  'apps/v1/deployments': { replicas: 3, readyReplicas: 1, availableReplicas: 0, observedGeneration: 1, ...plain },
  'apps/v1/replicasets': { replicas: 3, fullyLabeledReplicas: 0, observedGeneration: 1, ...plain },
  'apps/v1/statefulsets': { replicas: 2, currentRevision: 'a', collisionCount: 0, ...plain },
  'apps/v1/daemonsets': { currentNumberScheduled: 1, desiredNumberScheduled: 0, numberReady: 1, ...plain },
  'batch/v1/jobs': { active: 1, ready: 0, uncountedTerminatedPods: {}, startTime: '2026-01-01T00:00:00Z' },
  'batch/v1/cronjobs': { lastScheduleTime: '2026-01-01T00:00:00Z', active: [{ kind: 'Job', name: 'j' }] },
  'policy/v1/poddisruptionbudgets': {
    disruptionsAllowed: 0,
    currentHealthy: 1,
    desiredHealthy: 0,
    expectedPods: 2,
    disruptedPods: {},
    ...conditions,
  },
  'storage.k8s.io/v1/volumeattachments': { attached: true, attachmentMetadata: {}, attachError: {} },
  'networking.k8s.io/v1/ingresses': { loadBalancer: { ingress: [{ hostname: 'b.example', ports: [] }] } },
  'autoscaling/v2/horizontalpodautoscalers': {
    currentReplicas: 0,
    desiredReplicas: 2,
    currentMetrics: [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 30, averageValue: '0.1' } } },
    ],
    ...plain,
  },
};

const label = { metadata: { labels: { app: 'a' } } };
const queue = { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } };
const signer = 'example.com/signer';
const requestSpec = { request: signingRequest, signerName: signer, usages: ['digital signature', 'client auth'] };
const podRequestSpec = {
  signerName: signer,
  podName: 'pod',
  podUID: 'pod-uid',
  serviceAccountName: 'account',
  serviceAccountUID: 'account-uid',
  nodeName: 'node',
  nodeUID: 'node-uid',
  maxExpirationSeconds: 86400,
  stubPKCS10Request: stubRequest,
};
const devices = { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example' } }] };
const slice = {
  driver: 'driver.example',
  pool: { name: 'pool-$word', generation: 1, resourceSliceCount: 1 },
  nodeName: 'node',
};
const nowhere = {
  resourceRules: [{ apiGroups: ['none.example'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nones'] }],
};
const hook = {
  name: 'a.b.example',
  clientConfig: { service: { namespace: 'n', name: 's' } },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const hookRules = [{ ...nowhere.resourceRules[0] }];
const mutation = {
  reinvocationPolicy: 'Never',
  failurePolicy: 'Ignore',
  matchConstraints: nowhere,
  mutations: [
    { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{metadata: Object.metadata{}}' } },
  ],
};
const lastOctet = (word: string): number => 1 + (word.charCodeAt(0) % 50) + word.length * 3;

function kind(apiVersion: string, name: string, plural: string, minimal: Body, rich: Body, more: Partial<ServedKind>) {
  return { apiVersion, kind: name, plural, namespaced: false, minimal, rich, ...more } satisfies ServedKind;
}

const admission = 'admissionregistration.k8s.io/v1';
const admissionKinds: readonly ServedKind[] = [
  ...['Validating', 'Mutating'].map((word) =>
    kind(
      admission,
      `${word}WebhookConfiguration`,
      `${word.toLowerCase()}webhookconfigurations`,
      {},
      { webhooks: [{ ...hook, rules: hookRules, matchConditions: [{ name: 'a', expression: 'true' }] }] },
      { change: { webhooks: [{ ...hook, rules: hookRules, timeoutSeconds: 3 }] } },
    ),
  ),
  kind(
    admission,
    'ValidatingAdmissionPolicy',
    'validatingadmissionpolicies',
    { spec: { matchConstraints: nowhere, validations: [{ expression: 'true' }] } },
    {
      spec: {
        failurePolicy: 'Ignore',
        matchConstraints: { ...nowhere, namespaceSelector: {}, matchPolicy: 'Exact' },
        validations: [{ expression: 'true', message: 'm', reason: 'Forbidden' }],
        variables: [{ name: 'v', expression: '1' }],
        auditAnnotations: [{ key: 'k', valueExpression: "'v'" }],
      },
    },
    { change: { spec: { failurePolicy: 'Fail' } }, status: { observedGeneration: 1, typeChecking: {}, ...conditions } },
  ),
  kind(
    admission,
    'MutatingAdmissionPolicy',
    'mutatingadmissionpolicies',
    { spec: mutation },
    { spec: mutation },
    {
      change: { spec: { failurePolicy: 'Fail' } },
    },
  ),
  kind(
    admission,
    'ValidatingAdmissionPolicyBinding',
    'validatingadmissionpolicybindings',
    { spec: { policyName: 'none', validationActions: ['Deny'] } },
    { spec: { policyName: 'none', validationActions: ['Warn', 'Audit'], matchResources: nowhere } },
    { change: { spec: { validationActions: ['Deny'] } } },
  ),
  kind(
    admission,
    'MutatingAdmissionPolicyBinding',
    'mutatingadmissionpolicybindings',
    { spec: { policyName: 'none' } },
    { spec: { policyName: 'none', matchResources: { ...nowhere, objectSelector: {} } } },
    { change: { spec: { policyName: 'other' } } },
  ),
];

const resource = 'resource.k8s.io/v1';
const deviceKinds: readonly ServedKind[] = [
  kind(
    resource,
    'DeviceClass',
    'deviceclasses',
    { spec: {} },
    { spec: { extendedResourceName: 'a.example/$word' } },
    {
      change: { spec: { selectors: [{ cel: { expression: 'true' } }] } },
    },
  ),
  kind(
    resource,
    'ResourceClaim',
    'resourceclaims',
    { spec: { devices } },
    { spec: { devices }, ...label },
    {
      namespaced: true,
      status: {
        allocation: {
          devices: { results: [{ request: 'gpu', driver: 'driver.example', pool: 'pool', device: 'gpu-0' }] },
        },
      },
    },
  ),
  kind(
    resource,
    'ResourceClaimTemplate',
    'resourceclaimtemplates',
    { spec: { spec: { devices } } },
    { spec: { ...label, spec: { devices } } },
    { namespaced: true },
  ),
  kind(
    resource,
    'ResourceSlice',
    'resourceslices',
    { spec: slice },
    {
      spec: {
        ...slice,
        devices: [{ name: 'a', attributes: { m: { string: 'x' } }, capacity: { memory: { value: '1024Mi' } } }],
      },
    },
    { change: { spec: { devices: [{ name: 'b' }] } } },
  ),
  kind(
    resource,
    'DeviceTaintRule',
    'devicetaintrules',
    { spec: { taint: { key: 'a', effect: 'None' } } },
    { spec: { deviceSelector: { driver: 'driver.example' }, taint: { key: 'a', value: 'b', effect: 'None' } } },
    { change: { spec: { taint: { value: 'c' } } }, status: conditions },
  ),
];

const certificates = 'certificates.k8s.io/v1';
const networking = 'networking.k8s.io/v1';
const parentRef = { group: 'apps', resource: 'deployments', namespace: 'x', name: '$word' };
const flowcontrol = 'flowcontrol.apiserver.k8s.io/v1';
const migration = 'storagemigration.k8s.io/v1';
const otherKinds: readonly ServedKind[] = [
  kind('v1', 'Namespace', 'namespaces', {}, { metadata: { labels: { a: 'b' } } }, { status: { phase: 'Active' } }),
  kind(
    certificates,
    'CertificateSigningRequest',
    'certificatesigningrequests',
    { spec: requestSpec },
    { spec: { ...requestSpec, expirationSeconds: 7200, username: 'x', extra: {} } },
    { status: { conditions: [{ type: 'Failed', status: 'True', reason: 'Test' }] } },
  ),
  kind(
    certificates,
    'ClusterTrustBundle',
    'clustertrustbundles',
    { spec: { trustBundle: authority } },
    {
      spec: { trustBundle: authority },
      ...label,
    },
    {},
  ),
  kind(
    certificates,
    'PodCertificateRequest',
    'podcertificaterequests',
    { spec: podRequestSpec },
    {
      spec: { ...podRequestSpec, unverifiedUserAnnotations: { 'a.example/b': 'c' } },
    },
    { namespaced: true, status: { conditions: [{ ...condition, type: 'Denied' }] } },
  ),
  kind(
    networking,
    'IngressClass',
    'ingressclasses',
    { spec: { controller: 'a.example/b' } },
    {
      spec: { controller: 'a.example/b', parameters: { kind: 'ConfigMap', name: 'x' } },
    },
    { change: { spec: { parameters: { name: 'y' } } } },
  ),
  kind(
    networking,
    'IPAddress',
    'ipaddresses',
    { spec: { parentRef } },
    { spec: { parentRef }, ...label },
    {
      named: (word) => `192.0.2.${lastOctet(word)}`,
    },
  ),
  kind(
    networking,
    'ServiceCIDR',
    'servicecidrs',
    { spec: { cidrs: ['192.0.2.0/24'] } },
    {
      spec: { cidrs: ['192.0.2.0/24', '2001:db8::/64'] },
    },
    { status: conditions },
  ),
  kind(
    'node.k8s.io/v1',
    'RuntimeClass',
    'runtimeclasses',
    { handler: 'h' },
    {
      handler: 'h',
      overhead: { podFixed: { cpu: '1000m' } },
      scheduling: { nodeSelector: { a: 'b' }, tolerations: [{ key: 'a', operator: 'Exists' }] },
    },
    { change: { overhead: { podFixed: { cpu: '2' } } } },
  ),
  kind(
    'storage.k8s.io/v1',
    'VolumeAttributesClass',
    'volumeattributesclasses',
    {
      driverName: 'd.example',
      parameters: { a: 'b' },
    },
    { driverName: 'd.example', parameters: { a: 'b', c: 'd' }, ...label },
    {},
  ),
  kind(
    'storage.k8s.io/v1',
    'CSIStorageCapacity',
    'csistoragecapacities',
    { storageClassName: 'c' },
    {
      storageClassName: 'c',
      capacity: '1024Mi',
      nodeTopology: { matchLabels: { a: 'b' } },
    },
    { namespaced: true, change: { capacity: '2Gi' } },
  ),
  kind(
    'apps/v1',
    'ControllerRevision',
    'controllerrevisions',
    { revision: 1 },
    {
      revision: 2,
      data: { spec: { template: template() } },
    },
    { namespaced: true, change: { revision: 3 } },
  ),
  kind(
    'autoscaling/v1',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    {
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
    },
    {
      spec: {
        minReplicas: 2,
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 50,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      },
    },
    {
      namespaced: true,
      change: { spec: { maxReplicas: 4 } },
      status: { currentReplicas: 1, desiredReplicas: 0 },
    },
  ),
  kind(
    flowcontrol,
    'PriorityLevelConfiguration',
    'prioritylevelconfigurations',
    { spec: queue },
    { spec: queue },
    {
      change: { spec: { limited: { nominalConcurrencyShares: 4 } } },
      status: conditions,
    },
  ),
  kind(
    migration,
    'StorageVersionMigration',
    'storageversionmigrations',
    {
      spec: { resource: { group: 'none.example', resource: 'nones' } },
    },
    { spec: { resource: { resource: 'nones' } } },
    { status: { ...conditions, resourceVersion: '7' } },
  ),
];

const sharedKinds: readonly ServedKind[] = [...coreKinds, ...appsKinds, ...batchKinds, ...policyKinds].map((one) => {
  const status = statuses[`${one.apiVersion}/${one.plural}`];
  const named = one.kind === 'CSIDriver' ? (word: string) => `${word}.example` : undefined;
  return { ...one, ...(status ? { status } : {}), ...(named ? { named } : {}) };
});

const seen = new Set(sharedKinds.map(({ apiVersion, plural }) => `${apiVersion}/${plural}`));

/**
 * The kinds that a default server stores. Definitions of custom kinds, API services and flow schemas are not among them: what the
 * server itself writes into their status comes at a time of its own.
 */
export const everyKind: readonly ServedKind[] = [
  ...sharedKinds,
  ...[...otherKinds, ...admissionKinds, ...deviceKinds].filter(
    ({ apiVersion, plural }) => !seen.has(`${apiVersion}/${plural}`),
  ),
];
