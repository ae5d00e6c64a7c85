import { ConfigMap } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import { httpTransport, loadKubeconfig } from '@coxswain/runtime/client';
import { missingRules, recordRbac, startFaultProxy, startTestCluster, VirtualClock } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { Greeting, greetings } from './first-operator.ts';

test('no sleeps: settled resolves when nothing is left to do', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  await installCrds(client, [Greeting.crd()]);
  const recorder = recordRbac(await world.transport());
  const manager = await world.manager({ transport: recorder.transport });
  greetings(manager);
  await manager.start();
  const metadata = { namespace, name: 'ada' };
  await client.of(Greeting).create({ metadata, spec: { whom: 'Ada', word: 'hello' } });
  await world.settled();
  expect((await client.of(ConfigMap).get(metadata)).data).toEqual({ text: 'hello Ada' });

  // What the operator did, held against a role: it lacks only what it says here.
  const role = [{ apiGroups: ['demo.dev', 'events.k8s.io', 'coordination.k8s.io'], resources: ['*'], verbs: ['*'] }];
  expect(missingRules(recorder.uses, role).every(({ resources }) => resources?.join() === 'configmaps')).toBe(true);
  expect(missingRules(recorder.uses, role)).not.toEqual([]);
});

test('no waiting either: an hour passes at once', async () => {
  const clock = new VirtualClock();
  await using world = await startTestCluster({ clock });
  const { client, namespace } = world;
  const manager = await world.manager();
  let passes = 0;
  manager
    .controller(ConfigMap)
    .scope({ namespace, labels: 'work' })
    .run({
      async reconcile() {
        passes++;
        return { requeueAfter: 600_000 };
      },
    });
  await manager.start();
  await client.of(ConfigMap).create({ metadata: { namespace, name: 'a', labels: { work: 'yes' } } });
  await world.settled();
  passes = 0;
  await clock.advance(3_600_000);
  expect(passes).toBe(6);
});

test('a network that breaks: the operator goes on', async () => {
  await using world = await startTestCluster({ http: true });
  const { client, namespace } = world;
  await installCrds(client, [Greeting.crd()]);
  await using proxy = await startFaultProxy({ kubeconfig: world.kubeconfig() });
  const transport = httpTransport(await loadKubeconfig({ text: proxy.kubeconfig() }));
  const manager = await world.manager({ transport });
  greetings(manager);
  await manager.start();
  proxy.inject({ fault: 'reset' });
  const metadata = { namespace, name: 'ada' };
  await client.of(Greeting).create({ metadata, spec: { whom: 'Ada', word: 'hello' } });
  await world.until(ConfigMap, metadata, (map) => map?.data?.['text'] === 'hello Ada');
  expect(proxy.counts.disturbed).toBeGreaterThan(0);
  await manager.stop();
  await transport.close();
});
