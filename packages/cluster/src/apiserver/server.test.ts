import { apiError } from '@coxswain/runtime/core';
import { describe, expect, it } from 'vitest';
import { configMap, configMaps, createTestApi, leases, pods, testResources, widget, widgets } from './rest/test-api.ts';

describe('paths', () => {
  it('answers plain text for an unknown group, a Status for an unknown version or resource', async () => {
    const api = await createTestApi();
    for (const path of ['/apis/apps/v9/deployments', '/api/v2/pods']) {
      expect(await api.fails('GET', path)).toMatchObject({ code: 404, reason: 'NotFound', details: {} });
    }
    for (const path of ['/apis/nope.io/v1/things', '/elsewhere', '/apis']) {
      expect(await api.ask('GET', path)).toMatchObject({ code: 404, body: '404 page not found\n' });
    }
    expect(await api.fails('GET', '/api/v1/namespaces/default/things')).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the server could not find the requested resource',
      reason: 'NotFound',
      details: {},
      code: 404,
    });
  });

  it('takes a trailing slash and percent-encoding', async () => {
    const api = await createTestApi();
    await api.ok('POST', `${configMaps}/`, { body: configMap('a') });
    expect((await api.ok('GET', '/api/v1/namespaces/default/configmaps/%61')).metadata.name).toBe('a');
    expect((await api.ask('GET', '/api/v1/namespaces/default/configmaps/%zz')).code).toBe(404);
  });

  it('keeps scope: no namespace for cluster kinds, no name without one for the others', async () => {
    const api = await createTestApi();
    expect((await api.fails('GET', '/api/v1/namespaces/default/namespaces')).code).toBe(404);
    expect((await api.fails('GET', '/api/v1/configmaps/a')).code).toBe(404);
    expect((await api.fails('POST', '/api/v1/configmaps', { body: configMap('a') })).code).toBe(405);
    await api.ok('GET', '/api/v1/configmaps');
  });

  it('tells a namespace from what is in it', async () => {
    const api = await createTestApi();
    await api.ok('POST', '/api/v1/namespaces', { body: { metadata: { name: 'a' } } });
    expect((await api.ok('GET', '/api/v1/namespaces/a')).kind).toBe('Namespace');
    expect((await api.ok('GET', '/api/v1/namespaces/a/status')).kind).toBe('Namespace');
    expect((await api.ok('GET', '/api/v1/namespaces/a/configmaps')).kind).toBe('ConfigMapList');
  });

  it('answers 405 for methods a path does not have', async () => {
    const api = await createTestApi();
    const tries = [
      ['PUT', configMaps],
      ['PATCH', configMaps],
      ['POST', `${configMaps}/a`],
      ['POST', '/api/v1/watch/namespaces/default/configmaps'],
      ['DELETE', `${pods}/a/status`],
    ] as const;
    for (const [method, path] of tries) {
      expect(await api.fails(method, path, { body: {} })).toMatchObject({ code: 405, reason: 'MethodNotAllowed' });
    }
    expect((await api.fails('GET', `${configMaps}/a/status`)).code).toBe(404);
    expect((await api.fails('GET', `${configMaps}/a/scale`)).code).toBe(404);
  });
});

describe('seams', () => {
  it('asks routes first', async () => {
    const route = {
      match: (path: string) => path === '/version',
      handle: () => ({ kind: 'text', code: 200, body: 'v' }) as const,
    };
    const api = await createTestApi({ routes: [route] });
    expect(await api.ask('GET', '/version')).toMatchObject({ code: 200, body: 'v' });
  });

  it('serves registered subresources with the parent and its operations', async () => {
    const api = await createTestApi({
      subresources: [
        {
          resource: '/pods',
          name: 'binding',
          verbs: ['create'],
          async handle({ request, operations }) {
            const { target } = request.body as { target: { name: string } };
            await operations.update((draft, old) => {
              if ((old.spec as { nodeName?: string }).nodeName) throw apiError(409, 'Conflict', 'already bound');
              draft.spec = { nodeName: target.name };
            });
            return { kind: 'object', code: 201, body: { kind: 'Status', status: 'Success' } };
          },
        },
      ],
    });
    await api.ok('POST', pods, { body: { metadata: { name: 'p' }, spec: {} } });
    const body = { target: { name: 'n1' } };
    expect((await api.ask('POST', `${pods}/p/binding`, { body })).code).toBe(201);
    expect((await api.ok('GET', `${pods}/p`)).spec).toEqual({ nodeName: 'n1' });
    expect((await api.fails('POST', `${pods}/p/binding`, { body })).message).toBe('already bound');
    expect((await api.fails('GET', `${pods}/p/binding`)).code).toBe(405);
    expect((await api.fails('POST', `${pods}/q/binding`, { body })).code).toBe(404);
    expect((await api.fails('POST', `${pods}/p/eviction`, { body })).code).toBe(404);
  });

  it('runs admission in order: changes before validation, refusals after', async () => {
    const seen: string[] = [];
    const api = await createTestApi({
      admission: [
        {
          name: 'label',
          admit({ operation, object }) {
            seen.push(`admit ${operation}`);
            if (object) (object.metadata as { labels?: object }).labels = { touched: 'yes' };
          },
        },
        {
          name: 'guard',
          async validate({ operation, name, old, warn }) {
            seen.push(`validate ${operation} ${name} ${old ? 'old' : 'new'}`);
            warn('looked at it');
            if (name === 'bad') throw apiError(403, 'Forbidden', 'no');
          },
        },
      ],
    });
    const { body, warnings } = await api.ask('POST', configMaps, { body: configMap('a') });
    expect(body).toMatchObject({ metadata: { labels: { touched: 'yes' } } });
    expect(warnings).toEqual(['looked at it']);
    expect((await api.fails('POST', configMaps, { body: configMap('bad') })).code).toBe(403);
    await api.ok('DELETE', `${configMaps}/a`);
    expect(seen).toEqual([
      'admit CREATE',
      'validate CREATE a new',
      'admit CREATE',
      'validate CREATE bad new',
      'admit DELETE',
      'validate DELETE a old',
    ]);
  });

  it('answers 500 for a fault of its own and goes on', async () => {
    const route = {
      match: (path: string) => path === '/broken',
      handle() {
        throw new TypeError('oops');
      },
    };
    const api = await createTestApi({ routes: [route] });
    expect(await api.fails('GET', '/broken')).toMatchObject({ code: 500, reason: 'InternalError' });
  });

  it('refuses a body that is nested too deeply', async () => {
    const api = await createTestApi();
    let data: unknown = {};
    for (let i = 0; i < 100_000; i++) data = [data];
    expect(await api.fails('POST', configMaps, { body: { metadata: { name: 'a' }, data } })).toMatchObject({
      code: 400,
      message: 'exceeded max depth',
    });
  });

  it('takes no second object of a name that a slow admission let wait', async () => {
    const waiting: (() => void)[] = [];
    const validate = ({ operation }: { operation: string }) =>
      operation === 'CREATE' ? new Promise<void>((resolve) => waiting.push(resolve)) : undefined;
    const api = await createTestApi({ admission: [{ name: 'slow', validate }] });
    const answers = [1, 2].map(() => api.ask('POST', configMaps, { body: configMap('a') }));
    while (waiting.length < 2) await Promise.resolve();
    for (const release of waiting) release();
    const codes = (await Promise.all(answers)).map((answer) => answer.code);
    expect(codes.sort()).toEqual([201, 409]);
  });

  it('answers questions without storing them', async () => {
    const [any] = testResources;
    if (!any) throw new Error('no test resources');
    const review = {
      ...any,
      group: 'authorization.k8s.io',
      kind: 'SelfSubjectAccessReview',
      plural: 'selfsubjectaccessreviews',
      namespaced: false,
      verbs: ['create'],
      schema: { type: 'object', properties: { metadata: {}, spec: { type: 'object' } } } as const,
      answer: (draft: object) => ({ ...draft, status: { allowed: true } }),
    };
    const api = await createTestApi({ resources: [review] });
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    expect(await api.ask('POST', path, { body: { spec: {} } })).toMatchObject({
      code: 201,
      body: { status: { allowed: true } },
    });
    expect((await api.fails('GET', path)).code).toBe(405);
    expect(api.storage.revision).toBe(1);
  });
});

describe('forms', () => {
  it('projects to metadata, refuses what it cannot do', async () => {
    const api = await createTestApi();
    await api.ok('POST', widgets, { body: widget('w', { size: 1 }) });
    const accept =
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
    const one = await api.ok('GET', `${widgets}/w`, { accept });
    expect(Object.keys(one)).toEqual(['kind', 'apiVersion', 'metadata']);
    expect(one).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'w' } });
    const many = await api.ok('GET', widgets, {
      accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    });
    expect(many).toMatchObject({ kind: 'PartialObjectMetadataList', items: [{ kind: 'PartialObjectMetadata' }] });
    expect(await api.fails('GET', widgets, { accept: 'text/html' })).toMatchObject({
      code: 406,
      reason: 'NotAcceptable',
    });
    expect((await api.fails('GET', widgets, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })).code).toBe(
      406,
    );
    const both = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    expect((await api.ok('GET', widgets, { accept: both })).kind).toBe('WidgetList');
  });

  it('makes tables with the given function, for objects, lists and watches', async () => {
    const api = await createTestApi({
      toTable: (resource, objects, options) => ({
        kind: 'Table',
        metadata: options.metadata,
        columnDefinitions: [{ name: resource.kind }],
        rows: objects.map((object) => ({
          cells: [object.metadata.name],
          include: options.includeObject ?? 'Metadata',
        })),
      }),
    });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    await api.ok('POST', widgets, { body: widget('w', { size: 1 }) });
    expect(await api.ok('GET', widgets, { accept, query: { includeObject: 'Object' } })).toEqual({
      kind: 'Table',
      metadata: { resourceVersion: '2' },
      columnDefinitions: [{ name: 'Widget' }],
      rows: [{ cells: ['w'], include: 'Object' }],
    });
    const watch = await api.watch(
      widgets,
      { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' },
      { accept },
    );
    await api.ok('POST', widgets, { body: widget('x', { size: 1 }) });
    expect(watch.events.map((event) => event.object)).toMatchObject([
      { kind: 'Table', columnDefinitions: [{ name: 'Widget' }], rows: [{ cells: ['w'] }] },
      { kind: 'Table', rows: [{ cells: [], object: { metadata: { resourceVersion: '2' } } }] },
      { kind: 'Table', columnDefinitions: null, rows: [{ cells: ['x'] }] },
    ]);
  });

  it('closes all watches', async () => {
    const api = await createTestApi();
    const watch = await api.watch(leases);
    api.server.close();
    expect(watch.ended).toBe(true);
  });
});
