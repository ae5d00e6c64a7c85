import { CustomResourceDefinition } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import { createCache } from '@coxswain/runtime/cache';
import { apply, createClient, merge } from '@coxswain/runtime/client';
import { selfSigned, webhookServer, withConversionWebhook } from '@coxswain/runtime/webhook';
import { defineResource, defineVersions, s } from '@coxswain/schema';
import { expect, test } from 'vitest';
import { startTestCluster, type TestCluster } from '../test-cluster/index.ts';

const oldSpec = s.object({ size: s.string() });
const newSpec = s.object({ width: s.int32(), height: s.int32() });
const names = (group: string) => ({ group, kind: 'Gadget', plural: 'gadgets', scope: 'Namespaced' }) as const;

/** One string becomes two numbers. Server-side apply asks for objects without a spec too. */
function gadgetsIn(group: string) {
  return defineVersions(
    { ...names(group), storage: 'v1', versions: { v1alpha1: { spec: oldSpec }, v1: { spec: newSpec } } },
    {
      v1alpha1: {
        toHub({ spec, ...rest }) {
          if (!spec) return { ...rest, spec };
          const [width = 0, height = 0] = spec.size.split('x').map(Number);
          return { ...rest, spec: { width, height } };
        },
        fromHub: ({ spec, ...rest }) => ({ ...rest, spec: spec && { size: `${spec.width}x${spec.height}` } }),
      },
    },
  );
}

type Gadgets = ReturnType<typeof gadgetsIn>;

/** The definition as it was before there was a second version. */
const before = (group: string) => defineResource({ ...names(group), version: 'v1alpha1', spec: oldSpec });

/** A manager that converts; the server is told where, and whom to trust. */
async function serve(world: TestCluster, gadgets: Gadgets): Promise<void> {
  const client = createClient({ transport: await world.transport(), fieldManager: 'conversion' });
  const crd = gadgets.crd();
  const certificates = selfSigned({
    secret: { namespace: world.namespace, name: 'conversion' },
    dnsNames: ['127.0.0.1'],
    inject: { definitions: [crd.metadata.name] },
  });
  const server = webhookServer({ client, conversions: [gadgets], certificates, port: 0, host: '127.0.0.1' });
  const manager = await world.manager();
  manager.add(server);
  await manager.start();
  await installCrds(world.client, [withConversionWebhook(crd, { url: `https://127.0.0.1:${server.port}` })]);
  const key = { name: crd.metadata.name };
  await world.until(
    CustomResourceDefinition,
    key,
    (found) => found?.spec.conversion?.webhook?.clientConfig?.caBundle !== undefined,
  );
}

/** A world with an object that was stored before there was a second version. */
async function upgraded() {
  const world = await startTestCluster();
  const { client, namespace, group } = world;
  const Before = before(group);
  await installCrds(client, [Before.crd()]);
  await client.of(Before).create({ metadata: { namespace, name: 'old' }, spec: { size: '1x2' } });
  const gadgets = gadgetsIn(group);
  await serve(world, gadgets);
  const [Old, New] = [gadgets.version('v1alpha1'), gadgets.version('v1')];
  // Not every server process knows of a definition at once.
  await world.eventually(async () => (await client.of(New).list({ namespace })).items.length === 1);
  return { world, client, namespace, gadgets, Old, New };
}

test('what was stored in one version is read, listed, watched and applied in the other, both ways', async () => {
  const { world, client, namespace, Old, New } = await upgraded();
  await using _ = world;
  const at = (name: string) => ({ namespace, name });
  expect((await client.of(New).get(at('old'))).spec).toEqual({ width: 1, height: 2 });

  const cache = createCache({ client, clock: world.clock });
  const [olds, news] = [cache.informer(Old, { namespace }), cache.informer(New, { namespace })];
  await cache.synced();
  await client.of(Old).create({ metadata: at('a'), spec: { size: '3x4' } });
  await client.of(New).create({ metadata: at('b'), spec: { width: 5, height: 6 } });
  await world.eventually(() => olds.store.size === 3 && news.store.size === 3);
  expect(news.store.get(at('a'))).toMatchObject({ apiVersion: `${world.group}/v1`, spec: { width: 3, height: 4 } });
  expect(olds.store.get(at('b'))).toMatchObject({ apiVersion: `${world.group}/v1alpha1`, spec: { size: '5x6' } });
  await client.of(New).patch(at('a'), merge({ spec: { height: 7 } }));
  await world.eventually(() => olds.store.get(at('a'))?.spec.size === '3x7');
  await cache.stop();

  const { items } = await client.of(New).list({ namespace });
  expect(items.map(({ spec }) => spec.width)).toEqual([3, 5, 1]);
  const metadata = at('c');
  const options = { fieldManager: 'owner', force: true };
  const applied = { apiVersion: `${world.group}/v1alpha1`, kind: 'Gadget', metadata, spec: { size: '8x9' } };
  await client.of(Old).patch(metadata, apply(applied), options);
  const again = { ...applied, apiVersion: `${world.group}/v1`, spec: { width: 8, height: 10 } };
  expect((await client.of(New).patch(metadata, apply(again), options)).spec).toEqual({ width: 8, height: 10 });
  expect((await client.of(Old).get(metadata)).spec).toEqual({ size: '8x10' });
});

test('stored objects are moved to the new version, and the old one can go', async () => {
  const { world, client, namespace, gadgets, Old, New } = await upgraded();
  await using _ = world;
  const name = { name: gadgets.crd().metadata.name };
  const definitions = client.of(CustomResourceDefinition);
  expect((await definitions.get(name)).status?.storedVersions).toEqual(['v1alpha1', 'v1']);
  const without = { spec: { versions: gadgets.crd().spec.versions.filter((one) => one.name === 'v1') } };
  await expect(definitions.patch(name, merge(without))).rejects.toThrow(/must remain|storedVersions|v1alpha1/);

  // A write that changes nothing is still one while the stored version is another.
  const key = { namespace, name: 'old' };
  const versionAfter = async () => (await client.of(New).patch(key, merge({}))).metadata.resourceVersion;
  const stored = (await client.of(New).get(key)).metadata.resourceVersion;
  const moved = await versionAfter();
  expect(moved).not.toBe(stored);
  expect(await versionAfter()).toBe(moved);

  await definitions.patchStatus(name, merge({ status: { storedVersions: ['v1'] } }));
  await definitions.patch(name, merge(without));
  await world.eventually(async () => (await client.of(Old).find(key)) === undefined);
  expect((await client.of(New).get(key)).spec).toEqual({ width: 1, height: 2 });
});
