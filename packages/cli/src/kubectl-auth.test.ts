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
