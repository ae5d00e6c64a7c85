import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { builtinResources, createRegistry } from '../builtin/index.ts';
import type { ApiRequest, ApiResponse, ResourceInfo } from '../types.ts';
import { digest, digestsOf } from './fixtures/digests.ts';
import { openApiRoute, openApiV2Route } from './index.ts';

type Digests = Readonly<Record<string, string>>;

const real = JSON.parse(readFileSync(new URL('./fixtures/digests.json', import.meta.url), 'utf8')) as {
  readonly v3: Digests;
  readonly parts: Digests;
  readonly v2: Digests;
};

const registry = createRegistry(builtinResources());
const route = openApiRoute(registry);
const user = { name: 't', groups: [] };

async function ask(path: string, more: Partial<ApiRequest> = {}, of = route): Promise<ApiResponse> {
  return of.handle({ method: 'GET', path, query: {}, user, ...more });
}

async function bodyOf(path: string, of = route): Promise<object> {
  const response = await ask(path, {}, of);
  if (response.kind !== 'object') throw new Error('expected an object');
  return response.body as object;
}

async function index(): Promise<Readonly<Record<string, { serverRelativeURL: string }>>> {
  const { paths } = (await bodyOf('/openapi/v3')) as { paths: Readonly<Record<string, { serverRelativeURL: string }>> };
  return paths;
}

test('the index lists what the real server lists', async () => {
  expect(Object.keys(await index())).toEqual(Object.keys(real.v3).sort());
});

test('every document of version 3 is the real one, but for its texts', async () => {
  for (const path of Object.keys(real.v3)) {
    const digests = digestsOf(await bodyOf(`/openapi/v3/${path}`));
    const varying = /\.(DeleteOptions|WatchEvent)$/;
    for (const [name, value] of Object.entries(digests)) {
      if (name !== '' && !varying.test(name)) expect(value, `${path}: ${name}`).toBe(real.parts[name]);
    }
    expect(digest(digests), path).toBe(real.v3[path]);
  }
});

test('the document of version 2 is the real one, but for its texts', async () => {
  const digests = digestsOf(await bodyOf('/openapi/v2', openApiV2Route(registry)));
  expect(digests).toEqual(real.v2);
});

test('documents are addressed by a hash; a stale one is sent on', async () => {
  const url = (await index())['apis/apps/v1']?.serverRelativeURL ?? '';
  const [path = '', query = ''] = url.split('?');
  const hash = query.slice('hash='.length);
  expect(await ask(path, { query: { hash } })).toMatchObject({ code: 200, headers: { ETag: `"${hash}"` } });
  expect(await ask(path, { query: { hash: 'old' } })).toMatchObject({ code: 301, headers: { Location: url } });
  expect(await ask('/openapi/v3/apis/nope/v1')).toMatchObject({ code: 404 });
});

async function bytesOf(response: ApiResponse): Promise<Buffer> {
  if (response.kind !== 'bytes') throw new Error(`expected bytes, not ${response.kind}`);
  const parts: Uint8Array[] = [];
  for await (const part of response.body) parts.push(part);
  return Buffer.concat(parts);
}

test('both versions are given as protobuf, by quality and order of what is accepted', async () => {
  const v3 = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
  const answer = await ask('/openapi/v3/apis/apps/v1', { accept: `application/json;q=0.5,${v3}` });
  expect(answer.kind === 'bytes' && answer.headers?.['Content-Type']).toBe(v3.replace('@', '.'));
  const bytes = await bytesOf(answer);
  expect(bytes.subarray(0, 27).toString('latin1')).toBe('\n\x053.0.0\x12\x12\n\nKubernetes2\x041.37');
  const v2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  const older = await bytesOf(await ask('/openapi/v2', { accept: v2 }, openApiV2Route(registry)));
  expect(older.subarray(0, 25).toString('latin1')).toBe('\n\x032.0\x12\x12\n\nKubernetes\x12\x041.37');
  for (const accept of ['text/html', 'application/yaml']) {
    expect(await ask('/openapi/v3/version', { accept }), accept).toMatchObject({ code: 406 });
  }
});

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size', 'maybe'],
      properties: {
        size: { type: 'integer', default: 3, minimum: 1 },
        maybe: { type: 'string', nullable: true },
        port: { 'x-kubernetes-int-or-string': true },
        open: { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-preserve-unknown-fields': true },
        one: { type: 'object', oneOf: [{ required: ['a'] }] },
      },
    },
  },
} as const;

function withWidgets() {
  const live = createRegistry(builtinResources());
  const pods = live.find('', 'v1', 'pods') as ResourceInfo;
  const own = { group: 'd.example', plural: 'widgets', kind: 'Widget', builtIn: false, schema, subresources: [] };
  return { live, add: () => live.set({ ...pods, ...own, selectable: {} }) };
}

test('custom kinds are published live: in version 3 as they are, in version 2 as far as kubectl copes', async () => {
  const { live, add } = withWidgets();
  const [v3, v2] = [openApiRoute(live), openApiV2Route(live)];
  expect(await ask('/openapi/v3/apis/d.example/v1', {}, v3)).toMatchObject({ code: 404 });
  const before = await bodyOf('/openapi/v2', v2);
  add();
  const { components } = (await bodyOf('/openapi/v3/apis/d.example/v1', v3)) as {
    components: { schemas: Record<string, { properties: Record<string, unknown> }> };
  };
  expect(components.schemas['example.d.v1.Widget']?.properties).toMatchObject({
    metadata: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] },
    spec: {
      properties: { ...schema.properties.spec.properties, port: { anyOf: [{ type: 'integer' }, { type: 'string' }] } },
    },
  });
  const { definitions } = (await bodyOf('/openapi/v2', v2)) as { definitions: Record<string, object> };
  expect(before).not.toHaveProperty(['definitions', 'example.d.v1.Widget']);
  expect(definitions['example.d.v1.WidgetList']).toBeDefined();
  expect(definitions['example.d.v1.Widget']).toMatchObject({
    properties: {
      spec: {
        required: ['size'],
        properties: {
          size: { type: 'integer', minimum: 1 },
          maybe: {},
          port: { 'x-kubernetes-int-or-string': true },
          open: { 'x-kubernetes-preserve-unknown-fields': true },
          one: { type: 'object' },
        },
      },
    },
  });
});
