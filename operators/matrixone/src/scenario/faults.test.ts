import type { FaultRule } from '@coxswain/cluster';
import { Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { beforeAll, expect, test } from 'vitest';
import { MatrixOneCluster } from '../api/index.ts';
import { World } from './test-world.ts';

const key = { namespace: 'default', name: 'mo' };

/** Creates the example and answers what came of it. */
async function create(world: World): Promise<Readonly<Record<string, unknown>>> {
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  return world.decided();
}

async function undisturbed(): Promise<Readonly<Record<string, unknown>>> {
  await using world = await World.start();
  return await create(world);
}

let expected: Readonly<Record<string, unknown>>;
beforeAll(async () => {
  expected = await undisturbed();
});

test.each([1, 2, 3])('lost requests and answers change nothing in the end (seed %i)', async (faults) => {
  await using world = await World.start({ faults });
  expect(await create(world)).toEqual(expected);
  await world.drive(world.client.of(MatrixOneCluster).delete(key));
  await world.until('the cluster is gone', async () => (await world.cluster()) === undefined, 3_600);
  await world.clock.advance(60_000);
  expect(await world.decided()).toEqual({});
  expect((await world.drive(world.client.of(Pod).list({ namespace: 'default' }))).items).toEqual([]);
});

test('an operator that dies in the middle of a change is taken over by the next', async () => {
  await using world = await World.start();
  await create(world);
  const spec = { proxy: { replicas: 2, exportToPrometheus: true }, tn: { config: 'x = 1\n' } };
  await world.drive(world.client.of(MatrixOneCluster).patch(key, merge({ spec })));
  await world.stopOperator();
  await world.clock.advance(30_000);
  await world.startOperator();
  await world.until('the cluster is settled', () => world.settled());
  const after = await world.decided();
  expect(after['CloneSet mo-proxy']).toMatchObject({ spec: { replicas: 2 } });
  expect(JSON.stringify(after['ConfigMap mo-dn-config'])).toContain('x = 1\\n');
});

test('with one request in ten failing, replies lost and watches dropped, the cluster becomes Ready all the same', async () => {
  const rules: readonly FaultRule[] = [
    { when: { probability: 0.1 }, action: { status: 500 } },
    {
      match: { verb: ['create', 'update', 'patch', 'delete'] },
      when: { probability: 0.05 },
      action: { loseReply: true },
    },
    { when: { probability: 0.3 }, action: { watch: 'drop', ms: 3_000 } },
    { when: { probability: 0.5 }, action: { watch: 'drop' } },
  ];
  await using world = await World.start({ rules });
  expect(await create(world)).toEqual(expected);
  const fired = world.embedded.faults.list().map(({ counts }) => counts.fired);
  for (const count of fired) expect(count).toBeGreaterThan(0);
  world.embedded.faults.clear();
  await world.clock.advance(120_000);
  expect(await world.decided()).toEqual(expected);
  expect(await world.drive(world.settled())).toBe(true);
});
