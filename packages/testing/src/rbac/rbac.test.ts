import { ConfigMap, type PolicyRule } from '@coxswain/k8s';
import { apply, merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { startTestCluster } from '../test-cluster/index.ts';
import { missingRules, type RbacUse, recordRbac } from './index.ts';

const use = (text: string): RbacUse => {
  const [verb = '', group = '', resource = '', subresource = '', name = ''] = text.split(' ');
  return {
    verb,
    group: group === '-' ? '' : group,
    resource,
    subresource: subresource === '-' ? '' : subresource,
    namespace: '',
    name,
  };
};
const rule = (group: string, resource: string, verbs: string[], resourceNames?: string[]): PolicyRule => ({
  apiGroups: [group],
  resources: [resource],
  verbs,
  ...(resourceNames ? { resourceNames } : {}),
});

test.each<[string, PolicyRule, boolean]>([
  ['get - pods', rule('', 'pods', ['get']), true],
  ['list - pods', rule('', 'pods', ['get']), false],
  ['get apps pods', rule('', 'pods', ['get']), false],
  ['get apps deployments', rule('*', '*', ['*']), true],
  ['patch - pods status', rule('', 'pods', ['patch']), false],
  ['patch - pods status', rule('', 'pods/status', ['patch']), true],
  ['patch apps deployments scale', rule('apps', '*/scale', ['patch']), true],
  ['get - secrets - mine', rule('', 'secrets', ['get'], ['mine']), true],
  ['get - secrets - other', rule('', 'secrets', ['get'], ['mine']), false],
  ['list - secrets', rule('', 'secrets', ['list'], ['mine']), false],
])('%s under %o', (text, given, covered) => expect(missingRules([use(text)], [given]).length === 0).toBe(covered));

test('paths that are no resources need rules of their own', () => {
  const version = { ...use('get'), path: '/version' };
  expect(missingRules([version], [rule('*', '*', ['*'])])).toEqual([{ nonResourceURLs: ['/version'], verbs: ['get'] }]);
  expect(missingRules([version], [{ nonResourceURLs: ['/ver*'], verbs: ['get'] }])).toEqual([]);
});

test('an operator is held to its rules: what they lack is said as a rule', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const recorder = recordRbac(await world.transport());
  const manager = await world.manager({ transport: recorder.transport });
  manager
    .controller(ConfigMap)
    .scope({ namespace, labels: 'work' })
    .run({
      async reconcile({ key, client: own }) {
        const metadata = { name: `${key.name}-copy`, namespace };
        await own.of(ConfigMap).patch(metadata, apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata }));
        await own.of(ConfigMap).patch(key, merge({ data: { done: 'yes' } }));
      },
    });
  await manager.start();
  await client.of(ConfigMap).create({ metadata: { name: 'a', namespace, labels: { work: 'yes' } } });
  await world.settled();
  const whole = rule('', 'configmaps', ['create', 'patch', 'watch']);
  expect(missingRules(recorder.uses, [whole])).toEqual([]);
  expect(missingRules(recorder.uses, [rule('', 'configmaps', ['watch', 'patch'])])).toEqual([
    { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
  ]);
});
