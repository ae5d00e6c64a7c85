import { expect, test } from 'vitest';
import { builtinResources, createRegistry } from '../builtin/index.ts';
import type { ApiRequest, ApiResponse, ResourceInfo } from '../types.ts';
import { compareVersions, discoveryRoute } from './index.ts';

const registry = createRegistry(builtinResources());
const route = discoveryRoute(registry, { address: '127.0.0.1:6443' });
const aggregatedAccept =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

function get(path: string, accept?: string): ApiResponse & { kind: 'object' } {
  const request: ApiRequest = {
    method: 'GET',
    path,
    user: { name: 'test', groups: [] },
    ...(accept ? { accept } : {}),
  };
  const response = route.handle(request);
  if (response instanceof Promise || response.kind !== 'object') throw new Error('expected an object at once');
  return response;
}

test('known paths match, resources and unknown groups do not', () => {
  for (const path of ['/api', '/api/', '/apis', '/api/v1', '/apis/apps', '/apis/apps/v1'])
    expect(route.match(path)).toBe(true);
  for (const path of ['/api/v2', '/apis/nope', '/apis/apps/v2', '/api/v1/pods', '/version'])
    expect(route.match(path)).toBe(false);
});

test('plain resource lists name subresources, short names and storage hashes as the real server does', () => {
  const body = get('/apis/apps/v1').body as { resources: readonly Record<string, unknown>[] };
  const byName = new Map(body.resources.map((entry) => [entry.name, entry]));
  expect(byName.get('deployments')).toEqual({
    name: 'deployments',
    singularName: 'deployment',
    namespaced: true,
    kind: 'Deployment',
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['deploy'],
    categories: ['all'],
    storageVersionHash: '8aSe+NMegvE=',
  });
  expect(byName.get('deployments/scale')).toMatchObject({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
  expect(byName.get('daemonsets')?.storageVersionHash).toBe('dd7pWHUlMKQ=');
});

test('groups list versions with the preferred one first', () => {
  const body = get('/apis').body as { groups: readonly { name: string; preferredVersion: { version: string } }[] };
  expect(body.groups.find((group) => group.name === 'autoscaling')?.preferredVersion.version).toBe('v2');
  expect(body.groups.map((group) => group.name)).not.toContain('');
});

test('the aggregated document is negotiated, typed and tagged', () => {
  const response = get('/apis', aggregatedAccept);
  expect(response.headers?.['Content-Type']).toBe(
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  );
  expect(response.headers?.ETag).toMatch(/^"[0-9A-F]{128}"$/);
  const body = response.body as { items: readonly { metadata: { name: string }; versions: readonly object[] }[] };
  const apps = body.items.find((item) => item.metadata.name === 'apps');
  expect(apps?.versions[0]).toMatchObject({ version: 'v1', freshness: 'Current' });
  expect(get('/apis', 'application/json').body).toMatchObject({ kind: 'APIGroupList' });
});

test('discovery follows the registry', () => {
  const live = createRegistry(builtinResources());
  const liveRoute = discoveryRoute(live);
  const pods = live.find('', 'v1', 'pods') as ResourceInfo;
  live.set({ ...pods, group: 'example.com', version: 'v1alpha1', plural: 'widgets', kind: 'Widget', builtIn: false });
  expect(liveRoute.match('/apis/example.com/v1alpha1')).toBe(true);
  live.remove('example.com', 'v1alpha1', 'widgets');
  expect(liveRoute.match('/apis/example.com')).toBe(false);
});

test('versions are ordered by stability, then number', () => {
  const versions = ['v1beta1', 'foo', 'v1', 'v2alpha1', 'v10', 'v2', 'v1beta2'];
  expect(versions.sort(compareVersions)).toEqual(['v10', 'v2', 'v1', 'v1beta2', 'v1beta1', 'v2alpha1', 'foo']);
});

test('what is accepted is taken by quality and order; what cannot be given is refused', () => {
  const form = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const typeOf = (path: string, accept: string) => get(path, accept).headers?.['Content-Type'];
  expect(typeOf('/apis', `application/json;${form};profile=nopeer`)).toBe(`application/json;${form}`);
  expect(typeOf('/api', `application/json;q=0.1,application/yaml;${form}`)).toBe(`application/yaml;${form}`);
  expect(typeOf('/apis', `application/json;${form};q=0.1,application/json`)).toBeUndefined();
  expect(typeOf('/apis/apps', `application/json;${form},application/json`)).toBeUndefined();
  for (const accept of ['text/html', 'application/json;as=Table;g=meta.k8s.io;v=v1', `application/json;${form};q=0`])
    expect(() => get('/apis', accept), accept).toThrow('only the following media types are accepted');
  expect(() => get('/api/v1', `application/json;${form}`)).toThrow('only the following media types are accepted');
  expect(() => get('/api/v1', 'text/html')).toThrow('406: Not Acceptable');
});
