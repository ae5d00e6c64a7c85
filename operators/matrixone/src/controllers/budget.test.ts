import { PodDisruptionBudget } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { controllerOf } from '@coxswain/runtime/controller';
import { expect, test } from 'vitest';
import { LogSet, MatrixOneCluster, setLabels } from '../api/index.ts';
import { World } from '../scenario/test-world.ts';

const namespace = 'default';
const mo = { namespace, name: 'mo' };
const ours = { namespace, name: 'mo-log' };

async function settled(): Promise<World> {
  const world = await World.start();
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  return world;
}

test('a budget that a LogSet let go of is the next one’s', async () => {
  await using world = await settled();
  const first = await world.drive(world.client.of(LogSet).get(mo));
  await world.drive(world.client.of(LogSet).delete(mo));
  await world.until('there is another LogSet', async () => {
    const now = await world.client.of(LogSet).find(mo);
    return now !== undefined && now.metadata.uid !== first.metadata.uid;
  });
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(60_000);
  const { metadata } = await world.drive(world.client.of(LogSet).get(mo));
  const budget = await world.drive(world.client.of(PodDisruptionBudget).get(ours));
  expect(controllerOf(budget)?.uid).toBe(metadata.uid);
});

test('a budget whose owner somebody took away is the set’s again, and follows its spec', async () => {
  await using world = await settled();
  const nobody = merge({ metadata: { ownerReferences: null } });
  await world.drive(world.client.of(PodDisruptionBudget).patch(ours, nobody));
  await world.clock.advance(60_000);
  const five = merge({ spec: { logService: { replicas: 5 } } });
  await world.drive(world.client.of(MatrixOneCluster).patch(mo, five));
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(60_000);
  const { spec } = await world.drive(world.client.of(PodDisruptionBudget).get(ours));
  expect(spec?.minAvailable).toBe(4);
});

test('ours stays away when somebody who has made another one takes it away', async () => {
  await using world = await settled();
  const spec = { maxUnavailable: 1, selector: { matchLabels: setLabels('LogSet', namespace, 'mo') } };
  await world.drive(world.client.of(PodDisruptionBudget).create({ metadata: { namespace, name: 'mine' }, spec }));
  await world.drive(world.client.of(PodDisruptionBudget).delete(ours));
  await world.clock.advance(60_000);
  expect(await world.drive(world.client.of(PodDisruptionBudget).find(ours))).toBeUndefined();
});
