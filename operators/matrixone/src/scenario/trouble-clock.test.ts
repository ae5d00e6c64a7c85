import { defaultBehaviour } from '@coxswain/cluster';
import { Pod } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { LogSet, MatrixOneCluster } from '../api/index.ts';
import { KnownNodes } from './test-known-nodes.ts';
import { TroubleWorld } from './test-trouble.ts';

const day = 86_400_000;
const inNamespace = (name: string) => ({ namespace: 'default', name });

async function logPods(world: TroubleWorld): Promise<readonly string[]> {
  const labels = 'matrixorigin.io/component=LogSet';
  const { items } = await world.drive(world.client.of(Pod).list({ namespace: 'default', labels }));
  return items.map(({ metadata }) => metadata.name).sort();
}

test.each([
  ['on', day],
  ['back', -day],
])(
  'a clock that is put %s by a day makes no store one that was lost long ago, nor one that never is',
  async (_how, step) => {
    let broken = '';
    await using world = await TroubleWorld.settled(undefined, {
      cluster: {
        behaviour: (pod, container, attempt) =>
          pod.metadata.name === broken
            ? { kind: 'ends', after: 1_000, exitCode: 1 }
            : defaultBehaviour(pod, container, attempt),
      },
    });
    const { clock } = world.world;
    broken = 'mo-log-1';
    await world.drive(world.client.of(Pod).delete(inNamespace(broken), { gracePeriodSeconds: 0 }));
    await clock.advance(60_000);
    clock.jump(step);
    // Some word of the pod, so that the set is looked at.
    await clock.advance(300_000);
    expect(await logPods(world)).toEqual(['mo-log-0', 'mo-log-1', 'mo-log-2']);
    await clock.advance(600_000);
    expect(await logPods(world)).toEqual(['mo-log-0', 'mo-log-2', 'mo-log-3']);
    const { spec } = await world.drive(world.client.of(KruiseStatefulSet).get(inNamespace('mo-log')));
    expect(spec.reserveOrdinals).toEqual([1]);
  },
);

test.each([
  ['on', day],
  ['back', -day],
])('a clock that is put %s by a day while all is well starts nothing', async (_how, step) => {
  await using world = await TroubleWorld.settled();
  await world.world.clock.advance(60_000);
  const before = await world.world.versions();
  world.world.clock.jump(step);
  await world.endures();
  expect(await world.world.versions()).toEqual(before);
  expect(await world.says(LogSet, 'mo')).not.toContainEqual(expect.stringContaining('Failover'));
});

test.each([
  ['on', day],
  ['back', -day],
])('a drain takes its time, no less and no more, when the clock is put %s by a day', async (_how, step) => {
  const cnStores = new KnownNodes();
  cnStores.now = { sessions: 1, pipelines: 0, replicas: 0 };
  const group = {
    name: 'tp',
    replicas: 2,
    serviceType: 'ClusterIP',
    scalingConfig: { storeDrainEnabled: true, storeDrainTimeout: '10m' },
  } as const;
  await using world = await TroubleWorld.settled(
    (cluster) => ({ ...cluster, spec: { ...cluster.spec, cnGroups: [group] } }),
    { cnStores },
  );
  const count = async () => {
    const labels = 'matrixorigin.io/component=CNSet';
    return (await world.drive(world.client.of(Pod).list({ namespace: 'default', labels }))).items.length;
  };
  const spec = { cnGroups: [{ ...group, replicas: 1 }] };
  await world.drive(world.client.of(MatrixOneCluster).patch(inNamespace('mo'), merge({ spec })));
  const { clock } = world.world;
  await clock.advance(60_000);
  clock.jump(step);
  await clock.advance(8 * 60_000);
  expect(await count()).toBe(2);
  await clock.advance(2 * 60_000);
  expect(await count()).toBe(1);
  await world.recovers();
});
