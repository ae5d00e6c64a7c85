/** A whole MatrixOne of real processes, run by the operator as its chart installs it. */
import { Pod } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { systemClock } from '@coxswain/runtime/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { status } from '../kubectl/status/command.ts';
import { terminal } from '../kubectl/test-terminal.ts';
import { PodWatch } from './test-pod-watch.ts';
import { nextNode, Sessions } from './test-sessions.ts';
import { namespace, ProcessWorld, small } from './test-world.ts';

const patience = 240_000;
let world: ProcessWorld;
beforeAll(async () => {
  world = await ProcessWorld.start();
}, patience);
afterAll(() => world?.[Symbol.asyncDispose]());

test('created, it is ready and takes sessions [case 65]', { timeout: patience }, async () => {
  // OpenKruise takes a node that is young for one that is away: with none of them to be away, it would wait half a minute before it removes any.
  const cnGroups = small.cnGroups.map((group) => ({ ...group, updateStrategy: { maxUnavailable: 4 } }));
  await world.create({ ...small, cnGroups });
  await world.settled();
  // The proxy looks at the cluster every two seconds.
  await world.until('a session', async () => nextNode(await world.proxyAddress()), 10);
});

test('status tells which log store leads; when its pod goes, which one does next', { timeout: patience }, async () => {
  const { client } = world.cluster;
  const leader = () =>
    world.until('one leader of HAKeeper and the log', async () => {
      const { session, output } = terminal({ client, clock: systemClock }, 'status mo');
      await status(session);
      const found = [...output().matchAll(/Pod\/(\S+) .*leader of HAKeeper, shard 1/g)].map(([, pod]) => pod);
      return found.length === 1 && found[0];
    });
  const first = await leader();
  await client.of(Pod).delete({ namespace, name: first });
  await world.until('another leader', async () => (await leader()) !== first);
  await world.settled(120);
});

test('log stores take another configuration one by one, each when HAKeeper has the one before back', {
  timeout: patience,
}, async () => {
  const sets = world.cluster.client.of(KruiseStatefulSet);
  const held = new Set<number>();
  const starts = async () => {
    const pods = await world.pods('LogSet');
    return pods.map(({ status: told }) => told?.containerStatuses?.[0]?.restartCount ?? 0);
  };
  const before = await starts();
  await world.change({ logService: { config: '[log]\nlevel = "warn"\n' } });
  await world.until(
    'three new starts',
    async () => {
      const { spec } = await sets.get({ namespace, name: 'mo-log' });
      held.add(spec.updateStrategy?.rollingUpdate?.partition ?? 0);
      const now = await starts();
      return now.every((count, at) => count > (before[at] ?? 0));
    },
    120,
  );
  expect([...held].filter((stores) => stores > 0)).toEqual([2, 1]);
  await world.settled(120);
  const { spec } = await sets.get({ namespace, name: 'mo-log' });
  expect(spec.updateStrategy?.rollingUpdate?.partition ?? 0).toBe(0);
});

test('more compute nodes, and fewer again: no session is cut', { timeout: patience }, async () => {
  const proxy = await world.proxyAddress();
  await using sessions = await Sessions.open(proxy, 4);
  await using pods = await PodWatch.begin(world.cluster);
  await world.changeGroup({ replicas: 6 });
  await world.settled(120);
  expect(await world.pods('CNSet')).toHaveLength(6);
  while (sessions.nodes.size < 6) {
    await world.until('a new node that takes sessions', async () => !sessions.nodes.has(await nextNode(proxy)));
    await sessions.more(1);
  }
  await world.changeGroup({ replicas: 2 });
  await world.until('two compute nodes', async () => (await world.pods('CNSet')).length === 2, 120);
  await world.settled();
  const answered = sessions.statements;
  await world.until('sessions that go on', async () => sessions.statements > answered + 50);
  expect(sessions.problems).toEqual([]);
  expect(sessions.nodes.size).toBe(2);
  expect(sessions.moves).toBeGreaterThan(3);
  expect(pods.fewest('CNSet')).toBe(2);
});

test('a transaction node takes another configuration in its pod', { timeout: patience }, async () => {
  const uid = async () => (await world.pods('DNSet'))[0]?.metadata.uid;
  const before = await uid();
  await world.change({ tn: { config: '[log]\nlevel = "warn"\n' } });
  await world.until(
    'a new start',
    async () => (await world.pods('DNSet'))[0]?.status?.containerStatuses?.[0]?.restartCount,
  );
  await world.settled();
  expect(await uid()).toBe(before);
});

test('deleted, its pods and volumes go', { timeout: patience }, async () => {
  await world.remove();
  await world.until('an empty namespace', async () => (await world.leftovers()).length === 0);
});
