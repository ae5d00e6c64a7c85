import { ConfigMap } from '@coxswain/k8s';
import { findCondition, installCrds, isReady } from '@coxswain/runtime/apply';
import { applyAny, createDiscovery, merge } from '@coxswain/runtime/client';
import { isInvalid } from '@coxswain/runtime/core';
import { prometheusMetrics } from '@coxswain/runtime/metrics';
import { webhookConfigurations, withConversionWebhook } from '@coxswain/runtime/webhook';
import { startTestCluster } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { Database } from './dependencies.ts';
import { Shop, Shops, shopOperator, shopWebhook } from './whole-operator.ts';

test('one operator: children, a dependency, a webhook, two versions, metrics', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  await installCrds(client, [Database.crd(), Shops.crd()]);
  const metrics = await prometheusMetrics();
  const manager = await world.manager({ name: 'shops', metrics });
  const reached = { dnsNames: ['127.0.0.1'] };
  const ports = { webhooks: 0, metrics: 0, health: 0 };
  const servers = shopOperator(manager, { client, metrics, namespace, reached, ports });
  await manager.start();
  const url = `https://127.0.0.1:${servers.webhooks.port}`;
  const names = { mutating: 'mutating', validating: 'validating' };
  const manifests = [
    ...webhookConfigurations([shopWebhook], { url, names }),
    withConversionWebhook(Shops.crd(), { url }),
  ];
  for (const manifest of manifests) await applyAny(client, createDiscovery(client), { ...manifest });

  // The older version is converted by the operator itself.
  const old = { metadata: { namespace, name: 'books' }, spec: { database: 'db', title: 'Books', pages: 2 } };
  await world.eventually(() => client.of(Shops.version('v1alpha1')).create(old));
  const shops = client.of(Shop);
  await world.eventually(async () => (await shops.get(old.metadata)).spec.catalog.title === 'Books');

  // It waits for its database, and says so.
  await world.settled();
  const synced = findCondition(await shops.get(old.metadata), 'Synced');
  expect(synced?.message).toBe(`waiting: Database ${namespace}/db does not exist yet`);
  await client.of(Database).create({ metadata: { namespace, name: 'db' }, spec: { engine: 'any' } });
  const ready = [
    { type: 'Ready', status: 'True', reason: 'Up', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ];
  await client.of(Database).patchStatus({ namespace, name: 'db' }, merge({ status: { conditions: ready } }));
  await world.settled();
  expect(isReady(await shops.get(old.metadata))).toBe(true);
  expect(await pages()).toEqual(['books-1', 'books-2']);

  // What is no longer desired goes.
  await shops.patch(old.metadata, merge({ spec: { pages: 1 } }));
  await world.settled();
  expect(await pages()).toEqual(['books-1']);

  // A title with markup is denied, as soon as the webhook's authority is known.
  const wrong = merge({ spec: { catalog: { title: '<b>' } } });
  await world.eventually(() => shops.patch(old.metadata, wrong, { dryRun: true }).then(() => false, isInvalid));
  await expect(shops.patch(old.metadata, wrong)).rejects.toThrow(
    'spec.catalog.title: Invalid value: "<b>": must be text',
  );

  const scrape = await fetch(`http://127.0.0.1:${servers.scraped.port}/metrics`);
  expect(await scrape.text()).toMatch(/controller_runtime_reconcile_total\{controller="shop",result="success"\} \d+/);
  expect((await fetch(`http://127.0.0.1:${servers.health.port}/readyz`)).status).toBe(200);
  expect(world.troubles.filter((line) => line.startsWith('error'))).toEqual([]);

  async function pages(): Promise<string[]> {
    const { items } = await client.of(ConfigMap).list({ namespace });
    return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('books-'));
  }
});
