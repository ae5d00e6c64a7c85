import { ConfigMap } from '@coxswain/k8s';
import { isReady } from '@coxswain/runtime/apply';
import { apply, merge } from '@coxswain/runtime/client';
import { keyString } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { startTestCluster } from '../test-cluster/index.ts';
import { installWidgets, type Widget, widget } from './test-widget.ts';

const count = 1_000;

test(`a controller brings ${count} objects to rest, misses none, and is quiet after`, async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const Widget = await installWidgets(world);
  const manager = await world.manager();
  const passes = new Map<string, number>();
  manager
    .controller(Widget)
    .owns(ConfigMap, { scope: { namespace } })
    .run({
      async reconcile({ key, client: own, cache }) {
        passes.set(keyString(key), (passes.get(keyString(key)) ?? 0) + 1);
        const object = cache.store(Widget).get(key);
        if (!object || isReady(object)) return;
        const { name, uid = '' } = object.metadata;
        const owner = { apiVersion: `${world.group}/v1`, kind: 'Widget', name, uid, controller: true };
        const metadata = { name, namespace, ownerReferences: [owner] };
        await own.of(ConfigMap).patch(key, apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata }), { force: true });
        const condition = {
          type: 'Ready',
          status: 'True',
          reason: 'Made',
          message: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        };
        await own.of(Widget).patch(key, merge({ status: { conditions: [condition] } }), { subresource: 'status' });
      },
    });
  const createFrom = (at: number) =>
    Promise.all(Array.from({ length: 50 }, (_, i) => client.of(Widget).create(widget(namespace, `w-${at + i}`))));
  for (let at = 0; at < count / 2; at += 50) await createFrom(at);
  await manager.start();
  for (let at = count / 2; at < count; at += 50) await createFrom(at);
  await world.settled({ timeout: 120_000 });
  const ready: Widget[] = [];
  for await (const each of client.of(Widget).listAll({ namespace })) if (isReady(each)) ready.push(each);
  expect(ready.length).toBe(count);
  expect(manager.cache.store(ConfigMap).size).toBeGreaterThanOrEqual(count);
  const total = [...passes.values()].reduce((sum, each) => sum + each, 0);
  await world.settled();
  expect([...passes.values()].reduce((sum, each) => sum + each, 0)).toBe(total);
}, 240_000);
