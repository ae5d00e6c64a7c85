import { findCondition } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNSet, MatrixOneCluster } from '../api/index.ts';
import { TroubleWorld } from './test-trouble.ts';

const mo = { namespace: 'default', name: 'mo' };

test('a wrong image that was mended is not told of as if it were the right one', async () => {
  await using world = await TroubleWorld.settled();
  const { client, world: inner } = world;
  const roll = (image: string | null) =>
    world.drive(
      client.of(MatrixOneCluster).patch(mo, merge({ spec: { cnGroups: [{ name: 'tp', replicas: 2, image }] } })),
    );
  await inner.record(CNSet, (object) => findCondition(object, 'PodsFailing')?.message);
  await roll('invalid.example/broken:1');
  await inner.clock.advance(120_000);
  expect(inner.history.at(-1)).toMatch(/: image invalid\.example\/broken:1 of container main cannot be pulled: /);
  await roll(null);
  await world.recovers();
  const failed = /: image invalid\.example\/broken:1 of container main cannot be pulled: /;
  expect(inner.history.filter((said) => !failed.test(said))).toEqual([]);
});
