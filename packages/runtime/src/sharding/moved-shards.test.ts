import { expect, test } from 'vitest';
import { keyString, seededRandom, VirtualClock } from '../core/index.ts';
import { createManager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Widget, widget } from '../manager/test-kinds.ts';
import { shardOf } from './assign.ts';

test('a replica forgets the keys of a shard that it hands over, and no others', async () => {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const client = api.client();
  const replica = (name: string) => {
    const manager = createManager({ client, clock, random: seededRandom(name.length), name });
    const [worked, forgotten] = [new Set<string>(), new Set<string>()];
    manager
      .controller(Widget)
      .options({ sharding: { shards: 4, namespace: 'default', lease: 'widgets' } })
      .run({
        reconcile: async ({ key }) => void worked.add(keyString(key)),
        forget: (key) => void forgotten.add(keyString(key)),
      });
    return { manager, worked, forgotten };
  };
  const [a, b] = [replica('a'), replica('bb')];
  const keys = Array.from({ length: 40 }, (_, i) => `default/w${i}`);
  for (let i = 0; i < keys.length; i++) await client.of(Widget).create(widget(`w${i}`));
  await a.manager.start();
  await clock.advance(10_000);
  expect([a.worked.size, a.forgotten.size]).toEqual([40, 0]);
  await b.manager.start();
  await clock.advance(30_000);
  const shards = new Set([...b.worked].map((key) => shardOf(key, 4)));
  expect(shards.size).toBe(2);
  expect([...a.forgotten].sort()).toEqual(keys.filter((key) => shards.has(shardOf(key, 4))).sort());
  expect(b.forgotten.size).toBe(0);
  await b.manager.stop();
  await a.manager.stop();
});
