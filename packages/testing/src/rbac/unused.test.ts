import { expect, test } from 'vitest';
import { missingRules, type RbacUse, unusedRules } from './index.ts';

const use = (verb: string, resource: string, namespace = '', name = ''): RbacUse => {
  return { verb, group: '', resource, subresource: '', namespace, name };
};

test('what was allowed and never used is left over, resource by resource and verb by verb', () => {
  const rules = [
    { apiGroups: [''], resources: ['pods', 'secrets'], verbs: ['get', 'list'] },
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'], verbs: ['update'] },
    { nonResourceURLs: ['/version'], verbs: ['get'] },
  ];
  const uses = [use('get', 'pods'), use('list', 'pods'), use('get', 'secrets'), use('update', 'secrets', '', 'other')];
  expect(unusedRules(uses, rules)).toEqual([
    { apiGroups: [''], resources: ['secrets'], verbs: ['list'] },
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'], verbs: ['update'] },
    { nonResourceURLs: ['/version'], verbs: ['get'] },
  ]);
});

test('rules of a namespace are used there only', () => {
  const read = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  const rules = { cluster: [], namespaces: { a: read } };
  expect(unusedRules([use('get', 'pods', 'b')], rules)).toEqual(read);
  expect(missingRules([use('get', 'pods', 'b')], rules)).toEqual(read);
  expect(unusedRules([use('get', 'pods', 'a')], rules)).toEqual([]);
  expect(missingRules([use('get', 'pods', 'a')], rules)).toEqual([]);
});
