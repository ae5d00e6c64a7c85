import { describe, expect, test } from 'vitest';
import { errorCode, heartbeatAge, isUnknownStore, MatrixOneError, workState } from './index.ts';
import { TestLogService, watch } from './test-log-service.ts';

const [a, b, c, front] = ['log-0:32001', 'log-1:32001', 'log-2:32001', 'discovery:32001'];

/** Three log stores with replicas, of which b leads, behind a Service. */
function three(): TestLogService {
  const world = new TestLogService();
  world.start(a, 1n);
  world.start(b, 2n);
  world.start(c, 3n);
  world.start(front);
  world.leader = 2n;
  return world;
}

describe('the search', () => {
  test('asks the leader first, and stays with it', async () => {
    const world = three();
    const keeper = world.haKeeper([front]);
    await keeper.clusterDetails();
    await keeper.clusterDetails();
    expect(world.asked).toEqual([
      `GET_SHARD_INFO at ${front}`,
      `CHECK_HAKEEPER at ${b}`,
      `GET_CLUSTER_DETAILS at ${b}`,
      `GET_CLUSTER_DETAILS at ${b}`,
    ]);
  });

  test('is made once for all calls that need it', async () => {
    const world = three();
    const keeper = world.haKeeper([front]);
    await Promise.all([keeper.clusterDetails(), keeper.clusterState(), keeper.shardInfo(0n)]);
    expect(world.asked.filter((asked) => asked.startsWith('CHECK'))).toHaveLength(1);
  });

  test('goes on to the next address, and reaches what only has been given', async () => {
    const world = new TestLogService();
    world.replicas.set(1n, 'only-inside:32001');
    world.leader = 1n;
    world.network.blackholes.add('only-inside:32001');
    world.network.blackholes.add('nowhere:1');
    world.start('outside:1', 2n);
    world.replicas.set(2n, 'inside-too:1');
    world.start('outside:1');
    const keeper = world.haKeeper(['nowhere:1', 'outside:1']);
    // The store does not go by the address it is reached at.
    world.replicas.set(3n, 'outside:1');
    const call = watch(keeper.clusterDetails());
    await world.clock.advance(5000);
    expect(call).toMatchObject({ done: true, value: { cnStores: [] } });
  });

  test('that finds nobody says whom it asked', async () => {
    const world = new TestLogService();
    world.start(a);
    const call = watch(world.haKeeper([a, b], { timeout: 3000 }).clusterDetails());
    await world.clock.advance(3000);
    expect(call.error).toMatchObject({ name: 'NoHaKeeperError' });
    expect(String(call.error)).toContain(`${a} runs no replica of it`);
    expect(String(call.error)).toContain(`CHECK_HAKEEPER at ${b}: connect ECONNREFUSED`);
  });

  test('finds a leader that was elected meanwhile', async () => {
    const world = new TestLogService();
    const call = watch(world.haKeeper([a]).clusterDetails());
    await world.clock.advance(4000);
    expect(call.done).toBe(false);
    world.start(a, 1n);
    await world.clock.advance(3000);
    expect(call.done && call.error).toBeUndefined();
  });
});

describe('a replica that fails', () => {
  test.each([
    errorCode.noHaKeeper,
    errorCode.timeout,
    errorCode.shardNotReady,
    errorCode.closed,
    errorCode.shardNotFound,
  ])('with %i is left for another at once', async (code) => {
    const world = three();
    world.faults.set(b, code);
    const call = watch(world.haKeeper([front]).clusterDetails());
    await world.clock.settle();
    expect(call).toMatchObject({ done: true, value: { cnStores: [] } });
    expect(world.asked.at(-1)).toBe(`GET_CLUSTER_DETAILS at ${a}`);
  });

  test('by not answering is left within the time of the call', async () => {
    const world = three();
    world.faults.set(b, 'hang');
    const call = watch(world.haKeeper([front]).clusterDetails());
    await world.clock.advance(4000);
    expect(call).toMatchObject({ done: true, value: { cnStores: [] } });
  });

  test('by ending is left for another', async () => {
    const world = three();
    const keeper = world.haKeeper([front]);
    await keeper.clusterDetails();
    world.network.stop(b);
    await keeper.clusterDetails();
    expect(world.asked.at(-1)).toBe(`GET_CLUSTER_DETAILS at ${a}`);
  });

  test('as all do: the call ends with its time and the last answer', async () => {
    const world = three();
    for (const address of [a, b, c]) world.faults.set(address, errorCode.timeout);
    const call = watch(world.haKeeper([front]).clusterDetails({ timeout: 5000 }));
    await world.clock.advance(5000);
    expect(call.error).toMatchObject({ name: 'MatrixOneError', code: 20429, method: 'GET_CLUSTER_DETAILS' });
    expect(world.asked.length).toBeLessThan(50);
  });

  test('by refusing is believed: no other is asked', async () => {
    const world = three();
    world.faults.set(b, errorCode.rejected);
    await expect(world.haKeeper([front]).clusterDetails()).rejects.toThrow(
      `GET_CLUSTER_DETAILS at ${b}: error 20432 (rejected)`,
    );
  });

  test('a call that is stopped ends with its reason', async () => {
    const world = three();
    world.faults.set(b, 'hang');
    const stop = new AbortController();
    const call = watch(world.haKeeper([front]).clusterDetails({ signal: stop.signal }));
    await world.clock.advance(100);
    stop.abort(new Error('enough'));
    await world.clock.settle();
    expect(call.error).toEqual(new Error('enough'));
  });

  test('a client that is closed ends all calls', async () => {
    const world = three();
    world.faults.set(b, 'hang');
    const call = watch(world.haKeeper([front]).clusterDetails());
    await world.clock.advance(100);
    world.client.close();
    await world.clock.advance(1000);
    expect(call.error).toMatchObject({ failure: 'closed' });
  });
});

describe('compute nodes', () => {
  test('are told state and labels, keep labels they are told nothing of, and lose all of them when told none', async () => {
    const world = three();
    world.nodes.set('cn', { state: 1, labels: {} });
    const keeper = world.haKeeper([front]);
    await keeper.patchCnStore('cn', workState.working, new Map([['account', ['acc1', 'acc2']]]));
    expect(world.nodes.get('cn')).toEqual({ state: 1, labels: { account: ['acc1', 'acc2'] } });
    await keeper.patchCnStore('cn', workState.draining);
    expect(world.nodes.get('cn')).toEqual({ state: 2, labels: { account: ['acc1', 'acc2'] } });
    await keeper.patchCnStore('cn', workState.working, new Map());
    expect(world.nodes.get('cn')).toEqual({ state: 1, labels: {} });
    await keeper.updateCnLabels('cn', new Map([['k', ['v']]]));
    await keeper.updateCnWorkState('cn', workState.drained);
    expect(world.nodes.get('cn')).toEqual({ state: 3, labels: { k: ['v'] } });
    expect((await keeper.clusterDetails()).cnStores).toMatchObject([{ uuid: 'cn', workState: 3 }]);
    await keeper.deleteCnStore('cn');
    await keeper.deleteCnStore('cn');
    expect(world.nodes.size).toBe(0);
  });

  test('that are unknown are said to be', async () => {
    const world = three();
    const { error } = await new Promise<{ error: unknown }>((resolve) => {
      world
        .haKeeper([front])
        .patchCnStore('x', workState.draining)
        .catch((reason) => resolve({ error: reason }));
    });
    expect(isUnknownStore(error)).toBe(true);
    expect(String(error)).toBe(`MatrixOneError: PATCH_CN_STORE at ${b}: error 20101 (internal): CN [x] does not exist`);
    expect(isUnknownStore(new MatrixOneError({ address: a, method: '' }, 20101, 'out of memory'))).toBe(false);
  });

  test('without a UUID are none', async () => {
    const world = three();
    await expect(world.haKeeper([front]).deleteCnStore('')).rejects.toThrow('UUID');
    expect(world.asked).toEqual([]);
  });
});

test('the age of a heartbeat comes from ticks', () => {
  expect(heartbeatAge({ tick: 25n }, { tick: 5n })).toBe(2000);
  expect(heartbeatAge({ tick: 5n }, { tick: 25n })).toBe(0);
});
