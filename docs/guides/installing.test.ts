import { fileURLToPath } from 'node:url';
import { ConfigMap, Deployment } from '@coxswain/k8s';
import { applyAny, createClient, createDiscovery } from '@coxswain/runtime/client';
import { isForbidden, silentLogger } from '@coxswain/runtime/core';
import {
  kubectlFor,
  missingRules,
  recordRbac,
  runProgram,
  startCluster,
  startTestCluster,
  unusedRules,
} from '@coxswain/testing';
import { expect, test } from 'vitest';
import { Greeting } from './first-operator.ts';
import { manifests, rules, setUp } from './installing.ts';
import { Quota } from './webhooks.ts';

const image = 'registry.example/demo:1';
const user = { name: 'system:serviceaccount:demo-system:demo', groups: ['system:serviceaccounts'] };

test('the manifests install the operator, and its rules are what it needs', async () => {
  const routes = new Map<string, string>();
  await using cluster = await startCluster({
    webhookRoutes: routes,
    kruise: false,
    admissionPlugins: ['OwnerReferencesPermissionEnforcement'],
  });
  const { client } = cluster;
  const discovery = createDiscovery(client);
  for (const manifest of manifests(image)) await applyAny(client, discovery, { ...manifest }, { force: true });

  // In place of the pod: the same program, as the same user.
  const recorder = recordRbac(cluster.clientAs(user).transport);
  const own = createClient({ transport: recorder.transport, fieldManager: 'demo' });
  const { manager, hooks } = setUp(own, { log: silentLogger, port: 0, healthPort: 0 });
  await using _ = manager;
  await manager.start();
  routes.set('demo-system/demo-hooks', `https://127.0.0.1:${hooks.port}`);

  const key = { namespace: 'default', name: 'ada' };
  await client.of(Greeting).create({ metadata: key, ...{ spec: { whom: 'Ada', word: 'hello' } } });
  const quota = { metadata: key, ...{ spec: { hard: 8 } } };
  await expect.poll(async () => (await client.of(ConfigMap).find(key))?.data).toEqual({ text: 'hello Ada' });
  await expect
    .poll(() =>
      client
        .of(Quota)
        .create(quota, { dryRun: true })
        .catch(() => undefined),
    )
    .toMatchObject({
      spec: { soft: 4 },
    });
  await client.of(Greeting).delete(key);
  await expect.poll(() => client.of(Greeting).find(key)).toBeUndefined();
  await expect(own.of(Deployment).list({ namespace: 'default' })).rejects.toSatisfy(isForbidden);

  await manager.stop();
  const uses = recorder.uses.filter(({ resource }) => resource !== 'deployments');
  expect(missingRules(uses, rules)).toEqual([]);
  const unused = unusedRules(uses, rules).flatMap(({ resources = [], verbs }) =>
    verbs.map((verb) => `${verb} ${resources}`),
  );
  expect(unused.filter((text) => !/^(get|list|watch) /.test(text)).toSorted()).toEqual([
    'patch events',
    'update greetings/finalizers',
    'update secrets',
  ]);
});

test('kubectl takes what the program prints', async () => {
  await using world = await startTestCluster({ server: 'embedded', http: true });
  await using kubectl = await kubectlFor(world.kubeconfig());
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const printed = await runProgram(process.execPath, ['installing-main.ts', 'manifests', image], { cwd });
  const said = (await kubectl(['apply', '-f', '-'], printed)).trim().split('\n');
  expect(said).toEqual([
    'namespace/demo-system created',
    'customresourcedefinition.apiextensions.k8s.io/greetings.demo.dev created',
    'customresourcedefinition.apiextensions.k8s.io/quotas.demo.dev created',
    'serviceaccount/demo created',
    'clusterrole.rbac.authorization.k8s.io/demo created',
    'clusterrolebinding.rbac.authorization.k8s.io/demo created',
    'role.rbac.authorization.k8s.io/demo created',
    'rolebinding.rbac.authorization.k8s.io/demo created',
    'service/demo-hooks created',
    'deployment.apps/demo created',
    'mutatingwebhookconfiguration.admissionregistration.k8s.io/demo-mutating created',
    'validatingwebhookconfiguration.admissionregistration.k8s.io/demo-validating created',
  ]);
  expect(await kubectl(['auth', 'can-i', 'delete', 'configmaps', '--as', user.name])).toContain('yes');
});
