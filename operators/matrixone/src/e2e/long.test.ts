/**
 * The long life of a MatrixOne of real processes, with its operator killed during all that it does: `./cox test matrixone`. One test goes on
 * where the one before ended.
 */
import { Pod } from '@coxswain/k8s';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CNSet } from '../api/index.ts';
import { isPodReady } from '../controllers/store-status.ts';
import { PodWatch } from './test-pod-watch.ts';
import { nextNode, Sessions } from './test-sessions.ts';
import { namespace, ProcessWorld, small } from './test-world.ts';

const patience = 600_000;
const isWanted = process.env['COX_MATRIXONE'] === 'long';

describe.runIf(isWanted)('a long life', { timeout: patience }, () => {
  let world: ProcessWorld;
  beforeAll(async () => {
    world = await ProcessWorld.start();
  }, patience);
  afterAll(() => world?.[Symbol.asyncDispose]());

  const uids = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.uid).sort();
  const restarts = ({ status }: Pod) => status?.containerStatuses?.[0]?.restartCount ?? 0;
  const count = async (kind: Parameters<ProcessWorld['pods']>[0], wanted: number) =>
    world.until(`${wanted} pods of ${kind}`, async () => (await world.pods(kind)).length === wanted, 180);

  test('created, while the operator is killed', async () => {
    await world.create({ ...small, proxy: { replicas: 2 } });
    await world.until('log stores', async () => (await world.pods('LogSet')).length > 0);
    await world.replaceLeader();
    await world.settled(120);
    // each proxy looks at the cluster for itself, so one may know of no compute node while the other one has sessions
    for (const { status } of await world.pods('ProxySet'))
      await world.until(`a session through ${status?.podIP}`, () => nextNode(status?.podIP ?? ''));
  });

  test('2 to 6 to 2 compute nodes under live sessions, while the operator is killed', async () => {
    const proxy = await world.proxyAddress();
    await using sessions = await Sessions.open(proxy, 4);
    await using pods = await PodWatch.begin(world.cluster);
    await world.changeGroup({ replicas: 6 });
    await world.replaceLeader();
    await world.settled(120);
    await count('CNSet', 6);
    while (sessions.nodes.size < 6) {
      await world.until('a new node that takes sessions', async () => !sessions.nodes.has(await nextNode(proxy)));
      await sessions.more(1);
    }
    await world.changeGroup({ replicas: 2 });
    await world.replaceLeader();
    await count('CNSet', 2);
    await world.settled(120);
    const answered = sessions.statements;
    await world.until('sessions that go on', async () => sessions.statements > answered + 50);
    expect(sessions.problems).toEqual([]);
    expect(pods.fewest('CNSet')).toBe(2);
  });

  test('another configuration in place: the pods stay', async () => {
    const before = uids(await world.pods('LogSet'));
    await using pods = await PodWatch.begin(world.cluster);
    await world.change({ logService: { config: '[log]\nlevel = "warn"\n' } });
    await world.until('log stores that started again', async () => (await world.pods('LogSet')).every(restarts), 180);
    await world.settled(180);
    expect(uids(await world.pods('LogSet'))).toEqual(before);
    expect(pods.fewest('LogSet')).toBeGreaterThanOrEqual(2);
  });

  test('rolled over to another version with no more down than configured, while the operator is killed', async () => {
    await using pods = await PodWatch.begin(world.cluster);
    await world.change({ version: 'v4.2.1' });
    const isNew = ({ spec }: Pod) => spec?.containers[0]?.image === 'matrixorigin/matrixone:v4.2.1';
    await world.until('the first new log store', async () => (await world.pods('LogSet')).some(isNew), 120);
    await world.replaceLeader();
    await world.until(
      'new compute nodes and proxies',
      async () => {
        const all = [...(await world.pods('CNSet')), ...(await world.pods('ProxySet'))];
        return all.length === 4 && all.every((pod) => isNew(pod) && isPodReady(pod));
      },
      420,
    );
    await world.settled(120);
    expect((await world.pods('LogSet')).every(isNew)).toBe(true);
    expect((await world.pods('DNSet')).every(isNew)).toBe(true);
    expect(pods.fewest('LogSet')).toBeGreaterThanOrEqual(2);
    expect(pods.fewest('CNSet')).toBeGreaterThanOrEqual(2);
    expect(pods.fewest('ProxySet')).toBeGreaterThanOrEqual(1);
  });

  test('a log store that does not come back is replaced, while the operator is killed', async () => {
    await world.change({ logService: { storeFailureTimeout: '5s' } });
    await world.settled();
    await world.misbehave('mo-log-1', 'crash');
    await world.replaceLeader();
    await world.until('a log store in its place', async () => {
      const names = (await world.pods('LogSet')).filter(isPodReady).map(({ metadata }) => metadata.name);
      return names.join(' ') === 'mo-log-0 mo-log-2 mo-log-3';
    });
    await world.settled(120);
    expect(await nextNode(await world.proxyAddress())).not.toBe('');
  });

  test('a session that cannot be moved holds its node until it is over', async () => {
    const proxy = await world.proxyAddress();
    await using sessions = await Sessions.open(proxy, 2);
    const [victim] = await world.pods('CNSet');
    const name = victim?.metadata.name ?? '';
    await world.misbehave(name, 'stuck-sessions');
    await world.changeGroup({ replicas: 1, podsToDelete: [name] });
    const pod = () => world.cluster.client.of(Pod).find({ namespace, name });
    await world.until('a node that is drained', async () => {
      const annotations = (await pod())?.metadata.annotations ?? {};
      return annotations['matrixorigin.io/store-draining-start'] !== undefined;
    });
    await world.until('a condition that says so', async () => {
      const { status } = await world.cluster.client.of(CNSet).get({ namespace, name: 'mo-tp' });
      const told = status?.conditions?.find(({ type }) => type === 'Draining');
      if (told?.message?.startsWith(name) && /\d+ sessions?/.test(told.message)) return true;
      throw new Error(JSON.stringify(told));
    });
    const answered = sessions.statements;
    await world.until('statements meanwhile', async () => sessions.statements > answered + 300, 120);
    expect((await pod())?.metadata.deletionTimestamp).toBeUndefined();
    expect(sessions.nodes.size).toBe(2);
    await world.misbehave(name);
    await world.until('its end', async () => (await pod()) === undefined, 120);
    await world.changeGroup({ podsToDelete: null });
    await world.settled(120);
    expect(sessions.problems).toEqual([]);
  });

  test('a group that is slow to start is waited for, and drained when it is taken away', async () => {
    const { spec } = await world.mo();
    const [tp] = spec.cnGroups ?? [];
    const overlay = { env: [{ name: 'MO_FAULTS', value: 'slow-start=8000' }] };
    await world.change({ cnGroups: [tp, { ...tp, name: 'ap', replicas: 1, overlay }] });
    await world.until('a slow node', async () => (await world.pods('CNSet')).length === 2);
    const conditions = (await world.mo()).status?.conditions ?? [];
    expect(conditions.find(({ type }) => type === 'Ready')).toMatchObject({ reason: 'SomeCNSetsAreNotReady' });
    await world.settled(120);
    await world.change({ cnGroups: [tp] });
    await count('CNSet', 1);
    await world.settled(120);
  });

  test('a compute node that crashes is back by itself', async () => {
    const [pod] = await world.pods('CNSet');
    const name = pod?.metadata.name ?? '';
    await world.misbehave(name, 'crash');
    await world.until('a crash', async () => restarts((await world.pods('CNSet'))[0] as Pod) > restarts(pod as Pod));
    await world.until('sessions again', async () => (await nextNode(await world.proxyAddress())) !== '', 120);
    await world.settled(120);
    expect(uids(await world.pods('CNSet'))).toEqual([pod?.metadata.uid]);
  });

  test('deleted, nothing of it is left, while the operator is killed', async () => {
    await world.remove();
    await world.replaceLeader();
    await world.until(
      'an empty namespace',
      async () => {
        const left = await world.leftovers();
        if (left.length === 0) return true;
        throw new Error(left.join(', '));
      },
      180,
    );
  });
});
