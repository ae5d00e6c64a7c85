import { Pod } from '@coxswain/k8s';
import { strategic } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { TestNode } from './test-node.ts';

test('resources that change while a container runs: it goes on, and shows them', async () => {
  await using node = await TestNode.start();
  await node.pod({ resources: { requests: { cpu: '100m' }, limits: { cpu: '200m' } } });
  const before = await node.container();
  expect(before).toMatchObject({ allocatedResources: { cpu: '100m' }, resources: { limits: { cpu: '200m' } } });
  const containers = [{ name: 'main', resources: { requests: { cpu: '150m' }, limits: { cpu: '300m' } } }];
  const key = { namespace: 'default', name: 'a' };
  await node.world.client.of(Pod).patch(key, strategic({ spec: { containers } }), { subresource: 'resize' });
  await node.world.settle();
  const after = await node.container();
  expect(after).toMatchObject({
    containerID: before.containerID,
    restartCount: 0,
    allocatedResources: { cpu: '150m' },
    resources: { requests: { cpu: '150m' }, limits: { cpu: '300m' } },
  });
  expect((await node.get()).status?.observedGeneration).toBe(2);
});
