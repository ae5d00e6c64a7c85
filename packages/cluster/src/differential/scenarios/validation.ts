import { core, group, mergePatch, object, post, template } from '../build.ts';
import type { Area, Step } from '../types.ts';

/** Nothing is stored, so that each body stands for itself. */
const tried = (path: string, body: unknown): Step => post(`${path}?dryRun=All`, body);

const selector = { matchLabels: { app: 'a' } };
const container = { name: 'm', image: 'i' };
const pod = (spec: object): Step =>
  tried(core('pods'), object('v1', 'Pod', 'p', { spec: { containers: [container], ...spec } }));
const withContainer = (more: object): Step => pod({ containers: [{ ...container, ...more }] });
const service = (spec: object): Step =>
  tried(core('services'), object('v1', 'Service', 's', { spec: { ports: [{ port: 80 }], ...spec } }));
const deployment = (spec: object): Step =>
  post(
    group('apps/v1', 'deployments'),
    object('apps/v1', 'Deployment', 'd', { spec: { selector, template: template(), ...spec } }),
  );
const statefulSet = (spec: object): Step =>
  post(
    group('apps/v1', 'statefulsets'),
    object('apps/v1', 'StatefulSet', 's', { spec: { selector, serviceName: 's', template: template(), ...spec } }),
  );
const job = (spec: object): Step =>
  post(
    group('batch/v1', 'jobs'),
    object('batch/v1', 'Job', 'j', {
      spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } }, ...spec },
    }),
  );
const cronJob = (spec: object): Step =>
  post(
    group('batch/v1', 'cronjobs'),
    object('batch/v1', 'CronJob', 'c', {
      spec: {
        schedule: '* * * * *',
        jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
        ...spec,
      },
    }),
  );
const claim = (spec: object): Step =>
  post(
    core('persistentvolumeclaims'),
    object('v1', 'PersistentVolumeClaim', 'c', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    }),
  );
const budget = (spec: object): Step =>
  tried(group('policy/v1', 'poddisruptionbudgets'), object('policy/v1', 'PodDisruptionBudget', 'b', { spec }));
const slice = (more: Readonly<Record<string, unknown>>): Step =>
  post(
    group('discovery.k8s.io/v1', 'endpointslices'),
    object('discovery.k8s.io/v1', 'EndpointSlice', 'e', { addressType: 'IPv4', endpoints: [], ...more }),
  );
const lease = (spec: object): Step =>
  tried(group('coordination.k8s.io/v1', 'leases'), object('coordination.k8s.io/v1', 'Lease', 'l', { spec }));
const rbac = (plural: string, kind: string, more: Readonly<Record<string, unknown>>): Step =>
  tried(group('rbac.authorization.k8s.io/v1', plural), object('rbac.authorization.k8s.io/v1', kind, 'r', more));

/** Bodies that the kinds refuse, and the words in which they do. */
export const validation: Area = {
  name: 'validation',
  scenarios: [
    {
      title: 'pods',
      steps: [
        tried(core('pods'), object('v1', 'Pod', 'p')),
        pod({ containers: [] }),
        pod({ containers: [container, container] }),
        pod({ restartPolicy: 'Sometimes' }),
        pod({ dnsPolicy: 'Nonsense' }),
        pod({ volumes: [{ name: 'v' }, { name: 'v', emptyDir: {} }] }),
        pod({ volumes: [{ name: 'v', emptyDir: {}, secret: { secretName: 's' } }] }),
        pod({ nodeSelector: { 'bad key!': 'x' } }),
        pod({ activeDeadlineSeconds: 0 }),
        pod({ terminationGracePeriodSeconds: -1 }),
        pod({ hostname: 'Bad_Host' }),
        pod({ tolerations: [{ operator: 'Nonsense' }] }),
        pod({ serviceAccountName: 'missing' }),
        pod({ priorityClassName: 'missing' }),
        pod({ priority: 5 }),
        pod({ overhead: { cpu: '1' } }),
        withContainer({ name: 'Bad_Name' }),
        withContainer({ image: '' }),
        withContainer({ imagePullPolicy: 'Often' }),
        withContainer({ ports: [{ containerPort: 0 }] }),
        withContainer({ ports: [{ containerPort: 70000 }] }),
        withContainer({ ports: [{ containerPort: 80, protocol: 'ICMP' }] }),
        withContainer({ ports: [{ containerPort: 80, name: 'far-too-long-port-name' }] }),
        withContainer({ env: [{ name: '' }] }),
        withContainer({ env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
        withContainer({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.nope' } } }] }),
        withContainer({ resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } }),
        withContainer({ resources: { limits: { cpu: '-1' } } }),
        withContainer({ resources: { limits: { cpu: 'lots' } } }),
        withContainer({ resources: { limits: { nonsense: '1' } } }),
        withContainer({ volumeMounts: [{ name: 'missing', mountPath: '/x' }] }),
        withContainer({ livenessProbe: {} }),
        withContainer({ livenessProbe: { httpGet: { port: 80 }, successThreshold: 2 } }),
        withContainer({ livenessProbe: { httpGet: { port: 0 }, exec: { command: ['x'] } } }),
        withContainer({ lifecycle: { preStop: {} } }),
        withContainer({ terminationMessagePolicy: 'Nonsense' }),
        withContainer({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
        withContainer({ command: 'not a list' }),
      ],
    },
    {
      title: 'services',
      steps: [
        service({ ports: [] }),
        service({ ports: [{ port: 0 }] }),
        service({ ports: [{ port: 80 }, { port: 81 }] }),
        service({
          ports: [
            { name: 'a', port: 80 },
            { name: 'a', port: 81 },
          ],
        }),
        service({
          ports: [
            { name: 'a', port: 80 },
            { name: 'b', port: 80 },
          ],
        }),
        service({ ports: [{ port: 80, targetPort: 'Bad Port' }] }),
        service({ ports: [{ port: 80, nodePort: 30001 }] }),
        service({ type: 'Nonsense' }),
        service({ type: 'ExternalName' }),
        service({ clusterIP: 'x' }),
        service({ clusterIP: '1.2.3.4' }),
        service({ clusterIP: 'None', type: 'NodePort' }),
        service({ type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] }),
        service({ sessionAffinity: 'Nonsense' }),
        service({ ipFamilies: ['IPv6'] }),
        service({ ipFamilyPolicy: 'RequireDualStack' }),
        service({ externalTrafficPolicy: 'Local' }),
        service({ selector: { 'bad key!': 'x' } }),
        service({ loadBalancerIP: '1.2.3.4' }),
        tried(core('services'), object('v1', 'Service', '1starts-with-digit', { spec: { ports: [{ port: 80 }] } })),
        tried(core('services'), object('v1', 'Service', '-bad-', { spec: { ports: [{ port: 80 }] } })),
      ],
    },
    {
      title: 'workloads',
      steps: [
        tried(group('apps/v1', 'deployments'), object('apps/v1', 'Deployment', 'd')),
        deployment({ selector: undefined }),
        deployment({ selector: {} }),
        deployment({ selector: { matchLabels: { app: 'b' } } }),
        deployment({ selector: { matchExpressions: [{ key: 'a', operator: 'Nonsense' }] } }),
        deployment({ replicas: -1 }),
        deployment({ strategy: { type: 'Nonsense' } }),
        deployment({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
        deployment({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 'x%' } } }),
        deployment({ strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }),
        deployment({ progressDeadlineSeconds: 5, minReadySeconds: 6 }),
        deployment({ revisionHistoryLimit: -1 }),
        deployment({
          template: { metadata: { labels: { app: 'a' } }, spec: { restartPolicy: 'Never', containers: [container] } },
        }),
        deployment({ template: { metadata: { labels: { app: 'a' } } } }),
        deployment({ replicas: 'two' }),
        statefulSet({ podManagementPolicy: 'Nonsense' }),
        statefulSet({ updateStrategy: { type: 'Nonsense' } }),
        statefulSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: -1 } } }),
        statefulSet({ serviceName: 'Bad_Name' }),
        statefulSet({ ordinals: { start: -1 } }),
        statefulSet({ replicas: -2, minReadySeconds: -1 }),
        statefulSet({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'x', whenScaled: 'Retain' } }),
        job({ completions: -1 }),
        job({ completionMode: 'Nonsense' }),
        job({ backoffLimit: -1, parallelism: -1 }),
        job({ template: { spec: { containers: [container] } } }),
        job({ selector }),
        job({ manualSelector: true }),
        job({ ttlSecondsAfterFinished: -5 }),
        cronJob({ schedule: 'nonsense' }),
        cronJob({ schedule: '' }),
        cronJob({ timeZone: 'Mars/Olympus' }),
        cronJob({ concurrencyPolicy: 'Nonsense' }),
        cronJob({ schedule: 'TZ=UTC * * * * *' }),
        cronJob({ startingDeadlineSeconds: -1 }),
      ],
    },
    {
      title: 'the rest',
      steps: [
        claim({ accessModes: [] }),
        claim({ accessModes: ['Nonsense'] }),
        claim({ resources: {} }),
        claim({ resources: { requests: { storage: '0' } } }),
        claim({ volumeMode: 'Nonsense' }),
        budget({ minAvailable: 1, maxUnavailable: 1 }),
        budget({ minAvailable: -1 }),
        budget({ minAvailable: '200%' }),
        budget({ minAvailable: 'x' }),
        budget({ unhealthyPodEvictionPolicy: 'x' }),
        slice({ addressType: 'x' }),
        slice({ addressType: undefined }),
        slice({ endpoints: [{ addresses: [] }] }),
        slice({ endpoints: [{ addresses: ['x'] }] }),
        slice({ ports: [{ port: 0 }, { name: 'BAD', port: 1 }] }),
        lease({ leaseDurationSeconds: 0 }),
        lease({ leaseTransitions: -1 }),
        lease({ renewTime: '2026-01-01T00:00:00.5Z' }),
        lease({ strategy: 'x' }),
        rbac('roles', 'Role', { rules: [{ verbs: [] }] }),
        rbac('roles', 'Role', { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }),
        rbac('rolebindings', 'RoleBinding', { roleRef: { kind: 'Pod', name: 'x' } }),
        rbac('rolebindings', 'RoleBinding', { roleRef: { kind: 'Role', name: '' } }),
        rbac('rolebindings', 'RoleBinding', {
          roleRef: { kind: 'Role', name: 'r' },
          subjects: [{ kind: 'Robot', name: 'x' }],
        }),
        rbac('rolebindings', 'RoleBinding', {
          roleRef: { kind: 'Role', name: 'r' },
          subjects: [{ kind: 'ServiceAccount', name: 'x' }],
        }),
        tried('/apis/storage.k8s.io/v1/storageclasses', object('storage.k8s.io/v1', 'StorageClass', 'x')),
        post(
          '/apis/storage.k8s.io/v1/storageclasses',
          object('storage.k8s.io/v1', 'StorageClass', 'x', {
            provisioner: 'p',
            reclaimPolicy: 'x',
            volumeBindingMode: 'y',
          }),
        ),
        post(
          '/apis/scheduling.k8s.io/v1/priorityclasses',
          object('scheduling.k8s.io/v1', 'PriorityClass', 'system-x', { value: 2_000_000_000 }),
        ),
        tried(core('secrets'), object('v1', 'Secret', 's', { type: 'kubernetes.io/tls', data: {} })),
        post(
          core('secrets'),
          object('v1', 'Secret', 's', {
            type: 'kubernetes.io/dockerconfigjson',
            data: { '.dockerconfigjson': 'eA==' },
          }),
        ),
        tried(core('secrets'), object('v1', 'Secret', 's', { type: 'kubernetes.io/service-account-token' })),
        tried(core('secrets'), object('v1', 'Secret', 's', { data: { 'bad key!': 'eA==' } })),
        tried(core('events'), object('v1', 'Event', 'e', { involvedObject: { kind: 'Pod', namespace: 'elsewhere' } })),
        post(
          group('events.k8s.io/v1', 'events'),
          object('events.k8s.io/v1', 'Event', 'e', { regarding: { namespace: '{ns}' } }),
        ),
        tried('/api/v1/nodes', object('v1', 'Node', 'bad', { spec: { taints: [{ key: 'a', effect: 'x' }] } })),
        tried('/api/v1/persistentvolumes', object('v1', 'PersistentVolume', 'x', { spec: {} })),
        post(
          core('endpoints'),
          object('v1', 'Endpoints', 'e', { subsets: [{ addresses: [{ ip: 'x' }], ports: [{ port: 0 }] }] }),
        ),
        post(
          core('resourcequotas'),
          object('v1', 'ResourceQuota', 'q', { spec: { hard: { cpu: '-1' }, scopes: ['x'] } }),
        ),
        post(
          core('limitranges'),
          object('v1', 'LimitRange', 'l', {
            spec: { limits: [{ type: 'Container', max: { cpu: '1' }, min: { cpu: '2' } }] },
          }),
        ),
        mergePatch('/api/v1/namespaces/{ns}', { spec: { finalizers: ['x'] } }),
      ],
    },
  ],
};
