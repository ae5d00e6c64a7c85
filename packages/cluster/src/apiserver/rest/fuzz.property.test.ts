import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  configMap,
  configMaps,
  createTestApi,
  deployment,
  deployments,
  pod,
  pods,
  widget,
  widgets,
} from './test-api.ts';

const names = [
  'apiVersion',
  'kind',
  'metadata',
  'spec',
  'status',
  'data',
  'name',
  'labels',
  'finalizers',
  'ownerReferences',
  'managedFields',
  'replicas',
  'selector',
  'size',
  '__proto__',
  'constructor',
  '',
];

const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, 0, -1, 1.5, '', 'v1', 'ConfigMap', 'a', 'Widget', 'example.com/v1'),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('json'), { maxKeys: 5 }),
  ),
}));

const operation = fc.record({
  op: fc.constantFrom<unknown>('add', 'remove', 'replace', 'test', 'move', 'copy', 'nothing', 3),
  path: fc.constantFrom<unknown>(
    '',
    '/',
    '/metadata',
    '/metadata/name',
    '/metadata/labels/a',
    '/spec',
    '/spec/-',
    '/__proto__/x',
    'x',
    null,
  ),
  from: fc.constantFrom('/metadata', '/spec', '/nowhere'),
  value: json,
});

const request = fc.record({
  method: fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE', 'GET') as fc.Arbitrary<
    'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET'
  >,
  collection: fc.constantFrom(configMaps, deployments, widgets, pods),
  suffix: fc.constantFrom('', '/a', '/a/status', '/a/scale', '/missing'),
  contentType: fc.constantFrom(
    'application/json',
    'application/merge-patch+json',
    'application/json-patch+json',
    'application/strategic-merge-patch+json',
    'application/apply-patch+yaml',
  ),
  body: fc.oneof(json, fc.array(operation, { maxLength: 3 })),
  query: fc.dictionary(
    fc.constantFrom(
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
      'limit',
      'continue',
      'labelSelector',
      'fieldSelector',
      'propagationPolicy',
    ),
    fc.constantFrom('', 'All', 'me', 'Strict', 'true', '1', 'a=b', 'metadata.name=a', 'Orphan', '!'),
    { maxKeys: 3 },
  ),
});

describe('any request', () => {
  it('is answered by the rules: never an internal error, nothing changed by a refusal', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 6 }), async (requests) => {
        const api = await createTestApi();
        await api.ok('POST', configMaps, { body: configMap('a', { x: '1' }) });
        await api.ok('POST', deployments, { body: deployment('a', { replicas: 1 }) });
        await api.ok('POST', widgets, { body: widget('a', { size: 1 }) });
        await api.ok('POST', pods, { body: pod('a') });
        for (const { method, collection, suffix, ...ask } of requests) {
          const { revision } = api.storage;
          const before = JSON.stringify(ask.body);
          const { code, body } = await api.ask(method, `${collection}${suffix}`, ask);
          expect(body).not.toMatchObject({ reason: 'InternalError' });
          expect(JSON.stringify(ask.body)).toBe(before);
          if (code >= 400) expect(api.storage.revision).toBe(revision);
        }
        expect(({} as { x?: unknown }).x).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});
