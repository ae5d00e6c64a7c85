import { expect, test } from 'vitest';
import { apiError, VirtualClock } from '../core/index.ts';
import { applyAny, type Client, createClient, createDiscovery, NoMatchError, type Transport } from './index.ts';

const verbs = ['get', 'list', 'watch'];
const widget = (version: string) => ({
  resource: 'widgets',
  responseKind: { group: 'x.dev', version, kind: 'Widget' },
  scope: 'Namespaced',
  singularResource: 'widget',
  shortNames: ['wd'],
  categories: ['all'],
  verbs,
  subresources: [{ subresource: 'status' }, { subresource: 'scale' }],
});
const node = { resource: 'nodes', responseKind: { kind: 'Node' }, scope: 'Cluster', singularResource: 'node', verbs };
const list = (...items: readonly object[]) => ({ kind: 'APIGroupDiscoveryList', items });
const core = list({ versions: [{ version: 'v1', resources: [node] }] });
const group = (...versions: readonly string[]) => ({
  metadata: { name: 'x.dev' },
  versions: versions.map((version) => ({ version, freshness: 'Current', resources: [widget(version)] })),
});

/** A server that answers by path, and counts what it was asked. */
function setUp(answers: Record<string, unknown>) {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const transport: Transport = {
    async send({ path, method }) {
      asked.push(path);
      const body = answers[path];
      if (body instanceof Error) throw body;
      if (body === undefined) throw apiError(404, 'NotFound', `HTTP 404: ${method} ${path}`);
      return { status: 200, body, warnings: [] };
    },
    watch: () => Promise.reject(new Error('no watches here')),
    close: async () => {},
  };
  const client: Client = createClient({ transport, clock, fieldManager: 'me' });
  return { clock, client, answers, asked, discovery: createDiscovery(client, { clock }) };
}

test('aggregated: two requests tell everything, once', async () => {
  const { discovery, asked } = setUp({ '/api': core, '/apis': list(group('v2', 'v1')) });
  const [kinds, found] = await Promise.all([discovery.kinds(), discovery.kindOf('x.dev/v1', 'Widget')]);
  expect(kinds.map(({ group, version, kind }) => [group, version, kind])).toEqual([
    ['', 'v1', 'Node'],
    ['x.dev', 'v2', 'Widget'],
    ['x.dev', 'v1', 'Widget'],
  ]);
  expect(found).toEqual({
    group: 'x.dev',
    version: 'v1',
    kind: 'Widget',
    plural: 'widgets',
    scope: 'Namespaced',
    singular: 'widget',
    shortNames: ['wd'],
    categories: ['all'],
    verbs,
    subresources: ['status', 'scale'],
  });
  expect(await discovery.kindFor({ apiVersion: 'v1', kind: 'Node' })).toMatchObject({
    plural: 'nodes',
    scope: 'Cluster',
  });
  await expect(discovery.kindFor({ kind: 'Node' })).rejects.toThrow('must say its apiVersion and kind');
  expect(asked).toEqual(['/api', '/apis']);
});

test('old servers are asked one version after the other; the preferred first, and one that fails hides no other', async () => {
  const resources = [
    { name: 'widgets/status', kind: 'Widget', namespaced: true },
    { name: 'widgets', kind: 'Widget', singularName: 'widget', namespaced: true, shortNames: ['wd'], verbs },
  ];
  const versions = ['v1', 'v2'].map((version) => ({ version, groupVersion: `x.dev/${version}` }));
  const metrics = { version: 'v1', groupVersion: 'metrics.dev/v1' };
  const { discovery } = setUp({
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/api/v1': { kind: 'APIResourceList', resources: [{ name: 'nodes', kind: 'Node', namespaced: false, verbs }] },
    '/apis': {
      kind: 'APIGroupList',
      groups: [
        { name: 'x.dev', versions, preferredVersion: versions[1] },
        { name: 'metrics.dev', versions: [metrics], preferredVersion: metrics },
      ],
    },
    '/apis/x.dev/v1': { kind: 'APIResourceList', resources },
    '/apis/x.dev/v2': { kind: 'APIResourceList', resources },
    '/apis/metrics.dev/v1': apiError(500, 'InternalError', 'the server behind is down'),
  });
  const kinds = await discovery.kinds();
  expect(kinds.map(({ version, kind, plural, scope }) => [version, kind, plural, scope])).toEqual([
    ['v1', 'Node', 'nodes', 'Cluster'],
    ['v2', 'Widget', 'widgets', 'Namespaced'],
    ['v1', 'Widget', 'widgets', 'Namespaced'],
  ]);
  expect(kinds[1]).toMatchObject({ singular: 'widget', shortNames: ['wd'], subresources: ['status'] });
  await expect(discovery.kindOf('metrics.dev/v1', 'NodeMetrics')).rejects.toThrow(
    'the server has no kind "NodeMetrics" in metrics.dev/v1; is its CRD installed?; these did not answer: metrics.dev/v1',
  );
});

test('what is not found is looked for again, but not more often than each few seconds', async () => {
  const { discovery, answers, asked, clock } = setUp({ '/api': core, '/apis': list() });
  const miss = () => expect(discovery.kindOf('x.dev/v1', 'Widget')).rejects.toThrow(NoMatchError);
  await miss();
  answers['/apis'] = list(group('v1'));
  await miss();
  expect(asked).toHaveLength(2);
  await clock.advance(5_000);
  const both = await Promise.all([discovery.kindOf('x.dev/v1', 'Widget'), discovery.kindOf('x.dev/v1', 'Widget')]);
  expect(both[0].plural).toBe('widgets');
  expect(asked).toHaveLength(4);
  await clock.advance(60_000);
  await discovery.kindOf('x.dev/v1', 'Widget');
  expect(asked).toHaveLength(4);
});

test('after invalidate everything is asked again, at once; an answer on its way is not kept', async () => {
  const { discovery, answers, asked } = setUp({ '/api': core, '/apis': list() });
  const early = discovery.kinds();
  discovery.invalidate();
  answers['/apis'] = list(group('v1'));
  expect(await discovery.kinds()).toHaveLength(2);
  await early;
  expect(await discovery.kinds()).toHaveLength(2);
  expect(asked).toHaveLength(4);
});

test('a server that cannot be asked is an error, and the next question tries again', async () => {
  const { discovery, answers } = setUp({ '/api': core, '/apis': apiError(403, 'Forbidden', 'no') });
  await expect(discovery.kinds()).rejects.toMatchObject({ code: 403 });
  answers['/apis'] = list(group('v1'));
  expect(await discovery.kinds()).toHaveLength(2);
});

test('an object of any kind is applied; when its kind has gone, it is looked for again', async () => {
  const object = { apiVersion: 'x.dev/v1', kind: 'Widget', metadata: { namespace: 'a', name: 'x' } };
  const { client, discovery, answers, asked, clock } = setUp({ '/api': core, '/apis': list(group('v1')) });
  const path = '/apis/x.dev/v1/namespaces/a/widgets/x';
  answers[path] = object;
  expect(await applyAny(client, discovery, object)).toEqual(object);
  expect(asked.at(-1)).toBe(path);
  answers[path] = apiError(404, 'NotFound', 'namespaces "a" not found', { name: 'a', kind: 'namespaces' });
  answers['/apis'] = list(group('v2'));
  await clock.advance(5_000);
  await expect(applyAny(client, discovery, object)).rejects.toThrow('namespaces "a" not found');
  answers[path] = undefined;
  await expect(applyAny(client, discovery, object)).rejects.toMatchObject({ code: 404 });
  await expect(applyAny(client, discovery, object)).rejects.toThrow(NoMatchError);
  expect(asked.filter((asked) => asked === '/apis')).toHaveLength(2);
});
