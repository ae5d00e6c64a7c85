import { readFileSync } from 'node:fs';
import { ConfigMap } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { startTestCluster } from '@coxswain/testing';
import { expect, test } from 'vitest';

test('the operator greets', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const manager = await world.manager();
  manager
    .controller(ConfigMap)
    .scope({ namespace, labels: 'greet' })
    .run({
      async reconcile({ key, client, cache }) {
        if (cache.store(ConfigMap).get(key)?.data?.['greeting']) return;
        await client.of(ConfigMap).patch(key, merge({ data: { greeting: `hello ${key.name}` } }));
      },
    });
  await manager.start();
  await client.of(ConfigMap).create({ metadata: { name: 'ada', namespace, labels: { greet: 'yes' } } });
  await world.settled();
  expect((await client.of(ConfigMap).get({ namespace, name: 'ada' })).data).toEqual({ greeting: 'hello ada' });
});

test('the README says just that', () => {
  const here = readFileSync(new URL(import.meta.url), 'utf8');
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(here.slice(here.indexOf("test('the operator"), here.indexOf("\ntest('the README")).trim());
});
