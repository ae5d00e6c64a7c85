import type { DynamicObject, Status } from '@coxswain/k8s';
import type { Method } from '@coxswain/runtime/client';
import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { afterEach, expect, test } from 'vitest';
import { openStorage } from '../../../storage/index.ts';
import { bootstrapCluster } from '../../bootstrap/index.ts';
import { builtinResources, createRegistry } from '../../builtin/index.ts';
import { createApiServer } from '../../server.ts';
import { builtinAdmission } from '../index.ts';
import { startHookServer } from '../test/hook-server.ts';
import { createWebhookCaller, type WebhookTarget } from './index.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve() {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const storage = await openStorage({ clock, log: silentLogger, fsync: 'off' });
  const registry = createRegistry(builtinResources());
  bootstrapCluster({ registry, storage, clock, random }, { certificateAuthority: 'PEM' });
  const routes = new Map<string, WebhookTarget>();
  const caller = createWebhookCaller({ clock, routes });
  closers.push(() => caller.close());
  const admission = builtinAdmission({ random, webhooks: { random, registry, call: caller.call } });
  const server = createApiServer({ storage, registry, clock, random, log: silentLogger, admission });
  async function ask<T = DynamicObject>(method: Method, path: string, body?: unknown) {
    const user = { name: 'admin', groups: [] };
    const response = await server.handle({ method, path, user, ...(body === undefined ? {} : { body }) });
    if (response.kind !== 'object') throw new Error('an object was asked for');
    return { code: response.code, body: response.body as T };
  }
  return { ask, routes, clock, storage };
}

const configurations = (flavour: string) => `/apis/admissionregistration.k8s.io/v1/${flavour}webhookconfigurations`;
const configMaps = '/api/v1/namespaces/default/configmaps';

function configuration(clientConfig: object, more: object = {}) {
  return {
    metadata: { name: 'hooks' },
    webhooks: [
      {
        name: 'hook.example.com',
        clientConfig,
        rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...more,
      },
    ],
  };
}

const service = (more: object = {}) => ({ service: { namespace: 'webhooks', name: 'hooks', path: '/check', ...more } });

/** A webhook in this process. */
function answer(response: object, seen: unknown[] = []): WebhookTarget {
  return async (path, review) => {
    const { request } = review as { request: { uid: string } };
    seen.push(path, request);
    return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: request.uid, ...response } };
  };
}

test('a Service is reached by the table of routes, and configurations count from the moment they are stored', async () => {
  const { ask, routes } = await serve();
  const seen: unknown[] = [];
  routes.set('webhooks/hooks', answer({ allowed: false, status: { message: 'no' } }, seen));
  expect((await ask('POST', configMaps, { metadata: { name: 'a' } })).code).toBe(201);
  await ask('POST', configurations('validating'), configuration(service()));
  const refused = await ask<Status>('POST', configMaps, { metadata: { name: 'b' } });
  expect(refused.body.message).toBe('admission webhook "hook.example.com" denied the request: no');
  expect(seen).toMatchObject(['/check', { operation: 'CREATE', name: 'b', dryRun: false }]);
  routes.set('webhooks/hooks:443', answer({ allowed: true }));
  expect((await ask('POST', configMaps, { metadata: { name: 'b' } })).code).toBe(201);
  routes.clear();
  await ask('DELETE', `${configurations('validating')}/hooks`);
  expect((await ask('POST', configMaps, { metadata: { name: 'c' } })).code).toBe(201);
});

test('a webhook that is late fails by its policy', async () => {
  const { ask, routes, clock } = await serve();
  routes.set('webhooks/hooks', () => new Promise(() => {}));
  await ask('POST', configurations('validating'), configuration(service(), { timeoutSeconds: 3 }));
  const pending = ask<Status>('POST', configMaps, { metadata: { name: 'a' } });
  await clock.advance(3_000);
  const why =
    'failed calling webhook "hook.example.com": failed to call webhook: Post "https://hooks.webhooks.svc:443/check?timeout=3s": context deadline exceeded';
  expect((await pending).body).toMatchObject({ code: 500, message: `Internal error occurred: ${why}` });
});

test('a Service without a route is reached at its endpoint on loopback, under its own name', async () => {
  await using hooks = await startHookServer();
  const { ask, storage } = await serve();
  await ask('POST', '/api/v1/namespaces', { metadata: { name: 'webhooks' } });
  const config = { ...service({ path: '/label/seen' }), caBundle: hooks.caBundle };
  await ask('POST', configurations('mutating'), configuration(config));
  const post = (name: string) => ask<Status>('POST', configMaps, { metadata: { name } });
  const failed = (why: string) =>
    `Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: Post "https://hooks.webhooks.svc:443/label/seen?timeout=10s": ${why}`;
  expect((await post('a')).body.message).toBe(failed('service "hooks" not found'));
  const ports = [{ name: 'https', port: 443, targetPort: hooks.port }];
  await ask('POST', '/api/v1/namespaces/webhooks/services', { metadata: { name: 'hooks' }, spec: { ports } });
  expect((await post('a')).body.message).toBe(failed('no endpoints available for service "hooks"'));
  // Clients may not say such an address; the nodes' own programs have one.
  const slice = {
    metadata: { name: 'hooks-1', namespace: 'webhooks', labels: { 'kubernetes.io/service-name': 'hooks' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.2.3'] }, { addresses: ['127.0.0.1'], conditions: { ready: true } }],
    ports: [{ name: 'https', port: hooks.port, protocol: 'TCP' }],
  };
  const key = { resource: 'discovery.k8s.io/endpointslices', namespace: 'webhooks', name: 'hooks-1' };
  storage.put(key, slice);
  expect(await post('a')).toMatchObject({ code: 201, body: { metadata: { labels: { seen: 'true' } } } });
});

test('without a webhook for it, a write is one synchronous section', async () => {
  const { ask, storage } = await serve();
  await ask(
    'POST',
    configurations('validating'),
    configuration(service(), { objectSelector: { matchLabels: { a: 'b' } } }),
  );
  const key = { resource: '/configmaps', namespace: 'default', name: 'a' };
  const pending = ask('POST', configMaps, { metadata: { name: 'a' } });
  expect(storage.get(key)).toBeDefined();
  await pending;
});

test('a configuration cannot be locked in by webhooks', async () => {
  const { ask } = await serve();
  const everything = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };
  await ask('POST', configurations('validating'), configuration(service(), { rules: [everything] }));
  expect((await ask('POST', configMaps, { metadata: { name: 'a' } })).code).toBe(500);
  expect((await ask('DELETE', `${configurations('validating')}/hooks`)).code).toBe(200);
});
