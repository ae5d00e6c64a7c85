import { ConfigMap, Lease } from '@coxswain/k8s';
import { findCondition, installCrds, isReady } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { startTestCluster, VirtualClock } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { App, apps, Database } from './dependencies.ts';
import { shardedApps } from './sharded-apps.ts';

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

test('an app says which CRD is missing while its database is of a kind that nobody installed', async () => {
  await using world = await startTestCluster({ clock: new VirtualClock() });
  const { client, namespace } = world;
  await installCrds(client, [App.crd()]);
  const manager = await world.manager();
  apps(manager);
  await manager.start();
  const key = { namespace, name: 'shop' };
  await client.of(App).create({ metadata: key, ...{ spec: { database: 'db' } } });
  await world.until(
    App,
    key,
    (app) =>
      app !== undefined &&
      findCondition(app, 'Synced')?.message.includes('install the CRD databases.demo.dev') === true,
  );
});

test('apps that are shared out wait for one database, and all go on, also after their replica is gone', async () => {
  const clock = new VirtualClock();
  await using world = await startTestCluster({ clock });
  const { client, namespace } = world;
  await installCrds(client, [Database.crd(), App.crd()]);
  const managers = await Promise.all(['one', 'two'].map((name) => world.manager({ name })));
  for (const manager of managers) shardedApps(manager, namespace);
  for (const manager of managers) await manager.start();
  const database = { namespace, name: 'db' };
  const keys = Array.from({ length: 24 }, (_, i) => ({ namespace, name: `shop-${i}` }));
  const holders = async () => {
    const leases = (await client.of(Lease).list({ namespace })).items;
    return new Set(
      leases.filter(({ metadata }) => metadata.name.includes('-shard-')).map(({ spec }) => spec?.holderIdentity),
    );
  };
  const all = async (holds: (app: App) => boolean) => {
    for (const key of keys) await world.until(App, key, (app) => app !== undefined && holds(app));
  };
  const waits = (app: App) => findCondition(app, 'Synced')?.reason === 'DependencyNotReady';

  await world.eventually(async () => (await holders()).size === 2);
  for (const metadata of keys) await client.of(App).create({ metadata, ...{ spec: { database: 'db' } } });
  await all(waits);
  await client.of(Database).create({ metadata: database, ...{ spec: { engine: 'any' } } });
  const state = (conditions: unknown) =>
    client.of(Database).patchStatus(database, merge({ status: { conditions, host: 'db.example' } }));
  await state(ready('True', ''));
  await all(isReady);

  await managers[0]?.stop();
  await world.eventually(async () => (await holders()).size === 1);
  await state(ready('False', 'upgrade'));
  await all(waits);
});
