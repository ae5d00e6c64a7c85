import { ConfigMap } from '@coxswain/k8s';
import { findCondition, installCrds, isReady } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { startTestCluster, VirtualClock } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { App, apps, Database } from './dependencies.ts';

const ready = (status: 'True' | 'False', message: string) => [
  { type: 'Ready', status, reason: 'Said', message, lastTransitionTime: '2026-01-01T00:00:00Z' },
];

test('an app waits for its database, says so, and goes on the moment it is ready', async () => {
  const clock = new VirtualClock();
  await using world = await startTestCluster({ clock });
  const { client, namespace } = world;
  await installCrds(client, [Database.crd(), App.crd()]);
  const manager = await world.manager();
  apps(manager);
  await manager.start();
  const [app, database] = ['shop', 'db'].map((name) => ({ namespace, name }));
  if (!app || !database) throw new Error('two keys');
  const synced = async () => findCondition(await client.of(App).get(app), 'Synced');
  const state = (conditions: unknown) =>
    client.of(Database).patchStatus(database, merge({ status: { conditions, host: 'db.example' } }));

  await client.of(App).create({ metadata: app, ...{ spec: { database: 'db' } } });
  await world.settled();
  expect(await synced()).toMatchObject({
    status: 'False',
    reason: 'DependencyNotReady',
    message: `waiting: Database ${namespace}/db does not exist yet`,
  });
  expect(await client.of(ConfigMap).find(app)).toBeUndefined();

  await client.of(Database).create({ metadata: database, ...{ spec: { engine: 'any' } } });
  await state(ready('False', 'starting'));
  await world.settled();
  expect((await synced())?.message).toContain(`waiting: Database ${namespace}/db is not ready`);

  const before = clock.now();
  await state(ready('True', ''));
  await world.settled();
  expect((await synced())?.status).toBe('True');
  expect((await client.of(ConfigMap).get(app)).data).toEqual({ host: 'db.example' });
  expect(isReady(await client.of(App).get(app))).toBe(true);
  expect(clock.now() - before).toBeLessThan(1_000);
});
