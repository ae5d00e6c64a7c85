import { group, inside, post, rbac, rbacObject, ref, type Step, user } from './test-setup.ts';

/** `user[+group…] verb resource[.group][/subresource][:name] [namespace]` or `user verb /path`. */
const texts: readonly string[] = [
  ...['get', 'list', 'watch', 'create', 'delete', 'patch', 'deletecollection'].map((verb) => `ann ${verb} pods team`),
  'ann get pods/log team',
  'ann get pods/exec team',
  'ann create pods/exec team',
  'ann get pods other',
  'ann get pods',
  'ann update deployments.apps/scale team',
  'ann patch statefulsets.apps/scale:web team',
  'ann update deployments.apps team',
  'ann update replicationcontrollers/scale team',
  'ann get configmaps:one team',
  'ann get configmaps:two team',
  'ann get configmaps:three team',
  'ann list configmaps team',
  'ann update configmaps:one team',
  'ann delete configmaps:one team',
  'ann delete secrets team',
  'ann frobnicate secrets.example.com team',
  'ann get secrets/status team',
  'system:serviceaccount:team:robot get pods team',
  'system:serviceaccount:other:robot get pods team',
  'lost get pods team',
  'lost get pods',
  'lost get /healthz',
  'nobody+ops get /logs/kubelet',
  'nobody+ops get /logs',
  'nobody+ops get /metrics',
  'nobody+ops post /metrics',
  'nobody get /metrics',
  'nobody+system:authenticated get /api',
  'nobody+system:authenticated get /apis/apps/v1',
  'nobody+system:authenticated get /openapi/v3',
  'system:anonymous+system:unauthenticated get /healthz',
  'system:anonymous+system:unauthenticated get /livez',
  'system:anonymous+system:unauthenticated get /readyz',
  'system:anonymous+system:unauthenticated get /version',
  'system:anonymous+system:unauthenticated get /api',
  'system:anonymous+system:unauthenticated get /metrics',
  'system:anonymous+system:unauthenticated list pods',
  'nobody+system:masters delete nodes',
  'nobody+system:masters get /anything',
  'nobody+system:authenticated create selfsubjectaccessreviews.authorization.k8s.io',
  'nobody+system:authenticated create subjectaccessreviews.authorization.k8s.io',
  'nobody+system:serviceaccounts get /.well-known/openid-configuration',
  'nobody get /openid/v1/jwks',
  'system:kube-scheduler create pods/binding team',
  'system:kube-scheduler update pods/status team',
  'system:kube-scheduler delete nodes',
  'system:kube-scheduler list configmaps kube-system',
  'system:kube-scheduler get configmaps:extension-apiserver-authentication kube-system',
  'system:kube-controller-manager list widgets.example.com',
  'system:kube-controller-manager create secrets kube-system',
  'system:kube-controller-manager delete deployments.apps team',
  'system:kube-proxy list endpointslices.discovery.k8s.io',
  'system:node:one list pods',
  'nobody+system:nodes create certificatesigningrequests.certificates.k8s.io',
  'system:serviceaccount:kube-system:deployment-controller create replicasets.apps team',
  'system:serviceaccount:kube-system:deployment-controller create pods team',
  'system:serviceaccount:kube-system:generic-garbage-collector delete widgets.example.com team',
  'system:serviceaccount:kube-system:namespace-controller deletecollection pods team',
  'system:serviceaccount:kube-system:replicaset-controller create pods team',
  'warden escalate clusterroles.rbac.authorization.k8s.io',
  'writer escalate clusterroles.rbac.authorization.k8s.io',
  'binder bind clusterroles.rbac.authorization.k8s.io:urls',
  'binder bind clusterroles.rbac.authorization.k8s.io:writer',
  'actor impersonate users:ann',
  'actor impersonate users:bob',
  'actor impersonate groups:ops',
  'nobody+system:monitoring get /metrics',
  'nobody+system:monitoring get nodes/metrics',
  'ann * pods team',
  'ann get * team',
];

function review(text: string): Step {
  const [who = '', verb = '', what = '', namespace = ''] = text.split(' ');
  const [name = '', ...groups] = who.split('+');
  const parsed = /^([^./:]+)(?:\.([^/:]+))?(?:\/([^:]+))?(?::(.+))?$/.exec(what);
  const attributes = what.startsWith('/')
    ? { nonResourceAttributes: { verb, path: what } }
    : {
        resourceAttributes: {
          verb,
          resource: parsed?.[1] ?? '',
          group: parsed?.[2] ?? '',
          subresource: parsed?.[3] ?? '',
          name: parsed?.[4] ?? '',
          namespace,
        },
      };
  return post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user: name, groups, ...attributes },
  });
}

const get = (path: string, name?: string, groups?: readonly string[]): Step => ({
  method: 'GET',
  path,
  ...(name ? { as: { user: name, ...(groups ? { groups } : {}) } } : {}),
});
const role = (name: string, rules: readonly object[]) => rbacObject('Role', name, { rules });
const clusterRole = (name: string, rules: readonly object[]) => rbacObject('ClusterRole', name, { rules });
const rule = (resources: readonly string[], verbs: readonly string[], more: object = {}) => ({
  apiGroups: [''],
  resources,
  verbs,
  ...more,
});
const selfReview = (kind: string, spec: object, name: string, at = ''): Step =>
  post(
    `/apis/authorization.k8s.io/v1${at}/${kind.toLowerCase()}s`,
    { apiVersion: 'authorization.k8s.io/v1', kind, ...(at ? { metadata: { namespace: 'team' } } : {}), spec },
    { user: name },
  );

/** Requests that are refused, granted or checked further. */
const requests: readonly Step[] = [
  get('/api/v1/namespaces/team/pods', 'ann'),
  get('/api/v1/namespaces/team/pods?watch=1', 'nobody'),
  get('/api/v1/pods', 'ann'),
  get('/api/v1/namespaces/team/pods/web', 'nobody'),
  get('/api/v1/namespaces/team/pods/web/log', 'nobody'),
  get('/apis/apps/v1/namespaces/team/deployments/web/scale', 'nobody'),
  get('/api/v1/namespaces/team', 'nobody'),
  get('/api/v1/nodes', 'nobody'),
  get('/metrics', 'nobody'),
  get('/nothing', 'nobody'),
  get('/apis/none.example.com/v1/things', 'nobody'),
  get('/api/v1/namespaces/team/pods?fieldSelector=metadata.name%3Dweb', 'nobody'),
  get('/api/v1/namespaces/team/pods', 'lost'),
  get('/api/v1/namespaces/team/pods', 'a<b>&c'),
  get('/api/v1/namespaces/team/configmaps/one', 'ann'),
  { method: 'DELETE', path: '/api/v1/namespaces/team/pods', as: { user: 'ann' } },
  { method: 'DELETE', path: '/apis/apps/v1/namespaces/team/deployments/web', as: { user: 'ann' } },
  post('/api/v1/namespaces/team/pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } }, { user: 'ann' }),
  post(`${inside}/roles`, role('r1', [rule(['pods'], ['get', 'list'])]), { user: 'writer' }),
  post(
    `${inside}/roles`,
    role('r2', [rule(['pods', 'secrets'], ['get', '*']), rule(['configmaps'], ['get'], { resourceNames: ['a', 'b'] })]),
    { user: 'writer', groups: ['g1', 'g2'] },
  ),
  post(`${rbac}/clusterroles`, clusterRole('c1', [{ nonResourceURLs: ['/x', '/y/*'], verbs: ['get', 'post'] }]), {
    user: 'writer',
  }),
  post(
    `${rbac}/clusterroles`,
    clusterRole('c2', [{ apiGroups: [group], resources: ['roles'], verbs: ['get', 'list'] }]),
    { user: 'writer' },
  ),
  post(
    `${rbac}/clusterroles`,
    { ...clusterRole('c3', []), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } },
    { user: 'writer' },
  ),
  post(`${rbac}/clusterroles`, clusterRole('c4', [rule(['pods'], ['get'])]), { user: 'warden' }),
  post(
    `${inside}/rolebindings`,
    rbacObject('RoleBinding', 'b1', { roleRef: ref('ClusterRole', 'urls'), subjects: [user('ann')] }),
    { user: 'writer' },
  ),
  post(
    `${inside}/rolebindings`,
    rbacObject('RoleBinding', 'b2', { roleRef: ref('ClusterRole', 'urls'), subjects: [user('ann')] }),
    { user: 'binder' },
  ),
  post(
    `${rbac}/clusterrolebindings`,
    rbacObject('ClusterRoleBinding', 'b3', { roleRef: ref('ClusterRole', 'nowhere'), subjects: [user('ann')] }),
    { user: 'writer' },
  ),
  post(
    `${inside}/rolebindings`,
    rbacObject('RoleBinding', 'b4', { roleRef: ref('Role', 'nowhere'), subjects: [user('ann')] }),
    { user: 'writer' },
  ),
  post(
    `${inside}/rolebindings`,
    rbacObject('RoleBinding', 'b5', { roleRef: ref('Role', 'mixed'), subjects: [user('bob')] }),
    { user: 'writer' },
  ),
  {
    method: 'PUT',
    path: `${inside}/roles/mixed`,
    body: role('mixed', [rule(['nodes'], ['get'])]),
    as: { user: 'writer' },
  },
  selfReview(
    'SelfSubjectAccessReview',
    { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'team' } },
    'ann',
  ),
  selfReview('SelfSubjectAccessReview', { nonResourceAttributes: { verb: 'get', path: '/metrics' } }, 'ann'),
  selfReview('SelfSubjectAccessReview', {}, 'ann'),
  selfReview('SelfSubjectRulesReview', { namespace: 'team' }, 'ann'),
  selfReview('SelfSubjectRulesReview', {}, 'ann'),
  selfReview('SelfSubjectRulesReview', { namespace: 'team' }, 'lost'),
  post('/apis/authorization.k8s.io/v1/namespaces/team/localsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'LocalSubjectAccessReview',
    metadata: { namespace: 'team' },
    spec: { user: 'ann', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'team' } },
  }),
  post('/apis/authorization.k8s.io/v1/namespaces/team/localsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'LocalSubjectAccessReview',
    metadata: { namespace: 'team' },
    spec: { user: 'ann', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'other' } },
  }),
  post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
  }),
  post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user: 'ann' },
  }),
  post(
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    { user: 'ann', groups: ['g'], extra: ['scopes=a'] },
  ),
  post(
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    { user: 'system:serviceaccount:team:robot' },
  ),
  post('/apis/authentication.k8s.io/v1/tokenreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: 'nonsense' },
  }),
  post('/apis/authentication.k8s.io/v1/tokenreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: '' },
  }),
  ...[
    {},
    { expirationSeconds: 60 },
    { expirationSeconds: 7200, audiences: ['me'] },
    { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } },
    { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'none' } },
    { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'none' } },
  ].map((spec) =>
    post('/api/v1/namespaces/team/serviceaccounts/robot/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec,
    }),
  ),
  post('/api/v1/namespaces/team/serviceaccounts/none/token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  }),
  post('/api/v1/namespaces/team/serviceaccounts/robot/token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: 'other' },
    spec: {},
  }),
  post(
    '/api/v1/namespaces/team/serviceaccounts/robot/token',
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    { user: 'ann' },
  ),
  get('/.well-known/openid-configuration', 'nobody'),
  get(`${rbac}/clusterroles/cluster-admin`),
  get(`${rbac}/clusterroles/system:discovery`),
  get(`${rbac}/clusterrolebindings/cluster-admin`),
  get(`${rbac}/namespaces/kube-system/roles/system::leader-locking-kube-scheduler`),
];

/** What is asked of both servers, after the set-up. */
export const questions: readonly Step[] = [...texts.map(review), ...requests];
