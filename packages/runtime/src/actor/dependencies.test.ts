import type { KubeObject } from '@coxswain/k8s';
import { afterEach, expect, it } from 'vitest';
import { findCondition } from '../apply/index.ts';
import { merge } from '../client/index.ts';
import { apiError, seededRandom, VirtualClock } from '../core/index.ts';
import { createManager, type Manager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Base, basePath, Widget, widget, widgetPath } from '../manager/test-kinds.ts';
import { checkDependencies } from './dependencies.ts';

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

async function setUp(...names: readonly string[]) {
  return setUpWith(() => true, names);
}

async function setUpWith(ready: (base: KubeObject) => boolean, names: readonly string[]) {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const client = api.client();
  const manager = createManager({ client, name: 'test', clock, random: seededRandom(1), shutdownTimeout: 0 });
  managers.push(manager);
  const dependencies = () => names.map((name) => ({ kind: Base, key: { namespace: 'default', name }, ready }));
  const actor = { dependencies, observe: async () => undefined, finalize: async () => true };
  manager.actor(Widget, actor, { finalizer: 'test.dev/widget', retryAfter: 60_000 }).run();
  await manager.start();
  const synced = () => findCondition(api.at<Widget>(`${widgetPath}/w`) ?? widget('w'), 'Synced');
  return { api, client, clock, synced };
}

const base = (name: string): Base => ({ metadata: { name, namespace: 'default' } });

it('waits for the first of several that is missing, and is woken by each without polling', async () => {
  const t = await setUp('a', 'b');
  await t.client.of(Widget).create(widget('w'));
  await t.clock.settle();
  expect(t.synced()?.message).toBe('waiting: Base default/a does not exist yet');
  await t.client.of(Base).create(base('a'));
  await t.clock.settle();
  expect(t.synced()?.message).toBe('waiting: Base default/b does not exist yet');
  await t.client.of(Base).create(base('b'));
  await t.clock.settle();
  expect(t.synced()?.status).toBe('True');
});

it('does not repeat each word of what is not ready yet, and goes on at once when it is', async () => {
  const t = await setUpWith((object) => findCondition(object, 'Ready')?.status === 'True', ['a']);
  await t.client.of(Base).create(base('a'));
  await t.client.of(Widget).create(widget('w'));
  await t.clock.settle();
  const version = () => t.api.at<Widget>(`${widgetPath}/w`)?.metadata.resourceVersion;
  const say = async (reason: string, status: 'True' | 'False') => {
    const ready = { type: 'Ready', status, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const patch = merge({ status: { conditions: [ready] } });
    await t.client.of(Base).patch({ namespace: 'default', name: 'a' }, patch, { subresource: 'status' });
    await t.clock.settle();
  };
  const before = version();
  await say('Starting', 'False');
  await say('Warming', 'False');
  expect(version()).toBe(before);
  await t.clock.advance(60_000);
  expect(t.synced()?.message).toBe('waiting: Base default/a is not ready: Warming');
  await say('Warm', 'True');
  expect(t.synced()?.status).toBe('True');
});

it('says what is waited for while its kind is not installed, and goes on once it is', async () => {
  const t = await setUp('a');
  let installed = false;
  t.api.intercept = ({ path }) => {
    if (installed || !path.includes('/bases')) return;
    throw apiError(404, 'NotFound', 'the server could not find the requested resource');
  };
  await t.client.of(Widget).create(widget('w'));
  await t.clock.advance(120_000);
  expect(t.synced()).toMatchObject({ reason: 'DependencyNotReady', status: 'False' });
  expect(t.synced()?.message).toBe(
    'waiting: nobody knows of Base default/a: the server does not serve bases of test.dev/v1: install the CRD bases.test.dev',
  );
  installed = true;
  await t.client.of(Base).create(base('a'));
  await t.clock.advance(120_000);
  expect(t.api.at(`${basePath}/a`)).toBeDefined();
  expect(t.synced()?.status).toBe('True');
});

it('says that its kind is not served any more', async () => {
  const t = await setUp('a');
  await t.client.of(Base).create(base('a'));
  await t.client.of(Widget).create(widget('w'));
  await t.clock.settle();
  expect(t.synced()?.status).toBe('True');
  await t.client.of(Base).delete({ namespace: 'default', name: 'a' });
  t.api.intercept = ({ path }) => {
    if (path.includes('/bases')) throw apiError(404, 'NotFound', 'the server could not find the requested resource');
  };
  await t.clock.advance(600_000);
  expect(t.synced()?.message).toContain('install the CRD bases.test.dev');
});

it('says what its role lacks while a dependency may not be read, and goes on once it may', async () => {
  const t = await setUp('a');
  let granted = false;
  t.api.intercept = ({ path }) => {
    if (granted || !path.includes('/bases')) return;
    const verb = path.endsWith('/a') ? 'get' : 'list';
    throw apiError(
      403,
      'Forbidden',
      `bases.test.dev is forbidden: User "op" cannot ${verb} resource "bases" in API group`,
    );
  };
  await t.client.of(Widget).create(widget('w'));
  await t.clock.advance(120_000);
  expect(t.synced()).toMatchObject({ reason: 'DependencyNotReady', status: 'False' });
  expect(t.synced()?.message).toBe(
    'waiting: nobody knows of Base default/a: bases of test.dev/v1 may not be read: its Role in namespace default, or its ' +
      'ClusterRole, lacks the verb "get" on bases in the API group "test.dev" (it needs get, list and watch)',
  );
  granted = true;
  await t.client.of(Base).create(base('a'));
  await t.clock.advance(600_000);
  expect(t.synced()?.status).toBe('True');
});

it('refuses a dependency of a kind that the actor does not declare, and says where to add it', async () => {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const manager = createManager({
    client: api.client(),
    name: 'test',
    clock,
    random: seededRandom(1),
    shutdownTimeout: 0,
  });
  managers.push(manager);
  const dependencies = () => [{ kind: Base, key: { namespace: 'default', name: 'a' } }];
  const actor = { dependencies, dependsOn: [Widget], observe: async () => undefined, finalize: async () => true };
  manager.actor(Widget, actor, { finalizer: 'test.dev/widget' }).run();
  await manager.start();
  await api.client().of(Widget).create(widget('w'));
  await clock.settle();
  const message = 'the actor of Widget depends on Base default/a; add Base to its dependsOn';
  expect(findCondition(api.at<Widget>(`${widgetPath}/w`) ?? widget('w'), 'Synced')?.message).toContain(message);
});

it.each([
  ['a Promise', Promise.resolve([]), 'answer a list, at once'],
  ['one that is not there', [undefined], 'options are an object, not null'],
  [
    'a misspelt option',
    [{ kind: Base, key: { name: 'a' }, redy: () => true }],
    'unknown option `redy`; did you mean `ready`?',
  ],
  ['no key', [{ kind: Base }], 'each needs a kind, and a key with a name'],
  ['a promise of readiness', [{ kind: Base, key: { name: 'a' }, ready: async () => true }], 'it has to answer at once'],
])('refuses %s, and names the function', (_, answer, message) => {
  expect(() => checkDependencies(Widget, answer, undefined)).toThrow('`dependencies` of Widget: ');
  expect(() => checkDependencies(Widget, answer, undefined)).toThrow(message);
});
