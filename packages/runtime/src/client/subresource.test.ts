import { ConfigMap, type Kind, Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { VirtualClock } from '../core/index.ts';
import { FakeServer } from './fake-server.ts';
import { apply, createClient, evict, merge, requestToken, strategic } from './index.ts';
import { things } from './test-things.ts';

const key = { namespace: 'a', name: 'x' };
const path = '/apis/x.dev/v1/namespaces/a/things/x';

/** Whatever is asked, the server answers `body`. */
function setUp(body: unknown = {}) {
  const server = new FakeServer();
  server.send = async (request) => {
    server.requests.push(request);
    return { status: 200, body, warnings: [] };
  };
  const client = createClient({ transport: server, clock: new VirtualClock(), fieldManager: 'me' });
  return { client, resource: client.of(things), server, last: () => server.requests.at(-1) };
}

test('any subresource: read, made, replaced, patched', async () => {
  const { resource, last } = setUp({ kind: 'Note' });
  const notes = resource.subresource<{ readonly kind: string }>('notes');
  expect(await notes.get(key)).toEqual({ kind: 'Note' });
  expect(last()).toMatchObject({ method: 'GET', path: `${path}/notes` });
  await notes.create(key, { kind: 'Note' }, { dryRun: true });
  expect(last()).toMatchObject({ method: 'POST', path: `${path}/notes`, query: { fieldManager: 'me', dryRun: 'All' } });
  await notes.update(key, { kind: 'Note' });
  expect(last()).toMatchObject({ method: 'PUT', path: `${path}/notes`, body: { kind: 'Note' } });
  await notes.patch(key, apply({ kind: 'Note' }), { force: true });
  expect(last()).toMatchObject({
    method: 'PATCH',
    contentType: 'application/apply-patch+yaml',
    query: { force: 'true' },
    body: { kind: 'Note' },
  });
  await expect(notes.get({ name: 'x' })).rejects.toThrow('metadata.namespace is not set');
});

test('scale', async () => {
  const { resource, last } = setUp({ kind: 'Scale', metadata: key, spec: { replicas: 2 } });
  const scale = await resource.scale.get(key);
  expect(scale.spec.replicas).toBe(2);
  await resource.scale.update(key, { ...scale, spec: { replicas: 3 } });
  expect(last()).toMatchObject({
    method: 'PUT',
    path: `${path}/scale`,
    body: { kind: 'Scale', spec: { replicas: 3 } },
  });
});

test('apply and status', async () => {
  const { resource, last } = setUp();
  await resource.apply({ metadata: key, spec: 1 }, { force: true, fieldManager: 'other' });
  const body = { apiVersion: 'x.dev/v1', kind: 'Thing', metadata: key };
  expect(last()).toMatchObject({
    method: 'PATCH',
    path,
    contentType: 'application/apply-patch+yaml',
    query: { force: 'true', fieldManager: 'other' },
    body: { ...body, spec: 1 },
  });
  await resource.applyStatus({ metadata: key, status: 2 });
  expect(last()).toMatchObject({ path: `${path}/status`, query: { fieldManager: 'me' }, body: { ...body, status: 2 } });
  await resource.patchStatus(key, merge({ status: 3 }));
  expect(last()).toMatchObject({ path: `${path}/status`, contentType: 'application/merge-patch+json' });
});

test('a pod is evicted', async () => {
  const { client, last } = setUp({ kind: 'Status' });
  expect(await evict(client, key, { gracePeriodSeconds: 5, dryRun: true })).toBeUndefined();
  expect(last()).toMatchObject({
    method: 'POST',
    path: '/api/v1/namespaces/a/pods/x/eviction',
    query: { dryRun: 'All' },
    body: { kind: 'Eviction', metadata: key, deleteOptions: { kind: 'DeleteOptions', gracePeriodSeconds: 5 } },
  });
});

test('a token of a service account', async () => {
  const status = { token: 'secret', expirationTimestamp: '2026-01-01T00:00:00Z' };
  const { client, last } = setUp({ kind: 'TokenRequest', status });
  expect(await requestToken(client, key, { audiences: ['vault'], expirationSeconds: 600 })).toEqual(status);
  expect(last()).toMatchObject({
    method: 'POST',
    path: '/api/v1/namespaces/a/serviceaccounts/x/token',
    body: { kind: 'TokenRequest', spec: { audiences: ['vault'], expirationSeconds: 600 } },
  });
});

test('a strategic patch of a custom kind is refused before anything is sent', async () => {
  const { client, resource, server, last } = setUp();
  const message = 'cannot patch things.x.dev: strategic patches are for the built-in kinds; use merge, json or apply';
  await expect(resource.patch(key, strategic({}))).rejects.toThrow(message);
  await expect(resource.patchStatus(key, strategic({}))).rejects.toThrow(message);
  await expect(resource.subresource('status').patch(key, strategic({}))).rejects.toThrow(message);
  expect(server.requests).toEqual([]);
  const lease: Kind = { ...things, group: 'coordination.k8s.io' };
  for (const kind of [Pod, ConfigMap, lease]) {
    await client.of(kind as Kind).patch(key, strategic({}));
    expect(last()?.contentType).toBe('application/strategic-merge-patch+json');
  }
});
