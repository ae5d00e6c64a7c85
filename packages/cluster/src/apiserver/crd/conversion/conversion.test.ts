import type { DynamicObject, MutableJson, Status } from '@coxswain/k8s';
import type { Method } from '@coxswain/runtime/client';
import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { openStorage } from '../../../storage/index.ts';
import { mutatingWebhooks, type WebhookRequest } from '../../admission/webhook/index.ts';
import { builtinResources, createRegistry } from '../../builtin/index.ts';
import { createApiServer } from '../../server.ts';
import type { OutgoingEvent } from '../../types.ts';
import { installCrds } from '../index.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const things = (version: string) => `/apis/c.example/${version}/namespaces/default/things`;
const mergePatch = 'application/merge-patch+json';
const applyPatch = 'application/apply-patch+yaml';

/** v1 has `spec.host` and `spec.port`, v2 has `spec.address`. */
const schemas = {
  v1: { host: { type: 'string' }, port: { type: 'integer', default: 80 } },
  v2: { address: { type: 'string' }, note: { type: 'string', default: 'none' } },
};

function version(name: 'v1' | 'v2', storage: string) {
  const spec = { type: 'object', properties: schemas[name] };
  const status = { type: 'object', properties: { ready: { type: 'integer' } } };
  const openAPIV3Schema = { type: 'object', properties: { spec, status } };
  const scale = { specReplicasPath: '.spec.port', statusReplicasPath: '.status.ready' };
  return {
    name,
    served: true,
    storage: name === storage,
    schema: { openAPIV3Schema },
    subresources: { status: {}, scale },
  };
}

function definition(storage: string, conversion: object) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.c.example' },
    spec: {
      group: 'c.example',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [version('v1', storage), version('v2', storage)],
      conversion,
    },
  };
}

const byWebhook = {
  strategy: 'Webhook',
  webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://hooks.example/convert' } },
};

const thing = (version: string, name: string, spec: object) => ({
  apiVersion: `c.example/${version}`,
  kind: 'Thing',
  metadata: { name },
  spec,
});

interface Review {
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: DynamicObject[] };
}

function converted(object: DynamicObject, apiVersion: string): unknown {
  const { host, port, address } = object.spec as { host?: string; port?: number; address?: string };
  const [a, b] = (address ?? '').split(':');
  const spec = apiVersion.endsWith('v2') ? { address: `${host}:${port}` } : { host: a, port: Number(b) };
  return { ...object, apiVersion, spec };
}

/** A server with a webhook that converts, whose answers can be made to differ. */
async function serve(conversion: object = byWebhook, storage = 'v1') {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const store = await openStorage({ clock, log: silentLogger, fsync: 'off' });
  const registry = createRegistry(builtinResources());
  const asked: { readonly to: string; readonly names: readonly string[] }[] = [];
  const hook = { spoil: (response: MutableJson): unknown => response };
  const admitted: DynamicObject[] = [];
  async function call({ review }: WebhookRequest): Promise<unknown> {
    if (review.kind === 'AdmissionReview') {
      const { uid, object } = review.request as { uid: string; object: DynamicObject };
      admitted.push(object);
      const patch = Buffer.from(JSON.stringify([{ op: 'replace', path: '/spec/port', value: 99 }])).toString('base64');
      return { ...review, response: { uid, allowed: true, patch, patchType: 'JSONPatch' } };
    }
    const { request } = review as unknown as Review;
    const { uid, desiredAPIVersion: to, objects } = request;
    asked.push({ to, names: objects.map(({ metadata }) => metadata.name) });
    await clock.turn();
    const convertedObjects = objects.map((object) => converted(object, to));
    const response = hook.spoil({ uid, convertedObjects, result: { status: 'Success' } });
    return { apiVersion: review.apiVersion, kind: review.kind, response };
  }
  const crds = installCrds({ registry, storage: store, clock, random, call });
  const admission = [mutatingWebhooks({ random, registry, call })];
  const server = createApiServer({ storage: store, registry, clock, random, log: silentLogger, admission });
  async function respond(method: Method, path: string, body?: unknown, contentType?: string) {
    const [plain = '', query = ''] = path.split('?');
    return server.handle({
      method,
      path: plain,
      query: Object.fromEntries(new URLSearchParams(query)),
      user: { name: 'admin', groups: [] },
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { contentType }),
    });
  }
  async function ask<T = DynamicObject>(...request: Parameters<typeof respond>) {
    const response = await respond(...request);
    if (response.kind !== 'object') throw new Error('an object was asked for');
    return { code: response.code, body: response.body as T };
  }
  async function watch(path: string) {
    const response = await respond('GET', path);
    if (response.kind !== 'watch') throw new Error('a watch was asked for');
    const events: OutgoingEvent[] = [];
    const state = { events, ended: false };
    response.stream.start(
      (batch) => void events.push(...batch),
      () => {
        state.ended = true;
      },
    );
    return state;
  }
  const created = await ask('POST', definitions, definition(storage, conversion));
  expect(created.code).toBe(201);
  return { ask, watch, asked, admitted, hook, clock, storage: store, crds };
}

/** Put before what went wrong when a stored object cannot be shown. */
const unreadable =
  /^Internal error occurred: StorageError: corrupt object, Code: 7, Key: \/c\.example\/things\/default\/a, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=\d+: /;

const specs = (events: readonly OutgoingEvent[]) =>
  events.map(({ type, object }) => [type, (object as DynamicObject).metadata.name, (object as DynamicObject).spec]);

test('an object is read in every version, and stored in one', async () => {
  const { ask, storage, asked } = await serve();
  expect((await ask('POST', things('v1'), thing('v1', 'a', { host: 'h' }))).body.spec).toEqual({ host: 'h', port: 80 });
  expect(asked).toEqual([]);
  expect((await ask('GET', `${things('v2')}/a`)).body).toMatchObject({
    apiVersion: 'c.example/v2',
    spec: { address: 'h:80' },
  });
  const made = await ask('POST', things('v2'), thing('v2', 'b', { address: 'x:1' }));
  expect(made.body).toMatchObject({ apiVersion: 'c.example/v2', spec: { address: 'x:1' } });
  const key = { resource: 'c.example/things', namespace: 'default', name: 'b' };
  expect(storage.get(key)).toMatchObject({ apiVersion: 'c.example/v1', spec: { host: 'x', port: 1 } });
});

test('lists ask once for all that are of another version', async () => {
  const { ask, asked } = await serve();
  for (const name of ['a', 'b', 'c']) await ask('POST', things('v1'), thing('v1', name, { host: name }));
  const { body } = await ask<{ items: DynamicObject[] }>('GET', things('v2'));
  expect(body.items.map(({ spec }) => spec)).toEqual(['a', 'b', 'c'].map((name) => ({ address: `${name}:80` })));
  await ask('GET', things('v2'));
  await ask('GET', `${things('v2')}?fieldSelector=metadata.name%3Da`);
  expect(asked).toEqual([{ to: 'c.example/v2', names: ['a', 'b', 'c'] }]);
});

test('updates, patches, status, scale and deletes go through the conversion', async () => {
  const { ask, storage } = await serve();
  await ask('POST', things('v1'), thing('v1', 'a', { host: 'h' }));
  const patched = await ask('PATCH', `${things('v2')}/a`, { spec: { address: 'h:81' } }, mergePatch);
  expect(patched.body).toMatchObject({
    apiVersion: 'c.example/v2',
    spec: { address: 'h:81' },
    metadata: { generation: 2 },
  });
  await ask('PATCH', `${things('v2')}/a/status`, { status: { ready: 3 } }, mergePatch);
  expect((await ask('GET', `${things('v1')}/a/scale`)).body).toMatchObject({
    spec: { replicas: 81 },
    status: { replicas: 3 },
  });
  const applied = thing('v2', 'a', { address: 'i:7' });
  expect((await ask('PATCH', `${things('v2')}/a?fieldManager=me&force=true`, applied, applyPatch)).code).toBe(200);
  const key = { resource: 'c.example/things', namespace: 'default', name: 'a' };
  expect(storage.get(key)).toMatchObject({
    apiVersion: 'c.example/v1',
    spec: { host: 'i', port: 7 },
    status: { ready: 3 },
  });
  await ask('PATCH', `${things('v2')}/a`, { metadata: { finalizers: ['c.example/hold'] } }, mergePatch);
  const held = await ask('DELETE', `${things('v2')}/a`);
  expect(held.body).toMatchObject({ apiVersion: 'c.example/v2', metadata: { deletionGracePeriodSeconds: 0 } });
  expect(storage.get(key)).toMatchObject({ apiVersion: 'c.example/v1', spec: { host: 'i' } });
  await ask('PATCH', `${things('v2')}/a`, { metadata: { finalizers: null } }, mergePatch);
  expect(storage.get(key)).toBeUndefined();
});

test('a watch shows its version, in order, also of what comes while it waits', async () => {
  const { ask, watch, clock } = await serve();
  await ask('POST', things('v1'), thing('v1', 'a', { host: 'a' }));
  const seen = await watch(
    `${things('v2')}?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
  );
  const writes = ['b', 'c'].map((name) => ask('POST', things('v1'), thing('v1', name, { host: name })));
  await Promise.all(writes);
  await ask('PATCH', `${things('v1')}/a`, { spec: { port: 5 } }, mergePatch);
  await ask('DELETE', `${things('v1')}/b`);
  await clock.settle();
  expect(specs(seen.events)).toEqual([
    ['ADDED', 'a', { address: 'a:80' }],
    ['BOOKMARK', undefined, undefined],
    ['ADDED', 'b', { address: 'b:80' }],
    ['ADDED', 'c', { address: 'c:80' }],
    ['MODIFIED', 'a', { address: 'a:5' }],
    ['DELETED', 'b', { address: 'b:80' }],
  ]);
});

test('what a webhook answers wrongly is an error, and nothing is stored', async () => {
  const { ask, hook, watch, clock } = await serve();
  await ask('POST', things('v1'), thing('v1', 'a', { host: 'h' }));
  const seen = await watch(`${things('v2')}?watch=true`);
  await clock.settle();
  const message = async (spoil: (response: MutableJson) => unknown) => {
    hook.spoil = spoil;
    const { code, body } = await ask<Status>('GET', `${things('v2')}/a`);
    return `${code} ${body.message?.replace(unreadable, '')}`;
  };
  const failed = '500 conversion webhook for c.example/v1, Kind=Thing';
  expect(await message((r) => ({ ...r, result: { status: 'Failure', message: 'no way' } }))).toBe(
    `${failed} failed: no way`,
  );
  expect(await message((r) => ({ ...r, result: {} }))).toBe(
    `${failed} failed: response.result.status was '', not 'Success'`,
  );
  expect(await message(() => undefined)).toBe(`${failed} failed: no response provided`);
  expect(await message((r) => ({ ...r, uid: 'x' }))).toMatch(
    / failed: expected response.uid="[-0-9a-f]{36}", got "x"$/,
  );
  expect(await message((r) => ({ ...r, convertedObjects: [] }))).toBe(`${failed} returned 0 objects, expected 1`);
  const changed = (change: object) => (response: MutableJson) => {
    const [first] = response.convertedObjects as [DynamicObject];
    const { metadata = {}, ...rest } = change as { metadata?: object };
    return { ...response, convertedObjects: [{ ...first, ...rest, metadata: { ...first.metadata, ...metadata } }] };
  };
  const at0 = `${failed} returned invalid object at index 0`;
  expect(await message(changed({ apiVersion: 'c.example/v3' }))).toBe(
    `${at0}: invalid groupVersion (expected c.example/v2, received c.example/v3)`,
  );
  expect(await message(changed({ kind: 'Other' }))).toBe(`${at0}: invalid kind (expected Thing, received Other)`);
  expect(await message(changed({ metadata: { name: 'b' } }))).toBe(
    `${failed} returned invalid object: must have the same name: a != b`,
  );
  expect(await message(changed({ metadata: { labels: { a: 1 } } }))).toBe(
    `${failed} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`,
  );
  hook.spoil = () => undefined;
  expect((await ask('POST', things('v2'), thing('v2', 'b', { address: 'x:1' }))).code).toBe(500);
  expect((await ask('GET', `${things('v1')}/b`)).code).toBe(404);
  await ask('PATCH', `${things('v1')}/a`, { spec: { port: 5 } }, mergePatch);
  await clock.settle();
  expect(seen.events.at(-1)?.type).toBe('ERROR');
  expect(seen.ended).toBe(true);
});

test('of the metadata a webhook may change labels and annotations only', async () => {
  const { ask, hook } = await serve();
  await ask('POST', things('v1'), { ...thing('v1', 'a', { host: 'h' }), metadata: { name: 'a', labels: { x: '1' } } });
  hook.spoil = (response) => {
    const [first] = response.convertedObjects as [DynamicObject];
    const metadata = {
      ...first.metadata,
      labels: { y: '2' },
      annotations: { z: '3' },
      finalizers: ['a/b'],
      generation: 9,
    };
    return { ...response, convertedObjects: [{ ...first, metadata }] };
  };
  const { metadata } = (await ask('GET', `${things('v2')}/a`)).body;
  expect(metadata).toMatchObject({ labels: { y: '2' }, annotations: { z: '3' }, generation: 1 });
  expect(metadata.finalizers).toBeUndefined();
});

test('an admission webhook sees the version it asked for, and what it changes comes back', async () => {
  const { ask, admitted, storage } = await serve();
  await ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  const rule = { operations: ['CREATE'], apiGroups: ['c.example'], apiVersions: ['v1'], resources: ['things'] };
  const created = await ask('POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'hooks' },
    webhooks: [
      {
        name: 'a.hooks.example',
        clientConfig: { url: 'https://hooks.example/admit' },
        rules: [rule],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
  expect(created.code).toBe(201);
  const { body } = await ask('POST', things('v2'), thing('v2', 'a', { address: 'x:1' }));
  expect(admitted.map(({ apiVersion, spec }) => [apiVersion, spec])).toEqual([
    ['c.example/v1', { host: 'x', port: 1 }],
  ]);
  expect(body).toMatchObject({ apiVersion: 'c.example/v2', spec: { address: 'x:99' } });
  const key = { resource: 'c.example/things', namespace: 'default', name: 'a' };
  expect(storage.get(key)).toMatchObject({ apiVersion: 'c.example/v1', spec: { host: 'x', port: 99 } });
});

test('without a webhook versions differ in what their schemas know', async () => {
  const { ask, storage } = await serve({ strategy: 'None' }, 'v2');
  const spec = { host: 'h', address: 'x' };
  expect((await ask('POST', things('v1'), thing('v1', 'a', spec))).body.spec).toEqual({});
  const key = { resource: 'c.example/things', namespace: 'default', name: 'a' };
  expect(storage.get(key)).toMatchObject({ apiVersion: 'c.example/v2', spec: {} });
});

test('a default that came later shows in what was stored before, and is not stored by reading', async () => {
  const { ask, storage } = await serve({ strategy: 'None' }, 'v1');
  await ask('POST', things('v1'), thing('v1', 'a', { host: 'h' }));
  const { body } = await ask('GET', `${definitions}/things.c.example`);
  const text = JSON.stringify(body).replace('"host":{"type":"string"}', '"extra":{"type":"integer","default":7}');
  expect((await ask('PUT', `${definitions}/things.c.example`, JSON.parse(text))).code).toBe(200);
  expect((await ask('GET', `${things('v1')}/a`)).body.spec).toEqual({ port: 80, extra: 7 });
  const key = { resource: 'c.example/things', namespace: 'default', name: 'a' };
  expect(storage.get(key)).toMatchObject({ spec: { host: 'h', port: 80 } });
});

test('a watch of a kind ends when its definition changes', async () => {
  const { ask, watch } = await serve();
  const seen = await watch(`${things('v1')}?watch=true`);
  await ask('PATCH', `${definitions}/things.c.example`, { metadata: { labels: { a: 'b' } } }, mergePatch);
  expect(seen.ended).toBe(false);
  await ask('PATCH', `${definitions}/things.c.example`, { spec: { names: { shortNames: ['th'] } } }, mergePatch);
  expect(seen.ended).toBe(true);
});
