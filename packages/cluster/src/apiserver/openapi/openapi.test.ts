import { expect, test } from 'vitest';
import { builtinResources, createRegistry } from '../builtin/index.ts';
import type { ApiRequest, ApiResponse, ResourceInfo } from '../types.ts';
import { openApiRoute, openApiV2Route } from './index.ts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Record<string, unknown>>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Record<string, unknown>>> };
}

const registry = createRegistry(builtinResources());
const route = openApiRoute(registry);

function ask(path: string, query: Readonly<Record<string, string>> = {}): ApiResponse {
  const request: ApiRequest = { method: 'GET', path, query, user: { name: 't', groups: [] } };
  const response = route.handle(request);
  if (response instanceof Promise) throw new Error('expected an answer at once');
  return response;
}

function documentOf(path: string): Document {
  const response = ask(path);
  if (response.kind !== 'object') throw new Error('expected an object');
  return response.body as Document;
}

function index(): Readonly<Record<string, { serverRelativeURL: string }>> {
  const response = ask('/openapi/v3');
  if (response.kind !== 'object') throw new Error('expected an object');
  return (response.body as { paths: Readonly<Record<string, { serverRelativeURL: string }>> }).paths;
}

test('the index names each group version with a hash; a stale hash is sent on', () => {
  const url = index()['apis/apps/v1']?.serverRelativeURL ?? '';
  const [path = '', query = ''] = url.split('?');
  expect(path).toBe('/openapi/v3/apis/apps/v1');
  const hash = query.slice('hash='.length);
  expect(ask(path, { hash })).toMatchObject({ code: 200, headers: { ETag: `"${hash}"` } });
  expect(ask(path, { hash: 'old' })).toMatchObject({ code: 301, headers: { Location: url } });
});

test('PATCH operations say what kubectl looks for', () => {
  const { paths } = documentOf('/openapi/v3/apis/apps/v1');
  const patch = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']?.patch;
  expect(patch).toMatchObject({
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' },
  });
  expect(patch?.parameters).toContainEqual({
    name: 'fieldValidation',
    in: 'query',
    schema: { type: 'string', uniqueItems: true },
  });
});

test('kinds carry their mark, and every reference leads somewhere', () => {
  for (const path of ['api/v1', 'apis/apps/v1', 'apis/apiextensions.k8s.io/v1', 'apis/autoscaling/v2']) {
    const document = documentOf(`/openapi/v3/${path}`);
    const text = JSON.stringify(document);
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      expect(document.components.schemas, `${path}: ${name}`).toHaveProperty([name]);
    }
  }
  const { schemas } = documentOf('/openapi/v3/api/v1').components;
  expect(schemas['io.k8s.api.core.v1.Pod']?.['x-kubernetes-group-version-kind']).toEqual([
    { group: '', version: 'v1', kind: 'Pod' },
  ]);
  expect(schemas['io.k8s.api.core.v1.PodList']).toBeDefined();
  expect(schemas['io.k8s.api.core.v1.PodSpec']).toMatchObject({
    properties: { containers: { 'x-kubernetes-patch-strategy': 'merge', 'x-kubernetes-patch-merge-key': 'name' } },
  });
});

test('custom resources are published live, under their reversed group', () => {
  const live = createRegistry(builtinResources());
  const liveRoute = openApiRoute(live);
  const pods = live.find('', 'v1', 'pods') as ResourceInfo;
  const schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
  } as const;
  expect(liveRoute.match('/openapi/v3/apis/example.com/v1')).toBe(false);
  live.set({
    ...pods,
    group: 'example.com',
    plural: 'widgets',
    kind: 'Widget',
    builtIn: false,
    schema,
    subresources: [],
  });
  expect(liveRoute.match('/openapi/v3/apis/example.com/v1')).toBe(true);
  const user = { name: 't', groups: [] };
  const response = liveRoute.handle({ method: 'GET', path: '/openapi/v3/apis/example.com/v1', user });
  expect(response).toMatchObject({
    body: {
      components: {
        schemas: { 'com.example.v1.Widget': { properties: { spec: { properties: { size: { type: 'integer' } } } } } },
      },
    },
  });
});

test('v2 is there, and says nothing, as JSON and as protobuf', () => {
  const request = { method: 'GET', path: '/openapi/v2', query: {}, user: { name: 't', groups: [] } } as const;
  expect(openApiV2Route.match('/openapi/v2')).toBe(true);
  expect(openApiV2Route.handle(request)).toMatchObject({
    kind: 'object',
    body: { swagger: '2.0', info: { title: 'Kubernetes' }, paths: {} },
  });
  const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  const answer = openApiV2Route.handle({ ...request, accept });
  if (answer instanceof Promise || answer.kind !== 'text') throw new Error('expected text at once');
  expect(answer.headers).toMatchObject({ 'Content-Type': accept.replace('@', '.') });
  // tag and length before each text; `info` holds two of them; `paths` is empty
  const info = '\n\nKubernetes\x12\x07v1.37.2';
  expect(answer.body).toBe(`\n\x032.0\x12${String.fromCharCode(info.length)}${info}B\0`);
});
