import { ConfigMap, Deployment } from '@coxswain/k8s';
import { apply, json, merge, strategic } from '@coxswain/runtime/client';
import { type ApiError, isAlreadyExists, isConflict, isInvalid, isNotFound } from '@coxswain/runtime/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCluster, type TestCluster } from '../test-cluster/index.ts';
import { failure } from '../test-failure.ts';
import { installWidgets, type WidgetKind, widget } from './test-widget.ts';

let world: TestCluster;
let Widget: WidgetKind;
beforeAll(async () => {
  world = await startTestCluster();
  Widget = await installWidgets(world);
});
afterAll(() => world.stop());

const widgets = () => world.client.of(Widget);
const at = (name: string) => ({ namespace: world.namespace, name });

test('an object lives: created with its defaults, read, replaced, deleted', async () => {
  const { namespace } = world;
  const made = await widgets().create({ metadata: { name: 'life', namespace }, spec: {} } as never);
  expect(made).toMatchObject({ kind: 'Widget', metadata: { generation: 1 }, spec: { size: 1 } });
  expect(await widgets().get(at('life'))).toEqual(made);
  expect(isAlreadyExists(await failure(widgets().create(widget(namespace, 'life'))))).toBe(true);
  const next = await widgets().update({ ...made, spec: { size: 2 } });
  expect(next.metadata.generation).toBe(2);
  expect(isConflict(await failure(widgets().update({ ...made, spec: { size: 3 } })))).toBe(true);
  const uid = { preconditions: { uid: 'another' } };
  expect(isConflict(await failure(widgets().delete(at('life'), uid)))).toBe(true);
  expect(await widgets().delete(at('life'))).toBeUndefined();
  expect(await widgets().find(at('life'))).toBeUndefined();
  expect(isNotFound(await failure(widgets().get(at('life'))))).toBe(true);
});

test('what breaks the schema is refused with the place of each fault', async () => {
  const error = await failure(widgets().create(widget(world.namespace, 'bad', { size: -1 })));
  expect(isInvalid(error)).toBe(true);
  expect((error as ApiError).status.details?.causes?.map(({ field }) => field)).toContain('spec.size');
});

test('a dry run answers and stores nothing', async () => {
  const answer = await widgets().create(widget(world.namespace, 'dry'), { dryRun: true });
  expect(answer.metadata.uid).toBeTruthy();
  expect(await widgets().find(at('dry'))).toBeUndefined();
});

test('a collection is deleted by selector', async () => {
  const { namespace } = world;
  for (const [name, set] of [
    ['c1', 'go'],
    ['c2', 'go'],
    ['c3', 'stay'],
  ] as const)
    await widgets().create({ ...widget(namespace, name), metadata: { name, namespace, labels: { set } } });
  await widgets().deleteCollection({ namespace, labels: { set: 'go' } });
  const { items } = await widgets().list({ namespace, labels: 'set' });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['c3']);
});

test('a merge patch sets and removes', async () => {
  await widgets().create(widget(world.namespace, 'merged', { size: 4, tags: { a: '1', b: '2' } }));
  const after = await widgets().patch(at('merged'), merge({ spec: { tags: { a: null, c: '3' } } }));
  expect(after.spec).toEqual({ size: 4, tags: { b: '2', c: '3' } });
});

test('a JSON patch is done whole, or not at all when its test fails', async () => {
  await widgets().create(widget(world.namespace, 'json', { size: 4 }));
  const steps = (size: number) =>
    json([
      { op: 'test', path: '/spec/size', value: size },
      { op: 'replace', path: '/spec/size', value: 9 },
    ]);
  expect(isInvalid(await failure(widgets().patch(at('json'), steps(5))))).toBe(true);
  expect((await widgets().patch(at('json'), steps(4))).spec.size).toBe(9);
});

test('a strategic patch merges containers by name', async () => {
  const { client, namespace } = world;
  const container = (name: string, image: string) => ({ name, image });
  const labels = { app: 'web' };
  await client.of(Deployment).create({
    metadata: { name: 'web', namespace },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [container('main', 'one:1'), container('side', 'two:1')] },
      },
    },
  });
  const patch = strategic({ spec: { template: { spec: { containers: [container('side', 'two:2')] } } } });
  const { spec } = await client.of(Deployment).patch({ namespace, name: 'web' }, patch);
  expect(spec?.template.spec?.containers.map(({ image }) => image).sort()).toEqual(['one:1', 'two:2']);
});

test('server-side apply: a conflict names the owner, force takes the field, what is no longer said goes', async () => {
  const { client, namespace } = world;
  const maps = client.of(ConfigMap);
  const key = { namespace, name: 'applied' };
  const say = (fieldManager: string, data: Record<string, string>, force = false) =>
    maps.patch(key, apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data }), { fieldManager, force });
  await say('first', { a: '1', b: '1' });
  const error = await failure(say('second', { a: '2' }));
  expect(isConflict(error)).toBe(true);
  expect((error as ApiError).message).toContain('"first"');
  await say('second', { a: '2' }, true);
  expect((await say('first', { b: '1' })).data).toEqual({ a: '2', b: '1' });
  expect((await say('first', {})).data).toEqual({ a: '2' });
  const managers = (await maps.get(key)).metadata.managedFields?.map(({ manager, operation }) => [manager, operation]);
  expect(managers).toContainEqual(['second', 'Apply']);
});

test('status and spec are written apart', async () => {
  const { namespace } = world;
  const made = await widgets().create({ ...widget(namespace, 'status'), status: { made: 7 } });
  expect(made.status).toBeUndefined();
  const told = await widgets().updateStatus({ ...made, spec: { size: 5 }, status: { made: 8 } });
  expect([told.spec.size, told.status?.made, told.metadata.generation]).toEqual([1, 8, 1]);
  const patched = await widgets().patch(at('status'), merge({ spec: { size: 6 }, status: { made: 9 } }), {
    subresource: 'status',
  });
  expect([patched.spec.size, patched.status?.made]).toEqual([1, 9]);
  const replaced = await widgets().update({ ...patched, spec: { size: 2 }, status: { made: 1 } });
  expect([replaced.spec.size, replaced.status?.made]).toEqual([2, 9]);
});

test('scale is read and written through its subresource', async () => {
  await widgets().create(widget(world.namespace, 'scaled', { size: 2 }));
  const path = `/apis/${world.group}/v1/namespaces/${world.namespace}/widgets/scaled/scale`;
  expect(await world.client.raw({ method: 'GET', path })).toMatchObject({ kind: 'Scale', spec: { replicas: 2 } });
  await widgets().patch(at('scaled'), merge({ spec: { replicas: 5 } }), { subresource: 'scale' });
  expect((await widgets().get(at('scaled'))).spec.size).toBe(5);
});

test('an integer beyond 2^53 is what it was, to the digit, whichever way it comes', async () => {
  const big = 9_007_199_254_740_993n;
  const { client, namespace } = world;
  // the type says number; beyond what a number holds, the client answers bigint
  const made = await widgets().create(widget(namespace, 'big', { big: big as unknown as number }));
  expect(made.spec.big).toBe(big);
  const from = made.metadata.resourceVersion ?? '';
  const lower = -9_223_372_036_854_775_808n;
  await widgets().patch(at('big'), merge({ status: { big: lower } }), { subresource: 'status' });
  await widgets().patch(at('big'), merge({ spec: { size: 3 } }));
  expect((await widgets().list({ namespace, fields: { 'metadata.name': 'big' } })).items[0]).toMatchObject({
    spec: { big, size: 3 },
    status: { big: lower },
  });
  const stream = await client.of(Widget).watch({ namespace, resourceVersion: from });
  for await (const [event] of stream) {
    expect(event?.object).toMatchObject({ status: { big: lower } });
    break;
  }
  const again = await widgets().get(at('big'));
  expect((await widgets().update({ ...again, spec: { ...again.spec, size: 4 } })).spec.big).toBe(big);
});
