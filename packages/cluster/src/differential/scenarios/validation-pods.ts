import { core } from '../build.ts';
import type { Area } from '../types.ts';
import { each, type Mutation, mutations, tries, type Valid, without } from './mutations.ts';

const pod: Valid = {
  apiVersion: 'v1',
  kind: 'Pod',
  path: core('pods'),
  body: { spec: { containers: [{ name: 'm', image: 'i' }], automountServiceAccountToken: false } },
};

/** One volume of each source, as `spec.volumes`. */
const volume = (source: Readonly<Record<string, unknown>>): Mutation => ({
  'spec.volumes': [{ name: 'v', ...source }],
});
const inContainer = (...mutations: readonly Mutation[]): Mutation[] =>
  mutations.map((mutation) =>
    Object.fromEntries(Object.entries(mutation).map(([path, value]) => [`spec.containers.0.${path}`, value])),
  );
const projected = (...sources: readonly unknown[]) => volume({ projected: { sources } });
const term = (expression: unknown) => ({ matchExpressions: [expression] });
const nodeAffinity = (value: unknown): Mutation => ({ 'spec.affinity.nodeAffinity': value });
const podTerm = { topologyKey: 'zone', labelSelector: { matchLabels: { a: 'b' } } };
const init = (more: object): Mutation => ({ 'spec.initContainers': [{ name: 'i', image: 'i', ...more }] });
const ephemeral = (more: object): Mutation => ({
  'spec.volumes': [
    {
      name: 'v',
      ephemeral: {
        volumeClaimTemplate: {
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
        },
      },
    },
  ],
});

const volumes: readonly Mutation[] = [
  volume({ name: '' }),
  volume({ name: 'Bad_Name' }),
  volume({ name: undefined, emptyDir: {} }),
  volume({ emptyDir: { sizeLimit: '-1' } }),
  volume({ emptyDir: { medium: 'HugePages' } }),
  volume({ emptyDir: { medium: 'Nonsense' } }),
  volume({ hostPath: {} }),
  volume({ hostPath: { path: '/a/../b' } }),
  volume({ hostPath: { path: '/a', type: 'Nonsense' } }),
  volume({ gitRepo: { repository: '' } }),
  volume({ gitRepo: { repository: 'r', directory: '/abs' } }),
  volume({ gcePersistentDisk: { pdName: '' } }),
  volume({ gcePersistentDisk: { pdName: 'd', partition: 300 } }),
  volume({ awsElasticBlockStore: { volumeID: '' } }),
  volume({ awsElasticBlockStore: { volumeID: 'x', partition: -1 } }),
  volume({ secret: {} }),
  volume({ secret: { secretName: 's', defaultMode: 1000 } }),
  volume({ secret: { secretName: 's', items: [{ key: '', path: '' }] } }),
  volume({ secret: { secretName: 's', items: [{ key: 'k', path: '/a' }] } }),
  volume({ secret: { secretName: 's', items: [{ key: 'k', path: '../a', mode: -1 }] } }),
  volume({ secret: { secretName: 's', items: [{ key: 'k', path: '..a' }] } }),
  volume({ configMap: {} }),
  volume({ configMap: { name: 'c', defaultMode: -1 } }),
  volume({ nfs: { server: '', path: '' } }),
  volume({ nfs: { server: 's', path: 'relative' } }),
  volume({ iscsi: { targetPortal: '', iqn: '', lun: 0 } }),
  volume({ iscsi: { targetPortal: 'p', iqn: 'nonsense', lun: 300 } }),
  volume({ iscsi: { targetPortal: 'p', iqn: 'iqn.2015-02.example.com:x', lun: 0, chapAuthSession: true } }),
  volume({ iscsi: { targetPortal: 'p', iqn: 'eui.nonsense', lun: 0, initiatorName: 'x' } }),
  volume({ glusterfs: { endpoints: '', path: '' } }),
  volume({ persistentVolumeClaim: { claimName: '' } }),
  volume({ rbd: { monitors: [], image: '' } }),
  volume({ cephfs: { monitors: [] } }),
  volume({ cinder: { volumeID: '' } }),
  volume({ cinder: { volumeID: 'x', secretRef: {} } }),
  volume({ flexVolume: { driver: '' } }),
  volume({ flexVolume: { driver: 'a', options: { 'kubernetes.io/x': 'y' } } }),
  volume({ flocker: {} }),
  volume({ flocker: { datasetName: 'a/b', datasetUUID: 'x' } }),
  volume({ downwardAPI: { items: [{ path: '' }] } }),
  volume({ downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'spec.nodeName' } }] } }),
  volume({ downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: "metadata.labels['x y']" } }] } }),
  volume({ downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: '' } }] } }),
  volume({
    downwardAPI: {
      items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.name' }, resourceFieldRef: { resource: 'limits.cpu' } }],
    },
  }),
  volume({ downwardAPI: { items: [{ path: 'p', resourceFieldRef: { resource: 'limits.cpu' } }] } }),
  volume({ downwardAPI: { items: [{ path: 'p', resourceFieldRef: { resource: 'x', containerName: 'm' } }] } }),
  volume({
    downwardAPI: {
      items: [{ path: 'p', resourceFieldRef: { resource: 'limits.cpu', containerName: 'm', divisor: '3' } }],
    },
  }),
  volume({ downwardAPI: { items: [{ path: 'p', mode: 1024, fieldRef: { fieldPath: 'metadata.name' } }] } }),
  volume({ fc: {} }),
  volume({ fc: { targetWWNs: ['a'], wwids: ['b'] } }),
  volume({ fc: { targetWWNs: ['a'], lun: 256 } }),
  volume({ fc: { targetWWNs: ['a'] } }),
  volume({ azureFile: { secretName: '', shareName: '' } }),
  volume({ azureDisk: { diskName: '', diskURI: '' } }),
  volume({ azureDisk: { diskName: 'd', diskURI: 'nonsense', cachingMode: 'x' } }),
  volume({ azureDisk: { diskName: 'd', diskURI: 'https://x', kind: 'Managed' } }),
  volume({ quobyte: { registry: '', volume: '' } }),
  volume({ quobyte: { registry: 'a', volume: 'v' } }),
  volume({ vsphereVolume: { volumePath: '' } }),
  volume({ photonPersistentDisk: { pdID: '' } }),
  volume({ portworxVolume: { volumeID: '' } }),
  volume({ scaleIO: { gateway: '', system: '', volumeName: '', secretRef: null } }),
  volume({ storageos: {} }),
  volume({ storageos: { volumeName: 'Bad_', secretRef: {} } }),
  volume({ csi: { driver: '' } }),
  volume({ csi: { driver: 'Bad Driver' } }),
  volume({ csi: { driver: 'd.example', nodePublishSecretRef: {} } }),
  volume({ image: { reference: '' } }),
  volume({ image: { reference: 'i', pullPolicy: 'x' } }),
  volume({ ephemeral: {} }),
  ephemeral({ accessModes: [] }),
  ephemeral({ resources: {} }),
  ephemeral({ storageClassName: 'Bad_' }),
  projected({}),
  projected(),
  projected({ secret: {} }),
  projected(
    { secret: { name: 's', items: [{ key: 'a', path: 'p' }] } },
    { configMap: { name: 'c', items: [{ key: 'a', path: 'p' }] } },
  ),
  projected({ serviceAccountToken: { path: '', expirationSeconds: 5 } }),
  projected({ serviceAccountToken: { path: 't', expirationSeconds: 4294967297 } }),
  projected({ serviceAccountToken: { path: '/t' } }),
  projected({ configMap: { name: 'c' }, secret: { name: 's' } }),
  projected({ downwardAPI: { items: [{ path: 'p' }] } }),
  ...[3599, 7862401].map((maxExpirationSeconds) =>
    projected({
      podCertificate: { signerName: 'a.b/c', keyType: 'ED25519', keyPath: 'k', maxExpirationSeconds },
    }),
  ),
  projected({ clusterTrustBundle: { path: 'p' } }),
  projected({ clusterTrustBundle: { path: 'p', name: 'n', signerName: 's/x' } }),
  {
    'spec.volumes': [
      { name: 'v', emptyDir: {} },
      { name: 'w', nfs: {} },
      { name: 'v', emptyDir: {} },
    ],
  },
];

const mounts: readonly Mutation[] = [
  { 'spec.volumes': [{ name: 'v', emptyDir: {} }] },
  ...inContainer(
    { volumeMounts: [{ name: '', mountPath: '' }] },
    {
      volumeMounts: [
        { name: 'v', mountPath: '/a' },
        { name: 'v', mountPath: '/a' },
      ],
    },
    { volumeMounts: [{ name: 'v', mountPath: '/a', subPath: '/abs' }] },
    { volumeMounts: [{ name: 'v', mountPath: '/a', subPath: '../x' }] },
    { volumeMounts: [{ name: 'v', mountPath: '/a', subPath: 'a', subPathExpr: 'b' }] },
    { volumeMounts: [{ name: 'v', mountPath: '/a', subPathExpr: '/b' }] },
    { volumeMounts: [{ name: 'v', mountPath: '/a', mountPropagation: 'Nonsense' }] },
    { volumeMounts: [{ name: 'v', mountPath: '/a', mountPropagation: 'Bidirectional' }] },
    { volumeMounts: [{ name: 'v', mountPath: '/a', recursiveReadOnly: 'Enabled' }] },
    { volumeMounts: [{ name: 'v', mountPath: '/a', readOnly: true, recursiveReadOnly: 'Nonsense' }] },
    { volumeMounts: [{ name: 'v', mountPath: '/a:b' }] },
    { volumeDevices: [{ name: '', devicePath: '' }] },
    { volumeDevices: [{ name: 'v', devicePath: '/dev/x' }] },
    { volumeDevices: [{ name: 'v', devicePath: '/dev/../x' }] },
  ).map((mutation): Mutation => ({ 'spec.volumes': [{ name: 'v', emptyDir: {} }], ...mutation })),
  {
    'spec.volumes': [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
    'spec.containers.0.volumeDevices': [
      { name: 'v', devicePath: '/d' },
      { name: 'v', devicePath: '/d' },
    ],
    'spec.containers.0.volumeMounts': [{ name: 'v', mountPath: '/d' }],
  },
];

const env = (...entries: readonly unknown[]): Mutation => ({ env: entries });
const from = (valueFrom: unknown): Mutation => env({ name: 'A', valueFrom });

const containers: readonly Mutation[] = inContainer(
  ...each('name', undefined, '', 'Bad_Name', 'a.b', 'a'.repeat(64)),
  ...each('image', undefined, '', ' padded '),
  ...each('imagePullPolicy', 'Often', ''),
  ...each('terminationMessagePolicy', 'x'),
  ...each('restartPolicy', 'Always', 'x'),
  { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'x' }] },
  { resizePolicy: [{ resourceName: 'disk', restartPolicy: 'NotRequired' }] },
  {
    resizePolicy: [
      { resourceName: 'cpu', restartPolicy: 'NotRequired' },
      { resourceName: 'cpu', restartPolicy: 'NotRequired' },
    ],
  },
  { ports: [{ containerPort: -1 }] },
  { ports: [{ containerPort: 80, hostPort: 70000 }] },
  { ports: [{ containerPort: 80, hostIP: 'x' }] },
  { ports: [{ containerPort: 80, name: 'Bad_' }] },
  {
    ports: [
      { containerPort: 80, name: 'a' },
      { containerPort: 81, name: 'a' },
    ],
  },
  {
    ports: [
      { containerPort: 80, hostPort: 80 },
      { containerPort: 81, hostPort: 80 },
    ],
  },
  { ports: [{ containerPort: 80 }, { containerPort: 80 }] },
  env({ name: '=' }),
  env({ name: 'a b' }),
  env({ name: 'A' }, { name: 'A' }),
  env({ value: 'x' }),
  from({}),
  from({ fieldRef: { fieldPath: '' } }),
  from({ fieldRef: { fieldPath: 'metadata.labels' } }),
  from({ fieldRef: { fieldPath: "metadata.labels['a']" } }),
  from({ fieldRef: { fieldPath: "metadata.labels['a b']" } }),
  from({ fieldRef: { fieldPath: "metadata.annotations['A B']" } }),
  from({ fieldRef: { fieldPath: "status['a']" } }),
  from({ fieldRef: { fieldPath: 'status.podIPs' } }),
  from({ fieldRef: { apiVersion: 'v2', fieldPath: 'metadata.name' } }),
  from({ resourceFieldRef: { resource: '' } }),
  from({ resourceFieldRef: { resource: 'limits.nonsense' } }),
  from({ resourceFieldRef: { resource: 'limits.cpu', divisor: '5' } }),
  from({ resourceFieldRef: { resource: 'limits.memory', divisor: '1m' } }),
  from({ resourceFieldRef: { resource: 'requests.ephemeral-storage', divisor: '1Mi' } }),
  from({ resourceFieldRef: { resource: 'limits.hugepages-2Mi' } }),
  from({ configMapKeyRef: { name: '', key: '' } }),
  from({ configMapKeyRef: { name: 'Bad_', key: 'bad key' } }),
  from({ secretKeyRef: { name: 's' } }),
  from({ secretKeyRef: { name: 's', key: 'k' }, configMapKeyRef: { name: 's', key: 'k' } }),
  from({ fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' } }),
  { envFrom: [{}] },
  { envFrom: [{ configMapRef: { name: '' } }] },
  { envFrom: [{ configMapRef: { name: 'Bad_' } }] },
  { envFrom: [{ secretRef: { name: 's' }, configMapRef: { name: 'c' } }] },
  { envFrom: [{ prefix: 'a=', secretRef: { name: 's' } }] },
  ...each(
    'resources.limits',
    { cpu: '0.0001' },
    { memory: '1.5' },
    { 'ephemeral-storage': '-1' },
    { 'hugepages-2Mi': '1Mi' },
    { 'example.com/x': '1.5' },
    { 'Bad Name!': '1' },
    { 'kubernetes.io/x': '1' },
    { storage: '1' },
    { 'requests.cpu': '1' },
    { 'hugepages-2Mi': '2Mi' },
  ),
  ...each(
    'resources.requests',
    { cpu: '-1' },
    { 'example.com/x': '1' },
    { 'hugepages-2Mi': '2Mi', cpu: '1' },
    { memory: '1500m' },
  ),
  ...each('resources.claims', [{ name: '' }], [{ name: 'a' }], [{ name: 'Bad_' }]),
  { 'resources.limits': { 'example.com/x': '2' }, 'resources.requests': { 'example.com/x': '1' } },
  { 'resources.limits': { memory: '1Gi' }, 'resources.requests': { memory: '2Gi' } },
);

const probe = (more: object): Mutation[] => inContainer({ livenessProbe: { httpGet: { port: 80 }, ...more } });
const probes: readonly Mutation[] = [
  ...probe({ timeoutSeconds: -1 }),
  ...probe({ initialDelaySeconds: -1, periodSeconds: -1, failureThreshold: -1 }),
  ...probe({ terminationGracePeriodSeconds: 0 }),
  ...probe({ terminationGracePeriodSeconds: -1 }),
  ...probe({ httpGet: {} }),
  ...probe({ httpGet: { port: 'Bad Port' } }),
  ...probe({ httpGet: { port: 80, scheme: 'FTP' } }),
  ...probe({ httpGet: { port: 80, host: 'a b' } }),
  ...probe({
    httpGet: {
      port: 80,
      httpHeaders: [
        { name: 'a b', value: 'x' },
        { name: '', value: 'x' },
      ],
    },
  }),
  ...probe({ tcpSocket: { port: 80 } }),
  ...inContainer(
    { livenessProbe: { exec: {} } },
    { livenessProbe: { exec: { command: [] } } },
    { livenessProbe: { tcpSocket: { port: 70000 } } },
    { livenessProbe: { grpc: { port: 0 } } },
    { livenessProbe: { grpc: { port: 80, service: '' } } },
    { readinessProbe: { httpGet: { port: 80 }, terminationGracePeriodSeconds: 5 } },
    { readinessProbe: { httpGet: { port: 80 }, successThreshold: -1 } },
    { startupProbe: { httpGet: { port: 80 }, successThreshold: 3 } },
    { 'lifecycle.postStart': { exec: {} } },
    { 'lifecycle.postStart': { sleep: { seconds: -1 } } },
    { 'lifecycle.preStop': { sleep: { seconds: 100 } } },
    { 'lifecycle.preStop': { httpGet: { port: 0, path: '' } } },
    { 'lifecycle.preStop': { exec: { command: ['a'] }, tcpSocket: { port: 1 } } },
    { 'lifecycle.stopSignal': 'SIGTERM' },
    { 'lifecycle.stopSignal': 'NONSENSE' },
  ),
];

const security: readonly Mutation[] = [
  ...each('spec.securityContext.runAsUser', -1, 4294967296),
  ...each('spec.securityContext.runAsGroup', -1),
  ...each('spec.securityContext.fsGroup', -1),
  ...each('spec.securityContext.supplementalGroups', [-1, 1]),
  ...each('spec.securityContext.supplementalGroupsPolicy', 'x'),
  ...each('spec.securityContext.fsGroupChangePolicy', 'x'),
  ...each(
    'spec.securityContext.sysctls',
    [{ name: '', value: '' }],
    [{ name: 'Bad!', value: '1' }],
    [
      { name: 'a.b', value: '1' },
      { name: 'a/b', value: '1' },
    ],
  ),
  ...each(
    'spec.securityContext.seccompProfile',
    { type: 'x' },
    { type: '' },
    { type: 'Localhost' },
    { type: 'RuntimeDefault', localhostProfile: 'a' },
    { type: 'Localhost', localhostProfile: '/a' },
  ),
  ...each(
    'spec.securityContext.appArmorProfile',
    { type: 'x' },
    { type: 'Localhost' },
    { type: 'RuntimeDefault', localhostProfile: 'a' },
    { type: 'Localhost', localhostProfile: ' ' },
  ),
  ...each(
    'spec.securityContext.windowsOptions',
    { gmsaCredentialSpecName: 'Bad_' },
    { gmsaCredentialSpec: '' },
    { runAsUserName: '' },
    { hostProcess: true },
  ),
  ...each('spec.securityContext.seLinuxChangePolicy', 'x'),
  ...inContainer(
    ...each('securityContext.runAsUser', -5),
    ...each('securityContext.runAsGroup', -5),
    ...each('securityContext.procMount', 'x', 'Unmasked'),
    ...each('securityContext.capabilities', { add: ['NET_ADMIN'] }),
    ...each('securityContext.seccompProfile', { type: 'Localhost' }),
    ...each('securityContext.appArmorProfile', { type: 'x' }),
    ...each('securityContext.windowsOptions', { hostProcess: true }, { runAsUserName: 'a/b' }),
    { securityContext: { allowPrivilegeEscalation: false, privileged: true } },
    { securityContext: { allowPrivilegeEscalation: false, capabilities: { add: ['SYS_ADMIN'] } } },
    { securityContext: { allowPrivilegeEscalation: false, capabilities: { add: ['CAP_SYS_ADMIN'] } } },
  ),
  { 'spec.hostNetwork': true, 'spec.containers.0.ports': [{ containerPort: 80, hostPort: 81 }] },
  { 'spec.hostPID': true, 'spec.shareProcessNamespace': true },
  { 'spec.hostUsers': false, 'spec.hostNetwork': true },
  { 'spec.hostUsers': false, 'spec.hostPID': true },
];

const node = (nodeSelectorTerms: unknown) =>
  nodeAffinity({ requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } });
const preferredNode = (entry: unknown) => nodeAffinity({ preferredDuringSchedulingIgnoredDuringExecution: [entry] });
const podAffinity = (entry: object): Mutation => ({
  'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution': [{ ...podTerm, ...entry }],
});
const spread = (more: object): Mutation => ({
  'spec.topologySpreadConstraints': [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', ...more }],
});
const toleration = (...tolerations: readonly unknown[]): Mutation => ({ 'spec.tolerations': tolerations });

const scheduling: readonly Mutation[] = [
  node([]),
  node([{}]),
  node([term({ key: 'a', operator: 'In' })]),
  node([term({ key: 'a', operator: 'Exists', values: ['b'] })]),
  node([term({ key: 'a', operator: 'Gt', values: ['x', 'y'] })]),
  node([term({ key: 'a', operator: 'Gt', values: ['x'] })]),
  node([term({ key: 'bad key', operator: 'Exists' })]),
  node([term({ key: 'a', operator: 'Nonsense' })]),
  node([term({ key: 'a', operator: 'In', values: ['bad value!'] })]),
  node([{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a', 'b'] }] }]),
  node([{ matchFields: [{ key: 'metadata.name', operator: 'Exists' }] }]),
  node([{ matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['a'] }] }]),
  node([{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['Bad_'] }] }]),
  preferredNode({ weight: 0, preference: term({ key: 'a', operator: 'Exists' }) }),
  preferredNode({ weight: 101, preference: {} }),
  podAffinity({ topologyKey: '' }),
  podAffinity({ topologyKey: 'bad key' }),
  podAffinity({ labelSelector: { matchLabels: { 'bad key': 'x' } } }),
  podAffinity({ labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
  podAffinity({ namespaces: ['Bad_'] }),
  podAffinity({ namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'x' }] } }),
  podAffinity({ matchLabelKeys: ['a'] }),
  podAffinity({ matchLabelKeys: ['x'], mismatchLabelKeys: ['x'] }),
  podAffinity({ matchLabelKeys: ['bad key'], labelSelector: undefined }),
  {
    'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution': [
      { weight: 0, podAffinityTerm: { topologyKey: '' } },
    ],
  },
  spread({ maxSkew: 0 }),
  spread({ topologyKey: '' }),
  spread({ whenUnsatisfiable: 'x' }),
  spread({ minDomains: 0 }),
  spread({ minDomains: 2, whenUnsatisfiable: 'ScheduleAnyway' }),
  spread({ nodeAffinityPolicy: 'x', nodeTaintsPolicy: 'y' }),
  spread({ labelSelector: { matchLabels: { 'bad key': 'v' } } }),
  spread({ matchLabelKeys: ['a'] }),
  spread({ matchLabelKeys: ['a'], labelSelector: { matchLabels: { a: 'b' } } }),
  {
    'spec.topologySpreadConstraints': [1, 2].map((maxSkew) => ({
      maxSkew,
      topologyKey: 'z',
      whenUnsatisfiable: 'DoNotSchedule',
    })),
  },
  toleration({ key: 'bad key', operator: 'Exists' }),
  toleration({ operator: 'Equal', value: 'x' }),
  toleration({ key: 'a', operator: 'Exists', value: 'x' }),
  toleration({ key: 'a', effect: 'x' }),
  toleration({ key: 'a', effect: 'NoSchedule', tolerationSeconds: 5 }),
  toleration({ key: 'a', value: 'bad value!' }),
  toleration({ key: 'a', operator: 'Gt', value: '5' }),
  toleration({ key: 'a', operator: 'Gt', value: 'x' }),
];

const whole: readonly Mutation[] = [
  ...each('metadata.name', '', 'Bad_Name', 'a..b', 'a'.repeat(254), 'with.dots', undefined),
  ...each(
    'metadata.labels',
    { 'bad key': 'x' },
    { a: 'bad value!' },
    { 'a/b/c': 'd' },
    { '/a': 'b' },
    { 'A_/b': 'c' },
    { [`${'a'.repeat(64)}`]: 'x' },
    { a: 'x'.repeat(64) },
  ),
  ...each('metadata.annotations', { 'bad key': 'x' }, { 'UPPER/x': 'y' }, { big: 'x'.repeat(300_000) }),
  ...each('metadata.finalizers', ['x'], ['bad one!'], ['a/b', 'orphan']),
  ...each('metadata.generateName', 'Bad_'),
  ...each(
    'metadata.ownerReferences',
    [{ apiVersion: 'v1', kind: 'Pod', name: 'a' }],
    [{ apiVersion: '', kind: '', name: '', uid: '' }],
    [{ apiVersion: 'v1', kind: 'Event', name: 'a', uid: 'u' }],
    ['a', 'b'].map((uid) => ({ apiVersion: 'v1', kind: 'Pod', name: uid, uid, controller: true })),
  ),
  ...each('metadata.namespace', 'elsewhere'),
  ...each('spec', undefined, {}),
  ...each('spec.containers', undefined, [], [{}]),
  ...each('spec.restartPolicy', '', 'x', 'Never'),
  ...each('spec.dnsPolicy', '', 'x', 'None'),
  ...each(
    'spec.dnsConfig',
    { nameservers: ['x'] },
    { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'] },
    { searches: ['Bad_'] },
    { searches: ['.', 'a.b.', '_a.b'] },
    { options: [{}] },
    { options: [{ name: '' }] },
    { searches: Array.from({ length: 33 }, (_, i) => `s${i}`) },
  ),
  ...each('spec.hostAliases', [{ ip: 'x' }], [{ ip: '1.2.3.4', hostnames: ['Bad_'] }], [{ ip: '' }]),
  ...each('spec.hostname', 'Bad_', 'a'.repeat(64)),
  ...each('spec.subdomain', 'Bad_'),
  ...each('spec.hostnameOverride', 'Bad_', 'good'),
  ...each('spec.serviceAccountName', 'Bad_'),
  ...each('spec.nodeName', 'Bad_'),
  ...each('spec.nodeSelector', { a: 'bad value!' }, { 'bad key': 'v' }),
  ...each('spec.imagePullSecrets', [{}], [{ name: '' }], [{ name: 'a' }, { name: 'a' }]),
  ...each('spec.activeDeadlineSeconds', -1, 2147483648),
  ...each('spec.terminationGracePeriodSeconds', -5),
  ...each('spec.readinessGates', [{ conditionType: 'bad one!' }], [{ conditionType: '' }]),
  ...each('spec.schedulingGates', [{ name: 'bad one!' }], [{ name: 'a' }, { name: 'a' }], [{ name: '' }]),
  ...each('spec.runtimeClassName', 'Bad_', 'missing'),
  ...each('spec.priorityClassName', 'Bad_'),
  ...each('spec.preemptionPolicy', 'x', 'Never'),
  ...each('spec.overhead', { cpu: '1' }),
  ...each('spec.os', { name: 'x' }, { name: '' }, { name: 'windows' }, { name: 'linux' }),
  ...each('spec.setHostnameAsFQDN', true),
  ...each(
    'spec.resourceClaims',
    [{ name: 'a' }],
    [{ name: '' }],
    [{ name: 'a', resourceClaimName: 'Bad_' }],
    [{ name: 'a', resourceClaimName: 'x', resourceClaimTemplateName: 'y' }],
  ),
  ...each(
    'spec.resources',
    { limits: { cpu: '1' } },
    { requests: { 'example.com/x': '1' } },
    { claims: [{ name: 'a' }] },
  ),
  ...each('spec.ephemeralContainers', [{ name: 'e', image: 'i' }]),
  { 'spec.hostname': 'h', 'spec.hostNetwork': true, 'spec.hostnameOverride': 'x' },
  {
    'spec.os': { name: 'windows' },
    'spec.hostPID': true,
    'spec.securityContext': { runAsUser: 1, fsGroup: 2 },
    'spec.containers.0.securityContext': { privileged: true, runAsUser: 1 },
  },
  { 'spec.os': { name: 'linux' }, 'spec.securityContext': { windowsOptions: { runAsUserName: 'a' } } },
  init({ name: 'm' }),
  init({ image: '' }),
  init({ lifecycle: { preStop: { exec: { command: ['a'] } } } }),
  init({ livenessProbe: { exec: { command: ['a'] } }, readinessProbe: { exec: { command: ['a'] } } }),
  init({ restartPolicy: 'Always', startupProbe: { exec: {} } }),
  init({ restartPolicy: 'x' }),
  init({ restartPolicy: 'OnFailure' }),
  init({ ports: [{ containerPort: 0 }], env: [{}] }),
  {
    'spec.initContainers': [
      { name: 'i', image: 'i' },
      { name: 'i', image: 'i' },
    ],
  },
];

const full = [{ name: 'm', image: 'i', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: 'b' }] }];
const running: Valid = {
  ...pod,
  body: {
    spec: {
      ...(pod.body['spec'] as object),
      containers: full,
      nodeSelector: { a: 'b' },
      tolerations: [{ key: 'k', operator: 'Exists' }],
      activeDeadlineSeconds: 50,
    },
  },
};
const gated: Valid = {
  ...pod,
  name: 'gated',
  body: { spec: { ...(pod.body['spec'] as object), schedulingGates: [{ name: 'g' }], nodeSelector: { a: 'b' } } },
};

export const validationPods: Area = {
  name: 'validation-pods',
  scenarios: [
    mutations('pod', pod, { create: whole }),
    mutations('volumes', pod, { create: volumes }),
    mutations('mounts', pod, { create: mounts }),
    mutations('containers', pod, { create: containers }),
    mutations('probes and hooks', pod, { create: probes }),
    mutations('security', pod, { create: security }),
    mutations('scheduling', pod, { create: scheduling }),
    mutations('changes', running, {
      update: [
        ...each('spec.containers.0.image', 'j', '', ' x'),
        ...each('spec.containers.0.name', 'other'),
        ...each('spec.containers.0.env', undefined, [{ name: 'A', value: 'c' }]),
        ...each('spec.containers.0.ports.0.containerPort', 81),
        ...each('spec.containers', [], [...full, { name: 'n', image: 'i' }]),
        ...each('spec.initContainers', [{ name: 'i', image: 'i' }]),
        ...each(
          'spec.tolerations',
          [],
          [
            { key: 'k', operator: 'Exists' },
            { key: 'l', operator: 'Exists' },
          ],
          [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3 }],
        ),
        ...each('spec.activeDeadlineSeconds', 40, 60, undefined, -1),
        ...each('spec.terminationGracePeriodSeconds', 1, 20),
        ...each('spec.nodeSelector', undefined, { a: 'c' }),
        ...each('spec.nodeName', 'n1'),
        ...each('spec.hostNetwork', true),
        ...each('spec.restartPolicy', 'Never'),
        ...each('spec.serviceAccountName', 'other'),
        ...each('spec.priority', 5),
        ...each('spec.schedulingGates', [{ name: 'g' }]),
        ...each('spec.securityContext', { runAsUser: 5 }),
        ...each('spec.ephemeralContainers', [{ name: 'e', image: 'i' }]),
        ...each('spec.affinity', { nodeAffinity: {} }),
        ...each('metadata.labels', { a: 'b' }, { 'bad key': 'b' }),
        ...each('metadata.name', 'other'),
        ...each('metadata.finalizers', ['bad one!']),
      ],
      status: [
        ...each('status.phase', 'Nonsense', 'Running'),
        ...each(
          'status.conditions',
          [{ type: 'bad one!', status: 'True' }],
          [{ type: 'Ready', status: 'x' }],
          [
            { type: 'Ready', status: 'True' },
            { type: 'Ready', status: 'True' },
          ],
        ),
        ...each('status.podIPs', [{ ip: 'x' }], [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }]),
        ...each('status.nominatedNodeName', 'Bad_'),
        ...each(
          'status.containerStatuses',
          [{ name: 'm', image: 'i', imageID: '', ready: true, restartCount: -1 }],
          [{ name: 'x', image: 'i', imageID: '', ready: true, restartCount: 0 }],
        ),
        ...each('status.qosClass', 'Guaranteed'),
        ...each('status.hostIP', 'x'),
      ],
    }),
    mutations('changes while gated', gated, {
      update: [
        ...each('spec.schedulingGates', [], [{ name: 'h' }], [{ name: 'g' }, { name: 'h' }]),
        ...each('spec.nodeSelector', undefined, { a: 'b', c: 'd' }, { a: 'c' }),
        ...each('spec.affinity', {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [term({ key: 'a', operator: 'Exists' })],
            },
          },
        }),
        ...each('spec.nodeName', 'n1'),
      ],
    }),
    {
      title: 'templates',
      steps: tries(
        {
          apiVersion: 'v1',
          kind: 'PodTemplate',
          path: core('podtemplates'),
          body: { template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'm', image: 'i' }] } } },
        },
        [
          ...without('template', 'template.spec', 'template.spec.containers'),
          ...each('template.metadata.labels', { 'bad key': 'x' }),
          ...each('template.metadata.annotations', { 'bad key': 'x' }),
          ...each('template.spec.restartPolicy', 'x', 'Never'),
          ...each('template.spec.nodeName', 'Bad_'),
          ...each('template.spec.ephemeralContainers', [{ name: 'e', image: 'i' }]),
          ...each('template.spec.containers.0.image', ' i', ''),
          ...each('template.spec.activeDeadlineSeconds', 0),
        ],
      ),
    },
  ],
};
