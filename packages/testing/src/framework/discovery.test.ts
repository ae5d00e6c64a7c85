import { applyAny, createDiscovery } from '@coxswain/runtime/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCluster, type TestCluster } from '../test-cluster/index.ts';
import { installWidgets } from './test-widget.ts';

let world: TestCluster;
beforeAll(async () => {
  world = await startTestCluster();
});
afterAll(() => world.stop());

test('kinds of the server, built in and custom, and objects of them', async () => {
  const { client, clock, group, namespace } = world;
  const discovery = createDiscovery(client, { clock });
  expect(await discovery.kindOf('apps/v1', 'Deployment')).toMatchObject({
    plural: 'deployments',
    scope: 'Namespaced',
    singular: 'deployment',
    shortNames: ['deploy'],
    subresources: expect.arrayContaining(['scale', 'status']),
    verbs: expect.arrayContaining(['get', 'list', 'watch']),
  });
  expect(await discovery.kindOf('v1', 'Node')).toMatchObject({ group: '', plural: 'nodes', scope: 'Cluster' });
  const object = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { namespace, name: 'any' }, spec: { size: 2 } };
  await expect(applyAny(client, discovery, object, { fieldManager: 'me' })).rejects.toThrow(
    `the server has no kind "Widget" in ${group}/v1; is its CRD installed?`,
  );
  await installWidgets(world);
  // the list of all kinds of a real server comes a moment after a kind is served
  const made = await world.eventually(() => {
    discovery.invalidate();
    return applyAny(client, discovery, object, { fieldManager: 'me' });
  });
  expect(made).toMatchObject({ metadata: { generation: 1 }, spec: { size: 2 } });
  const Widget = await discovery.kindFor(made);
  expect(await client.of(Widget).get({ namespace, name: 'any' })).toEqual(made);
});
