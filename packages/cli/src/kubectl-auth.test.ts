/** The real kubectl and who may do what: can-i, impersonation, and a service account with nothing but its token. */
import { type Cluster, type ClusterProgram, kubectlFor, startCluster } from '@coxswain/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';

let cluster: Cluster;
let kubectl: ClusterProgram;

beforeAll(async () => {
  cluster = await startCluster({ port: 0 });
  kubectl = await kubectlFor(cluster.kubeconfig());
});
afterAll(async () => {
  await kubectl?.[Symbol.asyncDispose]();
  await cluster?.stop();
});

/** A kubeconfig of the cluster whose user has a token only. */
function withToken(token: string): string {
  const config = parse(cluster.kubeconfig()) as { users: { name: string; user: object }[] };
  return stringify({ ...config, users: config.users.map(({ name }) => ({ name, user: { token } })) });
}

it('can-i answers for oneself and for others', async () => {
  expect(await kubectl(['auth', 'can-i', '*', '*'])).toBe('yes\n');
  const other = await kubectl.try(['auth', 'can-i', 'list', 'pods', '--as', 'ann']);
  expect(other).toMatchObject({ code: 1, stdout: 'no\n' });
  const rules = await kubectl(['auth', 'can-i', '--list', '--as', 'ann']);
  expect(rules).toMatch(/^Resources +Non-Resource URLs +Resource Names +Verbs\n/);
  expect(rules).toMatch(/selfsubjectaccessreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\]/);
  expect(rules).toMatch(/\[\/healthz\] +\[\] +\[get\]/);
});

it('acts as others, with what they may do', async () => {
  await kubectl(['create', 'rolebinding', 'ann-views', '--clusterrole=view', '--user=ann']);
  expect(await kubectl(['get', 'pods', '--as', 'ann'])).toBe('');
  const refused = await kubectl.try(['get', 'pods', '-n', 'kube-system', '--as', 'ann']);
  expect(refused.stderr).toBe(
    'Error from server (Forbidden): pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "kube-system"\n',
  );
  expect(
    await kubectl(['auth', 'whoami', '--as', 'ann', '--as-group', 'ops', '-o', 'jsonpath={.status.userInfo.groups}']),
  ).toBe('["ops","system:authenticated"]');
});

it('grants nobody more than they have', async () => {
  await kubectl(['create', 'clusterrole', 'granter', '--verb=*', '--resource=roles.rbac.authorization.k8s.io']);
  const binding = ['create', 'clusterrolebinding', 'granter', '--clusterrole=granter', '--user=greta'];
  await kubectl(binding);
  // `*` holds `escalate` too.
  await kubectl(['create', 'role', 'any', '--verb=get', '--resource=secrets', '--as', 'greta']);
  await kubectl(['create', 'clusterrole', 'maker', '--verb=create', '--resource=roles.rbac.authorization.k8s.io']);
  await kubectl(['create', 'clusterrolebinding', 'maker', '--clusterrole=maker', '--user=max']);
  const { code, stderr } = await kubectl.try([
    'create',
    'role',
    'more',
    '--verb=get',
    '--resource=secrets',
    '--as',
    'max',
  ]);
  expect(code).toBe(1);
  expect(stderr).toContain(
    'roles.rbac.authorization.k8s.io "more" is forbidden: user "max" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
  );
});

it('a service account has a token, and with it what it was given', async () => {
  await kubectl(['create', 'serviceaccount', 'robot']);
  await kubectl(['create', 'rolebinding', 'robot', '--clusterrole=edit', '--serviceaccount=default:robot']);
  const token = (await kubectl(['create', 'token', 'robot', '--duration=1h'])).trim();
  await using robot = await kubectlFor(withToken(token));
  expect(await robot(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe(
    'system:serviceaccount:default:robot',
  );
  await robot(['create', 'configmap', 'made', '--from-literal=a=1']);
  const refused = await robot.try(['get', 'nodes']);
  expect(refused.stderr).toContain(
    'nodes is forbidden: User "system:serviceaccount:default:robot" cannot list resource "nodes" in API group "" at the cluster scope',
  );
  await kubectl(['delete', 'serviceaccount', 'robot']);
  const gone = await robot.try(['get', 'configmaps']);
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('Unauthorized') });
});

it('a token in a secret is for good, with a warning when the account lists it', async () => {
  const manifest = (secrets: string) => `apiVersion: v1
kind: ServiceAccount
metadata: { name: steady }
${secrets}
---
apiVersion: v1
kind: Secret
metadata:
  name: steady-token
  annotations: { kubernetes.io/service-account.name: steady }
type: kubernetes.io/service-account-token
`;
  await kubectl(['apply', '-f', '-'], manifest(''));
  const described = await kubectl(['describe', 'secret', 'steady-token']);
  expect(described).toMatch(/token: +ey/);
  const data = await kubectl(['get', 'secret', 'steady-token', '-o', 'jsonpath={.data.token}']);
  await using steady = await kubectlFor(withToken(Buffer.from(data, 'base64').toString()));
  const whoami = ['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'];
  const plain = await steady.try(whoami);
  expect(plain).toMatchObject({ code: 0, stdout: 'system:serviceaccount:default:steady', stderr: '' });
  await kubectl(['apply', '-f', '-'], manifest('secrets: [{ name: steady-token }]'));
  expect((await steady.try(whoami)).stderr).toBe(
    'Warning: Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.\n',
  );
  await kubectl(['delete', 'serviceaccount', 'steady']);
  await kubectl(['wait', '--for=delete', 'secret/steady-token', '--timeout=30s']);
  expect(await steady.try(whoami)).toMatchObject({ code: 1, stderr: expect.stringContaining('Unauthorized') });
});

it('reconcile brings roles and bindings to what a file says', async () => {
  const manifest = (verbs: string, subject: string) => `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: kept }
rules:
- { apiGroups: [""], resources: [pods], verbs: [${verbs}] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: kept }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: kept }
subjects:
- { apiGroup: rbac.authorization.k8s.io, kind: User, name: ${subject} }
`;
  const reconcile = (text: string, ...more: readonly string[]) =>
    kubectl(['auth', 'reconcile', '-f', '-', ...more], text);
  const first = await reconcile(manifest('get', 'zoe'));
  expect(first).toContain('clusterrole.rbac.authorization.k8s.io/kept reconciled');
  expect(first).toContain('clusterrolebinding.rbac.authorization.k8s.io/kept reconciled');
  await reconcile(manifest('list', 'ben'));
  const verbs = ['get', 'clusterrole', 'kept', '-o', 'jsonpath={.rules[*].verbs}'];
  expect(await kubectl(verbs)).toBe('["get"] ["list"]');
  expect(await kubectl(['auth', 'can-i', 'get', 'pods', '--as', 'ben'])).toBe('yes\n');
  await reconcile(manifest('list', 'ben'), '--remove-extra-permissions', '--remove-extra-subjects');
  expect(await kubectl(verbs)).toBe('["list"]');
  expect((await kubectl.try(['auth', 'can-i', 'list', 'pods', '--as', 'zoe'])).stdout).toBe('no\n');
});

it('can-i tells of namespaces, names, subresources and paths', async () => {
  const ask = async (...question: readonly string[]) =>
    (await kubectl.try(['auth', 'can-i', ...question, '--as', 'una'])).stdout;
  await kubectl(['create', 'role', 'narrow', '--verb=get', '--resource=pods/log', '--resource-name=web']);
  await kubectl(['create', 'rolebinding', 'narrow', '--role=narrow', '--user=una']);
  expect(await ask('get', 'pods/web', '--subresource=log')).toBe('yes\n');
  expect(await ask('get', 'pods/other', '--subresource=log')).toBe('no\n');
  expect(await ask('get', 'pods/web', '--subresource=log', '-n', 'kube-system')).toBe('no\n');
  expect(await ask('get', '/healthz')).toBe('yes\n');
  expect(await ask('get', '/metrics')).toBe('no\n');
  expect(await ask('--list')).toMatch(/pods\/log +\[\] +\[web\] +\[get\]/);
});

it('whoami shows all that is known', async () => {
  const shown = await kubectl(['auth', 'whoami']);
  expect(shown).toMatch(
    /^ATTRIBUTE +VALUE\nUsername +kubernetes-admin\nGroups +\[system:masters system:authenticated\]\n/,
  );
});
