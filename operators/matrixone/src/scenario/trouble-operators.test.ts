import { ConfigMap, Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNSet, MatrixOneCluster } from '../api/index.ts';
import { TroubleWorld } from './test-trouble.ts';

const mo = { namespace: 'default', name: 'mo' };

async function uids(world: TroubleWorld, component: string): Promise<readonly (string | undefined)[]> {
  const labels = `matrixorigin.io/component=${component}`;
  const { items } = await world.drive(world.client.of(Pod).list({ namespace: 'default', labels }));
  return items.map(({ metadata }) => metadata.uid).sort();
}

test('sets of two operator versions live in one cluster, and raising one of them restarts no other', async () => {
  await using world = await TroubleWorld.settled((cluster) => ({
    ...cluster,
    spec: {
      ...cluster.spec,
      operatorVersion: '1.2.0',
      logService: { ...cluster.spec.logService, operatorVersion: '1.3.0' },
    },
  }));
  const maps = await world.drive(world.client.of(ConfigMap).list({ namespace: 'default' }));
  const names = maps.items.map(({ metadata }) => metadata.name);
  expect(names).toContain('mo-log-config');
  expect(names).toContainEqual(expect.stringMatching(/^mo-tp-cn-config-[0-9a-f]{7}$/));
  await world.endures();
  const before = await uids(world, 'LogSet');
  const group = { name: 'tp', replicas: 2, operatorVersion: '1.3.0' };
  await world.drive(world.client.of(MatrixOneCluster).patch(mo, merge({ spec: { cnGroups: [group] } })));
  await world.recovers();
  await world.endures();
  const set = await world.drive(world.client.of(CNSet).get({ namespace: 'default', name: 'mo-tp' }));
  expect(set.spec.operatorVersion).toBe('1.3.0');
  expect(await uids(world, 'LogSet')).toEqual(before);
});

test('two operators that both act do not undo what the other has done', async () => {
  await using world = await TroubleWorld.start();
  await world.world.startOperator();
  await world.create({});
  await world.recovers();
  await world.drive(world.client.of(MatrixOneCluster).patch(mo, merge({ spec: { tn: { config: 'x = 1\n' } } })));
  await world.recovers();
  await world.world.clock.advance(60_000);
  const before = await world.world.versions();
  await world.endures();
  expect(await world.world.versions()).toEqual(before);
  expect((await world.events()).filter((line) => /Loop|Fail/.test(line))).toEqual([]);
});
