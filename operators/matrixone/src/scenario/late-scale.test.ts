import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNSet, MatrixOneCluster } from '../api/index.ts';
import { World } from './test-world.ts';

const key = { namespace: 'default', name: 'mo' };
const group = { namespace: 'default', name: 'mo-tp' };

test('a number given through the scale subresource stays, also when the operator hears of it late', async () => {
  await using world = await World.start();
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  await world.stopOperator();
  const { faults } = world.embedded;
  for (const [resource, ms] of [
    ['matrixoneclusters', 5_000],
    ['cnsets', 10_000],
  ] as const)
    faults.add({ match: { verb: 'watch', resource, user: 'matrixone-operator' }, action: { watch: 'delay', ms } });
  await world.startOperator();
  await world.clock.advance(60_000);
  const named = merge({ metadata: { annotations: { 'matrixorigin.io/autoscaled-groups': 'tp' } } });
  await world.drive(world.client.of(MatrixOneCluster).patch(key, named));
  await world.drive(world.client.of(CNSet).scale.patch(group, merge({ spec: { replicas: 4 } })));
  await world.record(CNSet, ({ metadata, spec }) =>
    metadata.name === group.name ? `${spec.replicas} nodes wanted` : undefined,
  );
  await world.until('the number is held', async () => {
    const { metadata } = await world.client.of(CNSet).get(group);
    return metadata.annotations?.['matrixorigin.io/autoscaled-groups'] !== undefined;
  });
  await world.clock.advance(60_000);
  expect(world.history).toEqual(['4 nodes wanted']);
  await world.until('the cluster is settled', () => world.settled());
  const { spec } = await world.drive(world.client.of(CNSet).get(group));
  expect(spec.replicas).toBe(4);
});
