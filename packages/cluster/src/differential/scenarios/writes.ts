import { configMap, core, del, get, group, jsonPatch, mergePatch, object, post, put, template } from '../build.ts';
import type { Area } from '../types.ts';

const cms = core('configmaps');
const pods = core('pods');
const deployments = group('apps/v1', 'deployments');
const jobs = group('batch/v1', 'jobs');
const selector = { matchLabels: { app: 'a' } };
const deployment = (name = 'd', spec: object = {}) =>
  object('apps/v1', 'Deployment', name, { spec: { selector, template: template(), ...spec } });
const pod = (name: string, more: Readonly<Record<string, unknown>> = {}) =>
  object('v1', 'Pod', name, { spec: { containers: [{ name: 'm', image: 'i' }] }, ...more });
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: '{uid}' };
const statefulSet = (spec: object = {}) =>
  object('apps/v1', 'StatefulSet', 's', { spec: { selector, serviceName: 's', template: template(), ...spec } });
const job = (spec: object = {}) =>
  object('batch/v1', 'Job', 'j', {
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'm', image: 'i' }] } }, ...spec },
  });

/** Generations, finalizers, owners, subresources and what may not change. */
export const writes: Area = {
  name: 'writes',
  scenarios: [
    {
      title: 'generation and no change',
      steps: [
        post(
          deployments,
          {
            ...deployment(),
            metadata: { name: 'd', generation: 9, uid: 'x', creationTimestamp: '2000-01-01T00:00:00Z' },
          },
          { save: { d: '' } },
        ),
        mergePatch(`${deployments}/d`, { metadata: { labels: { a: 'b' } } }),
        mergePatch(`${deployments}/d`, { spec: { replicas: 2 } }),
        mergePatch(`${deployments}/d`, { spec: { replicas: 2 } }),
        mergePatch(`${deployments}/d/status`, { status: { replicas: 1, observedGeneration: 2 } }),
        mergePatch(`${deployments}/d/status`, { spec: { replicas: 7 } }),
        put(`${deployments}/d`, {}, { base: 'd' }),
        put(`${deployments}/d`, { metadata: { resourceVersion: null, generation: 100 } }, { base: 'd' }),
        post(pods, pod('p')),
        mergePatch(`${pods}/p`, { spec: { containers: [{ name: 'm', image: 'other' }] } }),
        mergePatch(`${pods}/p`, { spec: { activeDeadlineSeconds: 5 } }),
      ],
    },
    {
      title: 'labels at the status of a deployment',
      steps: [
        post(deployments, deployment()),
        mergePatch(`${deployments}/d/status`, { metadata: { labels: { c: 'd' } } }),
      ],
    },
    {
      title: 'finalizers',
      steps: [
        post(cms, configMap('a', { metadata: { finalizers: ['d.example/one', 'd.example/two'] } })),
        del(`${cms}/a`),
        del(`${cms}/a`),
        mergePatch(`${cms}/a`, { metadata: { finalizers: ['d.example/one', 'd.example/three'] } }),
        mergePatch(`${cms}/a`, { metadata: { finalizers: ['d.example/two'] }, data: { still: 'changes' } }),
        post(cms, configMap('a')),
        jsonPatch(`${cms}/a`, [{ op: 'remove', path: '/metadata/deletionTimestamp' }]),
        mergePatch(`${cms}/a`, { metadata: { finalizers: [] } }),
        get(`${cms}/a`),
        post(deployments, deployment()),
        del(`${deployments}/d`, { propagationPolicy: 'Foreground' }),
        del(`${deployments}/d`, { propagationPolicy: 'Orphan' }),
        get(`${deployments}/d`),
        mergePatch(`${deployments}/d`, { metadata: { finalizers: null } }),
        post(deployments, deployment('e')),
        del(`${deployments}/e`, { propagationPolicy: 'Orphan' }),
        get(`${deployments}/e`),
        post(deployments, deployment('f')),
        del(`${deployments}/f`, { orphanDependents: false }),
        post(jobs, job()),
        del(`${jobs}/j`),
        get(`${jobs}/j`),
      ],
    },
    {
      title: 'owners',
      steps: [
        post(cms, configMap('o'), { save: { uid: 'metadata.uid' } }),
        post(cms, configMap('a', { metadata: { ownerReferences: [owner] } })),
        post(cms, configMap('b', { metadata: { ownerReferences: [owner, owner] } })),
        post(
          cms,
          configMap('c', {
            metadata: {
              ownerReferences: [
                { ...owner, controller: true },
                { ...owner, name: 'p', controller: true },
              ],
            },
          }),
        ),
        post(cms, configMap('d', { metadata: { ownerReferences: [{ ...owner, apiVersion: 'a/b/c' }] } })),
        post(
          cms,
          configMap('e', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'x', uid: 'y' }] } }),
        ),
        mergePatch(`${cms}/a`, { metadata: { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] } }),
        mergePatch(`${cms}/a`, { metadata: { ownerReferences: null } }),
      ],
    },
    {
      title: 'deletecollection',
      steps: [
        ...['a', 'b', 'c'].map((name) =>
          post(
            cms,
            configMap(name, {
              metadata: {
                labels: { tier: name === 'c' ? 'y' : 'x' },
                ...(name === 'b' ? { finalizers: ['d.example/x'] } : {}),
              },
            }),
          ),
        ),
        del(`${cms}?labelSelector=tier%3Dx&dryRun=All`),
        del(`${cms}?labelSelector=tier%3Dx`),
        get(`${cms}?labelSelector=tier`),
        del(`${cms}?labelSelector=tier%3Dnone`),
        del(`${cms}?fieldSelector=metadata.name%3Dc`, { propagationPolicy: 'Foreground' }),
        get(`${cms}?labelSelector=tier`),
        del(`${cms}?labelSelector=a+in+(`),
        del(`${core('services')}`),
        post(pods, pod('p')),
        post(pods, pod('q', { spec: { nodeName: 'n1', containers: [{ name: 'm', image: 'i' }] } })),
        del(pods),
        get(pods),
        del(`${pods}?gracePeriodSeconds=0`),
        get(pods),
      ],
    },
    {
      title: 'dry runs',
      steps: [
        post(`${cms}?dryRun=All`, configMap('a')),
        get(`${cms}/a`),
        post(cms, configMap('a', { data: { x: '1' } })),
        post(`${cms}?dryRun=All`, configMap('a')),
        put(`${cms}/a?dryRun=All`, configMap('a', { data: { x: '2' } })),
        mergePatch(`${cms}/a?dryRun=All`, { data: { x: '3' } }),
        del(`${cms}/a?dryRun=All`),
        get(`${cms}/a`),
        post(`${cms}?dryRun=All`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'g-' } }),
        post(`${core('services')}?dryRun=All`, object('v1', 'Service', 's', { spec: { ports: [{ port: 80 }] } })),
        post(`${pods}?dryRun=All`, pod('p')),
      ],
    },
    {
      title: 'scale',
      steps: [
        post(deployments, deployment('d', { replicas: 2 })),
        get(`${deployments}/d/scale`, { save: { scale: '' } }),
        put(`${deployments}/d/scale`, { spec: { replicas: 3 } }, { base: 'scale' }),
        put(`${deployments}/d/scale`, { spec: { replicas: 4 } }, { base: 'scale' }),
        mergePatch(`${deployments}/d/scale`, { spec: { replicas: 5 } }),
        mergePatch(`${deployments}/d/scale`, { spec: { replicas: -1 } }),
        mergePatch(`${deployments}/d/scale?dryRun=All`, { spec: { replicas: 9 } }),
        jsonPatch(`${deployments}/d/scale`, [{ op: 'replace', path: '/spec/replicas', value: 0 }]),
        mergePatch(`${deployments}/d/scale`, { spec: { replicas: 'x' } }),
        put(`${deployments}/d/scale`, deployment()),
        get(`${deployments}/missing/scale`),
        get(`${deployments}/d`),
        del(`${deployments}/d/scale`),
        post(group('apps/v1', 'statefulsets'), statefulSet()),
        get(group('apps/v1', 'statefulsets/s/scale')),
        get(`${cms}/x/scale`),
      ],
    },
    {
      title: 'status',
      steps: [
        post(deployments, { ...deployment(), status: { replicas: 5 } }),
        get(`${deployments}/d/status`, { save: { d: '' } }),
        put(
          `${deployments}/d/status`,
          { status: { replicas: 2, readyReplicas: 1, conditions: [{ type: 'Available', status: 'True' }] } },
          { base: 'd' },
        ),
        put(`${deployments}/d/status`, { status: { replicas: 1 } }, { base: 'd' }),
        mergePatch(`${deployments}/d/status`, { status: { replicas: -1 } }),
        mergePatch(`${deployments}/d`, { status: { replicas: 3 } }),
        post(`${deployments}/d/status`, deployment()),
        del(`${deployments}/d/status`),
        post(pods, pod('p', { status: { phase: 'Running' } })),
        mergePatch(`${pods}/p/status`, { status: { phase: 'Running', startTime: '2026-01-01T00:00:00Z' } }),
        mergePatch(`${pods}/p/status`, { metadata: { labels: { x: 'y' } }, spec: { nodeName: 'n9' } }),
        mergePatch('/api/v1/namespaces/{ns}/status', { status: { conditions: [{ type: 'A', status: 'True' }] } }),
        get('/api/v1/namespaces/{ns}/status'),
        mergePatch(core('services/none/status'), {}),
      ],
    },
    {
      title: 'immutable fields',
      steps: [
        post(cms, configMap('a', { data: { x: '1' }, immutable: true })),
        mergePatch(`${cms}/a`, { data: { x: '2' } }),
        mergePatch(`${cms}/a`, { immutable: false }),
        mergePatch(`${cms}/a`, { metadata: { labels: { ok: 'yes' } } }),
        post(core('secrets'), object('v1', 'Secret', 's', { data: { x: 'eA==' } })),
        mergePatch(core('secrets/s'), { type: 'other.example/type' }),
        mergePatch(core('secrets/s'), { immutable: true }),
        mergePatch(core('secrets/s'), { data: { x: 'eQ==' } }),
        post(deployments, deployment()),
        mergePatch(`${deployments}/d`, { spec: { selector: { matchLabels: { app: 'b' } } } }),
        mergePatch(`${deployments}/d`, { spec: { selector: null } }),
        post(group('apps/v1', 'statefulsets'), statefulSet()),
        mergePatch(group('apps/v1', 'statefulsets/s'), { spec: { serviceName: 't' } }),
        mergePatch(group('apps/v1', 'statefulsets/s'), { spec: { podManagementPolicy: 'Parallel', replicas: 3 } }),
        post(jobs, job()),
        mergePatch(`${jobs}/j`, { spec: { completions: 5 } }),
        mergePatch(`${jobs}/j`, { spec: { template: { spec: { restartPolicy: 'OnFailure' } } } }),
        post(pods, pod('p')),
        mergePatch(`${pods}/p`, { spec: { hostNetwork: true } }),
        mergePatch(`${pods}/p`, { spec: { tolerations: [{ key: 'x', operator: 'Exists' }] } }),
        mergePatch(`${pods}/p`, { spec: { terminationGracePeriodSeconds: 9 } }),
        post(core('services'), object('v1', 'Service', 'v', { spec: { ports: [{ port: 80 }] } })),
        mergePatch(core('services/v'), { spec: { clusterIP: '10.96.9.9' } }),
        mergePatch(core('services/v'), { spec: { type: 'ExternalName', externalName: 'a.example' } }),
        post(
          core('persistentvolumeclaims'),
          object('v1', 'PersistentVolumeClaim', 'c', {
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          }),
        ),
        mergePatch(core('persistentvolumeclaims/c'), { spec: { resources: { requests: { storage: '2Gi' } } } }),
        mergePatch(core('persistentvolumeclaims/c'), { spec: { accessModes: ['ReadOnlyMany'] } }),
        post(
          group('rbac.authorization.k8s.io/v1', 'rolebindings'),
          object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'b', { roleRef: { kind: 'Role', name: 'r' } }),
        ),
        mergePatch(group('rbac.authorization.k8s.io/v1', 'rolebindings/b'), { roleRef: { name: 'other' } }),
        post(
          '/apis/storage.k8s.io/v1/storageclasses',
          object('storage.k8s.io/v1', 'StorageClass', 'immutable', { provisioner: 'p' }),
        ),
        mergePatch('/apis/storage.k8s.io/v1/storageclasses/immutable', { provisioner: 'q' }),
        post(
          '/apis/scheduling.k8s.io/v1/priorityclasses',
          object('scheduling.k8s.io/v1', 'PriorityClass', 'immutable', { value: 1 }),
        ),
        mergePatch('/apis/scheduling.k8s.io/v1/priorityclasses/immutable', { value: 2 }),
      ],
    },
    {
      title: 'pods that go',
      steps: [
        post(pods, pod('p')),
        del(`${pods}/p`),
        post(pods, pod('q', { spec: { nodeName: 'n1', containers: [{ name: 'm', image: 'i' }] } })),
        del(`${pods}/q`),
        del(`${pods}/q?gracePeriodSeconds=5`),
        del(`${pods}/q?gracePeriodSeconds=60`),
        get(`${pods}/q`),
        del(`${pods}/q?gracePeriodSeconds=0`),
        get(`${pods}/q`),
        post(pods, pod('r')),
        post(`${pods}/r/eviction`, object('policy/v1', 'Eviction', 'r')),
        get(`${pods}/r`),
        post(`${pods}/missing/eviction`, object('policy/v1', 'Eviction', 'missing')),
        post(pods, pod('s')),
        post(`${pods}/s/binding`, object('v1', 'Binding', 's', { target: { kind: 'Node', name: 'n2' } })),
        post(`${pods}/s/binding`, object('v1', 'Binding', 's', { target: { kind: 'Node', name: 'n3' } })),
        get(`${pods}/s`),
      ],
    },
    {
      title: 'namespaces',
      steps: [
        post('/api/v1/namespaces', object('v1', 'Namespace', '{ns}-own')),
        post('/api/v1/namespaces/{ns}-own/configmaps', configMap('a')),
        del('/api/v1/namespaces/{ns}-own'),
        get('/api/v1/namespaces/{ns}-own'),
        post('/api/v1/namespaces/{ns}-own/configmaps', configMap('b')),
        mergePatch('/api/v1/namespaces/{ns}-own/configmaps/a', { data: { x: '1' } }),
        del('/api/v1/namespaces/{ns}-own'),
        put('/api/v1/namespaces/{ns}-own/finalize', {
          ...object('v1', 'Namespace', '{ns}-own'),
          spec: { finalizers: [] },
        }),
        get('/api/v1/namespaces/{ns}-own'),
        mergePatch('/api/v1/namespaces/{ns}', {
          metadata: { labels: { a: 'b', 'kubernetes.io/metadata.name': 'other' } },
        }),
      ],
    },
  ],
};
