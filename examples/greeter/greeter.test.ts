import { ConfigMap } from '@coxswain/k8s';
import { installCrds, isReady } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { rulesOf } from '@coxswain/runtime/manifests';
import { startTestCluster } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { Guest, greeter } from './greeter.ts';

test('a guest is greeted, by an operator that may do just what it must', async () => {
  await using cluster = await startTestCluster();
  const { client, namespace } = cluster;
  await installCrds(client, greeter.crds());
  const transport = await cluster.transport({ rules: rulesOf(greeter) });
  const manager = await cluster.manager({ name: greeter.name, transport });
  greeter.setup(manager);
  await manager.start();

  const key = { namespace, name: 'ada' };
  await client.of(Guest).create({ metadata: key, spec: { name: 'Ada', word: 'Hello' } });
  await cluster.settled();
  expect((await client.of(ConfigMap).get(key)).data).toEqual({ text: 'Hello Ada' });
  expect(isReady(await client.of(Guest).get(key))).toBe(true);

  await client.of(Guest).patch(key, merge({ spec: { word: 'Welcome' } }));
  await cluster.settled();
  expect((await client.of(ConfigMap).get(key)).data).toEqual({ text: 'Welcome Ada' });
});
