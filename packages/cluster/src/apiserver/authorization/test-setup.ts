import type { Method } from '@coxswain/runtime/client';

/** One request, asked as `as` (the `Impersonate-…` headers); absent: as the administrator. */
export interface Step {
  readonly method: Method;
  readonly path: string;
  readonly body?: unknown;
  readonly as?: { readonly user: string; readonly groups?: readonly string[]; readonly extra?: readonly string[] };
}

export const rbac = '/apis/rbac.authorization.k8s.io/v1';
export const group = 'rbac.authorization.k8s.io';
export const post = (path: string, body: object, as?: Step['as']): Step => ({
  method: 'POST',
  path,
  body,
  ...(as ? { as } : {}),
});
export const rbacObject = (kind: string, name: string, rest: object) => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name },
  ...rest,
});
export const ref = (kind: string, name: string) => ({ apiGroup: group, kind, name });
export const user = (name: string) => ({ kind: 'User', apiGroup: group, name });
const account = (name: string, namespace?: string) => ({
  kind: 'ServiceAccount',
  name,
  ...(namespace ? { namespace } : {}),
});
export const inside = `${rbac}/namespaces/team`;

/** The world that the questions are about. */
export const setup: readonly Step[] = [
  post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } }),
  post('/api/v1/namespaces/team/serviceaccounts', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'robot' },
  }),
  post(
    `${inside}/roles`,
    rbacObject('Role', 'mixed', {
      rules: [
        { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: ['apps'], resources: ['*/scale'], verbs: ['update', 'patch'] },
        { apiGroups: [''], resources: ['configmaps'], resourceNames: ['one', 'two'], verbs: ['get', 'update'] },
        { apiGroups: ['*'], resources: ['secrets'], verbs: ['*'] },
      ],
    }),
  ),
  post(
    `${inside}/rolebindings`,
    rbacObject('RoleBinding', 'mixed', {
      roleRef: ref('Role', 'mixed'),
      subjects: [user('ann'), account('robot', 'team')],
    }),
  ),
  post(
    `${inside}/rolebindings`,
    rbacObject('RoleBinding', 'gone', { roleRef: ref('Role', 'nowhere'), subjects: [user('lost')] }),
  ),
  post(
    `${rbac}/clusterrolebindings`,
    rbacObject('ClusterRoleBinding', 'gone', { roleRef: ref('ClusterRole', 'nowhere'), subjects: [user('lost')] }),
  ),
  post(
    `${rbac}/clusterroles`,
    rbacObject('ClusterRole', 'urls', { rules: [{ nonResourceURLs: ['/logs/*', '/metrics'], verbs: ['get'] }] }),
  ),
  post(
    `${rbac}/clusterrolebindings`,
    rbacObject('ClusterRoleBinding', 'urls', {
      roleRef: ref('ClusterRole', 'urls'),
      subjects: [{ kind: 'Group', apiGroup: group, name: 'ops' }],
    }),
  ),
  post(
    `${rbac}/clusterroles`,
    rbacObject('ClusterRole', 'warden', {
      rules: [
        {
          apiGroups: [group],
          resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
          verbs: ['*'],
          resourceNames: [],
        },
      ],
    }),
  ),
  post(
    `${rbac}/clusterroles`,
    rbacObject('ClusterRole', 'writer', {
      rules: [
        {
          apiGroups: [group],
          resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
          verbs: ['create', 'update', 'patch', 'get', 'list'],
        },
      ],
    }),
  ),
  post(
    `${rbac}/clusterroles`,
    rbacObject('ClusterRole', 'binder', {
      rules: [{ apiGroups: [group], resources: ['clusterroles'], verbs: ['bind'], resourceNames: ['urls'] }],
    }),
  ),
  post(
    `${rbac}/clusterroles`,
    rbacObject('ClusterRole', 'actor', {
      rules: [
        { apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'], resourceNames: ['ann', 'ops'] },
      ],
    }),
  ),
  ...['warden', 'writer', 'binder', 'actor'].map((name) =>
    post(
      `${rbac}/clusterrolebindings`,
      rbacObject('ClusterRoleBinding', name, {
        roleRef: ref('ClusterRole', name),
        subjects: [user(name), ...(name === 'writer' ? [user('binder')] : [])],
      }),
    ),
  ),
];
