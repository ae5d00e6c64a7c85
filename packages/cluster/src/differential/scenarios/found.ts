import {
  applyPatch,
  collect,
  configMap,
  core,
  get,
  group,
  mergePatch,
  object,
  post,
  put,
  strategicPatch,
  template,
  watch,
} from '../build.ts';
import type { Area } from '../types.ts';

const by = (path: string, manager: string, more = '') => `${path}?fieldManager=${manager}${more}`;
const cms = core('configmaps');
const accounts = core('serviceaccounts');
const pods = core('pods');
const services = core('services');
const claims = core('persistentvolumeclaims');
const ranges = core('limitranges');
const roles = group('rbac.authorization.k8s.io/v1', 'roles');
const slices = group('discovery.k8s.io/v1', 'endpointslices');
const scalers = group('autoscaling/v2', 'horizontalpodautoscalers');
const budgets = group('policy/v1', 'poddisruptionbudgets');
const sets = group('apps/v1', 'statefulsets');
const role = (more: object = {}) => object('rbac.authorization.k8s.io/v1', 'Role', 'a', { ...more });
const range = (spec?: object) => object('v1', 'LimitRange', 'a', spec ? { spec } : {});
const owner = (more: object) => configMap('o', { metadata: { ownerReferences: [more] } });
const claim = (spec: object = {}) =>
  object('v1', 'PersistentVolumeClaim', 'a', {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } }, ...spec },
  });
const oldScalers = group('autoscaling/v1', 'horizontalpodautoscalers');
const oldScaler = (name: string, spec: object = {}) =>
  object('autoscaling/v1', 'HorizontalPodAutoscaler', name, {
    spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, ...spec },
  });
const partial = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' };

/** What random sequences of requests found to be answered otherwise, each as short as it could be made. */
export const found: Area = {
  name: 'found',
  scenarios: [
    {
      title: 'lists that are written although nothing is in them',
      steps: [
        post(roles, role()),
        applyPatch(by(`${roles}/a`, 'm1'), role()),
        applyPatch(by(`${roles}/a`, 'm1'), role({ rules: [] })),
        applyPatch(by(`${roles}/b`, 'm1'), object('rbac.authorization.k8s.io/v1', 'Role', 'b')),
        applyPatch(by(`${roles}/b`, 'm1'), object('rbac.authorization.k8s.io/v1', 'Role', 'b', { rules: [] })),
        applyPatch(by(`${ranges}/a`, 'm1'), range()),
        applyPatch(by(`${ranges}/a`, 'm1'), range({ limits: [] })),
        strategicPatch(`${ranges}/a`, { spec: {} }),
        post(ranges, object('v1', 'LimitRange', 'b', { spec: {} })),
        post(ranges, object('v1', 'LimitRange', 'c')),
        applyPatch(by(`${ranges}/c`, 'm1'), object('v1', 'LimitRange', 'c', { spec: { limits: [] } })),
        post(slices, object('discovery.k8s.io/v1', 'EndpointSlice', 'a', { addressType: 'IPv4' })),
        applyPatch(
          by(`${slices}/a`, 'm1'),
          object('discovery.k8s.io/v1', 'EndpointSlice', 'a', { addressType: 'IPv4', ports: [], endpoints: [] }),
        ),
        post(
          scalers,
          object('autoscaling/v2', 'HorizontalPodAutoscaler', 'a', {
            spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
          }),
        ),
        mergePatch(`${scalers}/a/status`, { status: { currentReplicas: 1 } }),
        applyPatch(
          by(`${scalers}/a/status`, 'm1'),
          object('autoscaling/v2', 'HorizontalPodAutoscaler', 'a', {
            status: { currentReplicas: 1, desiredReplicas: 0, currentMetrics: [] },
          }),
        ),
        post(budgets, object('policy/v1', 'PodDisruptionBudget', 'a')),
        mergePatch(`${budgets}/a/status`, { status: { expectedPods: 1 } }),
        post(claims, claim({ dataSource: { kind: 'PersistentVolumeClaim', name: 'x' } })),
        post(
          sets,
          object('apps/v1', 'StatefulSet', 'a', {
            spec: {
              selector: { matchLabels: { app: 'a' } },
              template: template(),
              ordinals: {},
              volumeClaimTemplates: [claim({ dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'x' } })],
            },
          }),
        ),
        mergePatch(`${sets}/a/status`, { status: { replicas: 1 } }),
        post(
          pods,
          object('v1', 'Pod', 'a', {
            spec: { ...template().spec, volumes: [{ name: 'v', projected: {} }] },
          }),
        ),
        applyPatch(
          by(`${pods}/a`, 'm1'),
          object('v1', 'Pod', 'a', {
            spec: { ...template().spec, volumes: [{ name: 'v', projected: { sources: [] } }] },
          }),
        ),
      ],
    },
    {
      title: 'scalars that are written although nobody gave them',
      steps: [
        post(pods, object('v1', 'Pod', 'a', { spec: template().spec })),
        strategicPatch(`${pods}/a/status`, {
          status: {
            containerStatuses: [{ name: 'main', ready: true, state: { running: {} } }],
            initContainerStatuses: [{ name: 'x' }],
            conditions: [{ type: 'Ready' }],
          },
        }),
        strategicPatch(`${pods}/a/status`, { status: { conditions: [{ type: 'Ready', status: 'True' }] } }),
        get(`${pods}/a`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
      ],
    },
    {
      title: 'autoscalers in their older version',
      steps: [
        post(oldScalers, oldScaler('a')),
        applyPatch(by(`${oldScalers}/b`, 'm1'), oldScaler('b')),
        get(`${scalers}/a`),
        get(`${scalers}/b`),
        applyPatch(by(`${oldScalers}/b`, 'm1'), oldScaler('b', { targetCPUUtilizationPercentage: 50 })),
        applyPatch(by(`${oldScalers}/b`, 'm1'), oldScaler('b')),
        mergePatch(`${oldScalers}/a`, { spec: { targetCPUUtilizationPercentage: null } }),
        put(`${oldScalers}/a`, oldScaler('a')),
      ],
    },
    {
      title: 'warnings of a workload through its scale',
      steps: [
        post(
          sets,
          object('apps/v1', 'StatefulSet', 'a', {
            spec: {
              selector: { matchLabels: { app: 'a' } },
              template: {
                ...template(),
                spec: { ...template().spec, imagePullSecrets: [{ name: 'q' }, { name: 'q' }] },
              },
            },
          }),
        ),
        mergePatch(`${sets}/a/scale`, { spec: { replicas: 2 } }),
        mergePatch(`${sets}/a/scale`, { spec: { replicas: 2 } }),
        mergePatch(`${sets}/a/status`, { status: { replicas: 2 } }),
        mergePatch(`${sets}/a`, { metadata: { labels: { l: '1' } } }),
        post(
          sets,
          object('apps/v1', 'StatefulSet', 'b', {
            spec: {
              selector: { matchLabels: { app: 'a' } },
              template: template(),
              volumeClaimTemplates: [
                claim({ resources: { requests: { storage: '1500m' }, limits: { storage: '3500m' } } }),
              ],
            },
          }),
        ),
        mergePatch(`${sets}/b`, { metadata: { labels: { l: '1' } } }),
        post(
          group('apps/v1', 'daemonsets'),
          object('apps/v1', 'DaemonSet', 'a', {
            spec: {
              selector: { matchLabels: { app: 'a' } },
              template: {
                ...template(),
                spec: { ...template().spec, imagePullSecrets: [{ name: 'q' }, { name: 'q' }] },
              },
            },
          }),
        ),
        mergePatch(`${group('apps/v1', 'daemonsets')}/a`, { metadata: { labels: { l: '1' } } }),
        mergePatch(`${group('apps/v1', 'daemonsets')}/a`, { spec: { minReadySeconds: 3 } }),
        mergePatch(`${group('apps/v1', 'daemonsets')}/a`, { spec: { template: { metadata: { labels: { m: '1' } } } } }),
      ],
    },
    {
      title: 'owners that say next to nothing',
      steps: [
        post(cms, owner({})),
        post(cms, owner({ kind: 'ConfigMap', name: 'x', uid: 'u' })),
        post(cms, owner({ apiVersion: null, kind: 'ConfigMap', name: 'x', uid: 'u' })),
        applyPatch(by(`${cms}/o`, 'm1'), owner({ uid: 'u' })),
        applyPatch(by(`${cms}/o`, 'm1'), owner({})),
        post(cms, configMap('p')),
        mergePatch(`${cms}/p`, { metadata: { ownerReferences: [{ name: 'x' }] } }),
        strategicPatch(`${cms}/p`, { metadata: { ownerReferences: [{ uid: 'u' }] } }),
        put(`${cms}/p`, configMap('p', { metadata: { ownerReferences: [{ uid: 'u', controller: true }] } })),
      ],
    },
    {
      title: 'strategic patches: an order of nothing',
      steps: [
        post(accounts, object('v1', 'ServiceAccount', 'a')),
        strategicPatch(`${accounts}/a`, { metadata: { ownerReferences: [], '$setElementOrder/ownerReferences': [] } }),
        strategicPatch(`${accounts}/a`, { metadata: { finalizers: [], '$setElementOrder/finalizers': [] } }),
        strategicPatch(`${accounts}/a`, { metadata: { '$setElementOrder/finalizers': [] } }),
        strategicPatch(`${accounts}/a`, { metadata: { '$setElementOrder/ownerReferences': [] } }),
        strategicPatch(`${accounts}/a`, { secrets: [{ name: 's' }], '$setElementOrder/secrets': [] }),
        strategicPatch(`${accounts}/a`, { secrets: [], '$setElementOrder/secrets': [] }),
        strategicPatch(`${accounts}/a`, { secrets: [], '$setElementOrder/secrets': [{ name: 's' }] }),
        strategicPatch(`${accounts}/a`, { metadata: { finalizers: ['x.io/a'], '$setElementOrder/finalizers': [] } }),
        strategicPatch(`${accounts}/a`, { metadata: { finalizers: [], '$setElementOrder/finalizers': [] } }),
        strategicPatch(`${accounts}/a`, {
          metadata: { finalizers: ['x.io/a'], '$setElementOrder/finalizers': ['x.io/b', 'x.io/a'] },
        }),
        strategicPatch(`${accounts}/a`, {
          metadata: { '$deleteFromPrimitiveList/finalizers': ['x.io/a'], '$setElementOrder/finalizers': [] },
        }),
      ],
    },
    {
      title: 'metadata of nothing',
      steps: [
        get(pods, partial),
        get(roles, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
        get(pods, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
        get(pods),
      ],
    },
    {
      title: 'claims for storage',
      steps: [
        post(claims, claim()),
        strategicPatch(`${claims}/a`, { spec: { resources: { requests: null } } }),
        mergePatch(`${claims}/a`, { spec: null }),
        mergePatch(`${claims}/a/status`, { status: { phase: 'Bound', capacity: { storage: '2Gi' } } }),
        mergePatch(`${claims}/a`, { spec: { resources: { requests: { storage: '1Gi' } } } }),
        mergePatch(`${claims}/a`, { spec: { resources: { requests: { storage: '3Gi' } } } }),
        mergePatch(`${claims}/a`, { spec: { resources: { requests: { storage: '2Gi' } } } }),
        put(`${claims}/a`, claim({ volumeName: 'pv', resources: { requests: { storage: '1Gi' } } })),
      ],
    },
    {
      title: 'addresses of load balancers',
      steps: [
        post(services, object('v1', 'Service', 'b', { spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } })),
        strategicPatch(`${services}/b/status`, { status: { loadBalancer: { ingress: [{ ip: '2.2.2.2' }] } } }),
        mergePatch(`${services}/b/status`, {
          status: { loadBalancer: { ingress: [{ ip: '2.2.2.2' }, { hostname: 'h' }] } },
        }),
        applyPatch(
          by(`${services}/b/status`, 'm1', '&force=true'),
          object('v1', 'Service', 'b', { status: { loadBalancer: { ingress: [{ ip: '3.3.3.3' }] } } }),
        ),
      ],
    },
    {
      title: 'changes of services',
      steps: [
        post(services, object('v1', 'Service', 'a', { spec: { ports: [{ port: 80 }] } })),
        mergePatch(`${services}/a`, { spec: { clusterIP: 'None', allocateLoadBalancerNodePorts: true } }),
        put(
          `${services}/a`,
          object('v1', 'Service', 'a', { spec: { ports: [], type: 'NodePort', sessionAffinity: 'x' } }),
        ),
        applyPatch(
          by(`${services}/b`, 'm1'),
          object('v1', 'Service', 'b', { spec: { type: 'LoadBalancer', ports: [{ port: 443 }] } }),
        ),
        applyPatch(
          by(`${services}/b`, 'm2'),
          object('v1', 'Service', 'b', { spec: { allocateLoadBalancerNodePorts: false } }),
        ),
        mergePatch(`${services}/b`, { spec: { type: 'ClusterIP' } }),
        post(services, object('v1', 'Service', 'c', { spec: { type: 'NodePort', ports: [{ port: 80, name: 'x' }] } })),
        mergePatch(`${services}/c`, { spec: { type: 'ClusterIP', ports: [{ port: 80, name: 'x', nodePort: 30999 }] } }),
        mergePatch(`${services}/c`, { spec: { type: 'ClusterIP', ports: [{ port: 80, name: 'x' }] } }),
        strategicPatch(`${services}/a/status`, { status: { conditions: [{}] } }),
        strategicPatch(`${services}/a/status`, { status: { conditions: [{ type: 'X', status: 'True' }] } }),
      ],
    },
    {
      title: 'accounts keep the names of their secrets',
      steps: [
        post(
          accounts,
          object('v1', 'ServiceAccount', 'b', { secrets: [{ name: 'x', namespace: 'n', kind: 'K' }, {}] }),
        ),
        put(
          `${accounts}/b`,
          object('v1', 'ServiceAccount', 'b', { secrets: [{ namespace: 'n' }, { name: 'b', uid: '1' }] }),
        ),
      ],
    },
    {
      title: 'warnings of changes that need none',
      steps: [
        post(
          pods,
          object('v1', 'Pod', 'a', { spec: { ...template().spec, imagePullSecrets: [{ name: 'q' }, { name: 'q' }] } }),
        ),
        mergePatch(`${pods}/a`, { metadata: { labels: { l: '1' } } }),
        post(
          core('podtemplates'),
          object('v1', 'PodTemplate', 'a', {
            template: { ...template(), spec: { ...template().spec, imagePullSecrets: [{ name: 'q' }, { name: 'q' }] } },
          }),
        ),
        mergePatch(`${core('podtemplates')}/a`, { metadata: { labels: { l: '1' } } }),
        mergePatch(`${core('podtemplates')}/a`, { template: { metadata: { labels: { l: '1' } } } }),
        post(
          slices,
          object('discovery.k8s.io/v1', 'EndpointSlice', 'b', {
            addressType: 'FQDN',
            endpoints: [{ addresses: ['a.b'] }],
          }),
        ),
        mergePatch(`${slices}/b`, { metadata: { labels: { l: '1' } } }),
      ],
    },
    {
      title: 'bookmarks at the end of what is there',
      steps: [
        post(cms, configMap('a', { metadata: { labels: { l: '1' } } })),
        watch('plain', `${cms}?watch=true&labelSelector=l&allowWatchBookmarks=true`),
        watch('zero', `${cms}?watch=true&labelSelector=l&allowWatchBookmarks=true&resourceVersion=0`),
        watch('none', `${cms}?watch=true&labelSelector=none&allowWatchBookmarks=true`),
        watch('silent', `${cms}?watch=true&labelSelector=l`),
        watch(
          'asked',
          `${cms}?watch=true&labelSelector=l&allowWatchBookmarks=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`,
        ),
        mergePatch(`${cms}/a`, { data: { k: 'v' } }),
        collect('plain', 3),
        collect('zero', 3),
        collect('none', 1),
        collect('silent', 2),
        collect('asked', 1),
      ],
    },
  ],
};
