import { Pod, PodDisruptionBudget, type Pod as PodObject } from '@coxswain/k8s';
import { evict, merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { MatrixOneCluster } from '../api/index.ts';
import { World } from './test-world.ts';

test('node drains leave the quorum of the log service, and a proxy, and hold up nothing where there is none to keep', async () => {
  await using world = await World.start();
  await world.applyExample((cluster) => ({
    ...cluster,
    spec: { ...cluster.spec, ...(cluster.spec.proxy && { proxy: { ...cluster.spec.proxy, replicas: 2 } }) },
  }));
  await world.until('the cluster is settled', () => world.settled());
  expect([...world.refusals]).toEqual([]);
  const budgets = async () => {
    const { items } = await world.drive(world.client.of(PodDisruptionBudget).list({ namespace: 'default' }));
    return items.map(({ metadata, spec }) => `${metadata.name} ${spec?.minAvailable}`).sort();
  };
  expect(await budgets()).toEqual(['mo-log 2', 'mo-proxy 1']);
  const evicted = ({ metadata: { name } }: PodObject) =>
    evict(world.client, { namespace: 'default', name }).then(
      () => 'gone',
      (error: Error) => error.message,
    );
  const stores = (await world.drive(world.client.of(Pod).list({ namespace: 'default' }))).items.filter(
    ({ metadata }: PodObject) => metadata.name.startsWith('mo-log-'),
  );
  const answers = await world.drive(Promise.all(stores.map(evicted)));
  expect(answers.filter((answer) => answer === 'gone')).toHaveLength(1);
  expect(answers.filter((answer) => answer.includes('disruption budget'))).toHaveLength(2);
  await world.until('the cluster is settled', () => world.settled());
  await world.drive(
    world.client
      .of(MatrixOneCluster)
      .patch({ namespace: 'default', name: 'mo' }, merge({ spec: { proxy: { replicas: 1 } } })),
  );
  await world.until('the budget is gone', async () => {
    const { items } = await world.client.of(PodDisruptionBudget).list({ namespace: 'default' });
    return items.length === 1;
  });
});
