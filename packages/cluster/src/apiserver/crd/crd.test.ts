import type { DynamicObject, Status } from '@coxswain/k8s';
import type { Method } from '@coxswain/runtime/client';
import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { openStorage } from '../../storage/index.ts';
import type { Storage } from '../../storage/types.ts';
import { builtinAdmission } from '../admission/index.ts';
import { bootstrapCluster } from '../bootstrap/index.ts';
import { builtinResources, createRegistry } from '../builtin/index.ts';
import { createApiServer } from '../server.ts';
import type { ApiServer } from '../types.ts';
import { installCrds } from './index.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const mergePatch = 'application/merge-patch+json';

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { size: { type: 'integer', minimum: 1 }, color: { type: 'string', default: 'red' } },
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' } } },
  },
};

function version(name: string, storage = true, extra: object = {}): object {
  return { name, served: true, storage, schema: { openAPIV3Schema: schema }, ...extra };
}

function definition(versions: readonly object[] = [version('v1')], names: object = {}): object {
  const { plural = 'widgets' } = names as { plural?: string };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: Object.assign({ plural: 'widgets', kind: 'Widget', shortNames: ['wd'] }, names),
      versions,
    },
  };
}

const widget = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, ...metadata },
  spec,
});

const noWebhooks = () => Promise.reject(new Error('there are no webhooks'));

async function serve(storage?: Storage) {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const store = storage ?? (await openStorage({ clock, log: silentLogger, fsync: 'off' }));
  const registry = createRegistry(builtinResources());
  bootstrapCluster({ registry, storage: store, clock, random });
  const crds = installCrds({ registry, storage: store, clock, random, call: noWebhooks });
  const admission = builtinAdmission({ random });
  const server: ApiServer = createApiServer({ storage: store, registry, clock, random, log: silentLogger, admission });
  async function ask<T = DynamicObject>(method: Method, path: string, body?: unknown, contentType?: string) {
    const response = await server.handle({
      method,
      path,
      user: { name: 'admin', groups: [] },
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { contentType }),
    });
    if (response.kind === 'watch') throw new Error('a watch was not asked for');
    return { code: response.code, body: response.body as T };
  }
  return { ask, server, registry, storage: store, crds };
}

interface CrdStatus {
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  readonly acceptedNames: object;
  readonly storedVersions: readonly string[];
}

const statusOf = (object: DynamicObject) => object.status as CrdStatus;

test('a definition is established at once and its kind is served with defaults and validation', async () => {
  const { ask } = await serve();
  expect((await ask('GET', widgets)).code).toBe(404);
  const created = await ask('POST', definitions, definition());
  expect(created.code).toBe(201);
  expect(statusOf(created.body)).toEqual({
    acceptedNames: { kind: '', plural: '' },
    conditions: null,
    storedVersions: ['v1'],
  });
  const status = statusOf((await ask('GET', `${definitions}/widgets.example.com`)).body);
  expect(status.conditions).toMatchObject([
    { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts' },
    { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' },
  ]);
  expect(status.acceptedNames).toEqual({
    plural: 'widgets',
    singular: 'widget',
    kind: 'Widget',
    listKind: 'WidgetList',
    shortNames: ['wd'],
  });
  const made = await ask('POST', widgets, widget('a', { size: 2 }));
  expect(made).toMatchObject({ code: 201, body: { spec: { size: 2, color: 'red' }, metadata: { generation: 1 } } });
  expect((await ask('POST', widgets, widget('b', { size: 0 }))).code).toBe(422);
});

test('versions come and go with the definition', async () => {
  const { ask, registry } = await serve();
  await ask(
    'POST',
    definitions,
    definition([version('v1', true, { subresources: { status: {} } }), version('v2', false)]),
  );
  expect(registry.find('example.com', 'v2', 'widgets')).toBeDefined();
  expect(registry.find('example.com', 'v1', 'widgets')?.status).toBe(true);
  const path = `${definitions}/widgets.example.com`;
  await ask('PATCH', path, { spec: { versions: [version('v1')] } }, mergePatch);
  expect(registry.find('example.com', 'v2', 'widgets')).toBeUndefined();
  expect(registry.find('example.com', 'v1', 'widgets')?.status).toBe(false);
});

test('a status write of a definition does not serve it anew', async () => {
  const { ask, registry } = await serve();
  await ask('POST', definitions, definition());
  const served = registry.find('example.com', 'v1', 'widgets');
  await ask('PATCH', `${definitions}/widgets.example.com`, { metadata: { labels: { a: 'b' } } }, mergePatch);
  expect(registry.find('example.com', 'v1', 'widgets')).toBe(served);
});

test('names another definition of the group has are refused, and free when it goes', async () => {
  const { ask, registry } = await serve();
  await ask('POST', definitions, definition());
  await ask('POST', definitions, definition([version('v1')], { plural: 'gadgets', kind: 'Widget', shortNames: [] }));
  const path = `${definitions}/gadgets.example.com`;
  expect(statusOf((await ask('GET', path)).body).conditions).toMatchObject([
    { type: 'NamesAccepted', status: 'False' },
    { type: 'Established', status: 'False', reason: 'NotAccepted' },
  ]);
  expect(registry.find('example.com', 'v1', 'gadgets')).toBeUndefined();
  await ask('DELETE', `${definitions}/widgets.example.com`);
  expect(registry.find('example.com', 'v1', 'gadgets')).toBeDefined();
});

test('deletion takes the objects along, waits for their finalizers and refuses new ones', async () => {
  const { ask, registry, storage } = await serve();
  await ask('POST', definitions, definition());
  await ask('POST', widgets, widget('plain'));
  await ask('POST', widgets, widget('held', {}, { finalizers: ['example.com/hold'] }));
  const deleted = await ask('DELETE', `${definitions}/widgets.example.com`);
  expect(deleted.body.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
  const waiting = await ask('GET', `${definitions}/widgets.example.com`);
  expect(statusOf(waiting.body).conditions.at(-1)).toMatchObject({ type: 'Terminating', status: 'True' });
  expect((await ask('GET', `${widgets}/plain`)).code).toBe(404);
  const held = await ask('GET', `${widgets}/held`);
  expect(held.body.metadata.deletionTimestamp).toBeDefined();
  const refused = await ask<Status>('POST', widgets, widget('late'));
  expect(refused.code).toBe(403);
  expect(refused.body.message).toContain('create not allowed while custom resource definition is terminating');
  await ask('PATCH', `${widgets}/held`, { metadata: { finalizers: null } }, mergePatch);
  expect((await ask('GET', `${definitions}/widgets.example.com`)).code).toBe(404);
  expect(registry.find('example.com', 'v1', 'widgets')).toBeUndefined();
  expect(storage.list('example.com/widgets').objects).toEqual([]);
});

test('watches end with their definition, after the last of their events', async () => {
  const { ask, server } = await serve();
  await ask('POST', definitions, definition());
  await ask('POST', widgets, widget('a'));
  const watch = await server.handle({
    method: 'GET',
    path: widgets,
    query: { watch: 'true' },
    user: { name: 'admin', groups: [] },
  });
  if (watch.kind !== 'watch') throw new Error('no watch');
  const seen: string[] = [];
  watch.stream.start(
    (events) => seen.push(...events.map(({ type }) => type)),
    () => seen.push('end'),
  );
  await ask('DELETE', `${definitions}/widgets.example.com`);
  expect(seen).toEqual(['ADDED', 'DELETED', 'end']);
});

test('a restart serves all definitions before the first request', async () => {
  const first = await serve();
  await first.ask('POST', definitions, definition());
  await first.ask('POST', widgets, widget('a'));
  first.crds.cancel();
  const second = await serve(first.storage);
  expect((await second.ask('GET', `${widgets}/a`)).code).toBe(200);
});
