import { ConfigMap } from '@coxswain/k8s';
import { silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { startTestCluster, TestTimeout } from './index.ts';

const map = (namespace: string, name: string, data: Record<string, string> = {}) => ({
  metadata: { name, namespace },
  data,
});

test.each([{ clock: true }, { http: true }, {}])(
  'a manager works, and the world is at rest after it: %o',
  async (how) => {
    const clock = 'clock' in how ? new VirtualClock() : undefined;
    await using world = await startTestCluster({ ...(clock ? { clock } : {}), http: 'http' in how });
    const { client, namespace } = world;
    const manager = await world.manager();
    manager
      .controller(ConfigMap)
      .scope({ namespace })
      .run({
        async reconcile({ key, client: own, cache }) {
          const object = cache.store(ConfigMap).get(key);
          const data = object?.data?.['in'] === undefined ? undefined : { out: `${object.data['in']}!` };
          if (!data || object?.data?.['out'] === data.out) return;
          await own.of(ConfigMap).patch(key, { type: 'merge', body: { data } });
        },
      });
    await manager.start();
    for (const name of ['a', 'b', 'c']) await client.of(ConfigMap).create(map(namespace, name, { in: name }));
    await world.settled();
    const { items } = await client.of(ConfigMap).list({ namespace, labels: '' });
    expect(items.map(({ data }) => data?.['out']).filter(Boolean)).toEqual(['a!', 'b!', 'c!']);
    await client.of(ConfigMap).delete({ namespace, name: 'b' });
    await world.settled();
    expect(manager.cache.store(ConfigMap).get({ namespace, name: 'b' })).toBeUndefined();
  },
);

test('what is never at rest is named', async () => {
  const clock = new VirtualClock();
  await using world = await startTestCluster({ clock });
  const { client, namespace } = world;
  const manager = await world.manager({ name: 'slow' });
  const end = Promise.withResolvers<void>();
  manager.controller(ConfigMap).run({ reconcile: () => end.promise });
  await manager.start();
  await client.of(ConfigMap).create(map(namespace, 'a'));
  await expect(world.settled({ timeout: 1_000 })).rejects.toThrow(
    'the world is not at rest after 1s: manager slow has work',
  );
  end.resolve();
  await world.settled();
});

test('a wait that fails tells which passes failed, for which object and why', async () => {
  const clock = new VirtualClock();
  await using world = await startTestCluster({ clock });
  const { client, namespace } = world;
  const said: string[] = [];
  const log = { ...silentLogger, error: (_: object, message: string) => void said.push(message), child: () => log };
  const manager = await world.manager({ name: 'op', log });
  const cause = new Error('no route');
  manager
    .controller(ConfigMap, 'maps')
    .scope({ namespace })
    .run({
      async reconcile({ key }) {
        if (key.name.startsWith('bad')) throw new Error('the disk is full', { cause });
      },
    });
  await manager.start();
  await client.of(ConfigMap).create(map(namespace, 'good'));
  await world.settled();
  expect(world.troubles).toEqual([]);
  await client.of(ConfigMap).create(map(namespace, 'bad'));
  await world.settled();
  const line = expect.stringMatching(
    `^error: reconcile failed; it is retried \\(manager=op controller=maps key=${namespace}/bad failures=\\d+\\): the disk is full \\(caused by: no route\\)$`,
  );
  expect(world.troubles).toEqual([line]);
  const waits = [
    world.until(ConfigMap, { namespace, name: 'good' }, (object) => object?.data !== undefined && false, {
      timeout: 5_000,
    }),
    world.eventually(() => false, { timeout: 5_000 }),
  ];
  for (const wait of waits) {
    const error = await wait.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TestTimeout);
    const { message } = error as TestTimeout;
    expect(message).toMatch(/^.* does not hold after 5s.*\n {2}the managers told of:\n {2}error: reconcile failed/);
  }
  expect(world.troubles).toEqual([line]);
  expect(said.length).toBeGreaterThan(1);
  for (let i = 0; i < 12; i++) await client.of(ConfigMap).create(map(namespace, `bad${i}`));
  await world.settled();
  expect(world.troubles).toHaveLength(10);
});

test('until follows one object: made, changed, gone', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const key = { namespace, name: 'a' };
  const maps = client.of(ConfigMap);
  const made = world.until(ConfigMap, key, (object) => object?.data?.['n'] === '2');
  await maps.create(map(namespace, 'b', { n: '2' }));
  await maps.create(map(namespace, 'a', { n: '1' }));
  await maps.update(map(namespace, 'a', { n: '2' }));
  expect((await made)?.metadata.name).toBe('a');
  const gone = world.until(ConfigMap, key, (object) => object === undefined);
  await maps.delete(key);
  expect(await gone).toBeUndefined();
});

test('until and eventually give up in virtual time, and say how it stands', async () => {
  const clock = new VirtualClock();
  await using world = await startTestCluster({ clock });
  const { client, namespace } = world;
  await client.of(ConfigMap).create(map(namespace, 'a', { n: '1' }));
  const waiting = world.until(ConfigMap, { namespace, name: 'a' }, () => false, { timeout: 60_000 });
  await expect(waiting).rejects.toThrow(/does not hold after 60s; it is .*"n":"1"/);
  const failing = world.eventually(() => Promise.reject(new Error('not yet')), { timeout: 2_000, what: 'the answer' });
  await expect(failing).rejects.toThrow(new TestTimeout('the answer does not hold after 2s: not yet'));
});

test('eventually answers what the check answers', async () => {
  await using world = await startTestCluster({ clock: new VirtualClock() });
  let tries = 0;
  expect(await world.eventually(() => ++tries === 4 && 'four')).toBe('four');
});

test('an option that nobody reads is refused, and so is a server that there is not', async () => {
  await expect(startTestCluster({ controlplane: true } as never)).rejects.toThrow('did you mean `controlPlane`?');
  await expect(startTestCluster({ server: 'reall' } as never)).rejects.toThrow('it must be "embedded" or "real"');
});
