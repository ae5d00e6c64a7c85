import { seededRandom } from '@coxswain/runtime/core';
import { beforeEach, describe, expect, test } from 'vitest';
import { ErrorMessage, lockService, queryService } from '../mo/index.ts';
import { TestLogService, watch } from '../mo/test-log-service.ts';
import { MorpcServer } from '../morpc/index.ts';
import type { Decoded, Encodable } from '../morpc/protobuf/index.ts';
import { UnregisteredNodeError } from './errors.ts';
import { type HaKeeperCnStores, hakeeperCnStores } from './hakeeper-stores.ts';
import type { CnStore } from './service.ts';

const haKeeper = 'mo-log-discovery.ns.svc:32001';
const query = '10.0.0.1:6004';
const lock = '10.0.0.2:6003';
const signal = new AbortController().signal;
const store: CnStore = {
  logSet: { namespace: 'ns', name: 'mo' },
  haKeeper,
  uuid: 'cn-a',
  podName: 'mo-tp-cn-a',
  podIP: '10.0.0.1',
};
const other: CnStore = { ...store, uuid: 'cn-b', podName: 'mo-tp-cn-b' };
const shards = [{ shardId: 1n, replicaId: 2n }];
const notSupported = ErrorMessage.encode({ code: 20105, message: 'unsupported' });

type Query = Decoded<typeof queryService.request>;
type Lock = Decoded<typeof lockService.request>;
type QueryAnswer = Encodable<typeof queryService.response>;
type LockAnswer = Encodable<typeof lockService.response>;

let world: TestLogService;
let stores: HaKeeperCnStores;

beforeEach(() => {
  world = new TestLogService();
  world.start(haKeeper, 1n);
  world.leader = 1n;
  world.nodes.set('cn-a', { state: 2, labels: {}, queryAddress: query });
  world.nodes.set('cn-b', { state: 1, labels: { account: ['x', 'y'] }, queryAddress: query });
  const { clock, network } = world;
  stores = hakeeperCnStores({ clock, dial: network.dial, random: seededRandom(1) });
});

/** What was asked of HAKeeper since the last time, without the search for it. */
function asked(): readonly string[] {
  const lines = world.asked.splice(0).map((line) => line.slice(0, line.indexOf(' ')));
  return lines.filter((line) => line !== 'GET_SHARD_INFO' && line !== 'CHECK_HAKEEPER');
}

function serveCn(handle: (request: Query) => QueryAnswer | undefined): void {
  const server = new MorpcServer({ clock: world.clock, protocol: queryService, handle });
  world.network.listen(query, (stream) => server.accept(stream));
}

function serveTn(handle: (request: Lock) => LockAnswer, address = lock): void {
  const server = new MorpcServer({ clock: world.clock, protocol: lockService, handle });
  world.network.listen(address, (stream) => server.accept(stream));
}

/** Lets a second go by, in which answers are reused. */
const later = () => world.clock.advance(1_000);

describe('a node', () => {
  test('is put into service, and out of it, with what differs and nothing else', async () => {
    const labels = [{ key: 'account', values: ['x'] }];
    await stores.serve(store, labels, signal);
    expect(world.nodes.get('cn-a')).toMatchObject({ state: 1, labels: { account: ['x'] } });
    expect(asked()).toEqual(['GET_CLUSTER_DETAILS', 'PATCH_CN_STORE']);
    await later();
    await stores.serve(store, labels, signal);
    expect(asked()).toEqual(['GET_CLUSTER_DETAILS']);
    await stores.drain(store, signal);
    await stores.drain(store, signal);
    expect(world.nodes.get('cn-a')).toMatchObject({ state: 2, labels: { account: ['x'] } });
    expect(asked()).toEqual(['PATCH_CN_STORE']);
    await later();
    await stores.drain(store, signal);
    expect(asked()).toEqual(['GET_CLUSTER_DETAILS']);
  });

  test('loses labels that are not wanted any more, whatever the order of the others', async () => {
    await stores.serve(other, [{ key: 'account', values: ['y', 'x'] }], signal);
    expect(asked()).toEqual(['GET_CLUSTER_DETAILS']);
    await stores.serve(other, [{ key: 'empty', values: [] }, { values: ['x'] }], signal);
    expect(world.nodes.get('cn-b')?.labels).toEqual({});
    expect(asked()).toEqual(['UPDATE_CN_LABEL', 'PATCH_CN_STORE']);
  });

  test('that a HAKeeper without memory forgot is told again', async () => {
    await stores.serve(store, [], signal);
    world.nodes.set('cn-a', { state: 2, labels: {} });
    await later();
    await stores.serve(store, [], signal);
    expect(world.nodes.get('cn-a')?.state).toBe(1);
  });

  test('that drains is put into service only when nobody has anything against it', async () => {
    let asks = 0;
    const allow = async () => void asks++;
    world.nodes.set('cn-a', { state: 1, labels: {} });
    await stores.serve(store, [], signal, allow);
    expect(asks).toBe(0);
    await stores.drain(store, signal);
    await later();
    const refuse = () => Promise.reject(new Error('it is to stop'));
    await expect(stores.serve(store, [], signal, refuse)).rejects.toThrow('it is to stop');
    expect(world.nodes.get('cn-a')?.state).toBe(2);
    await stores.serve(store, [], signal, allow);
    expect([asks, world.nodes.get('cn-a')?.state]).toEqual([1, 1]);
  });

  test('that has not reported itself cannot serve, has nothing, and is nobody to tell or to forget', async () => {
    world.nodes.delete('cn-a');
    await expect(stores.serve(store, [], signal)).rejects.toThrow(UnregisteredNodeError);
    expect(await stores.load(store, signal)).toBeUndefined();
    expect(await stores.describe?.(store, signal)).toBeUndefined();
    await stores.drain(store, signal);
    await stores.forget(store, signal);
    expect(asked()).toEqual(['GET_CLUSTER_DETAILS']);
  });

  test('that goes between question and write is not there', async () => {
    await stores.describe?.(store, signal);
    world.nodes.delete('cn-a');
    await expect(stores.serve(store, [], signal)).rejects.toThrow(UnregisteredNodeError);
    world.nodes.set('cn-a', { state: 1, labels: {} });
    await stores.describe?.(store, signal);
    world.nodes.delete('cn-a');
    await stores.drain(store, signal);
  });

  test('is described, and forgotten', async () => {
    expect(await stores.describe?.(store, signal)).toEqual({ queryAddress: query, workState: 2 });
    await stores.forget(store, signal);
    expect(world.nodes.has('cn-a')).toBe(false);
    expect(await stores.describe?.(store, signal)).toBeUndefined();
  });

  test('of a set that is gone has nobody who could be asked', async () => {
    const { haKeeper: _, ...orphan } = store;
    await expect(stores.drain(orphan, signal)).rejects.toThrow('mo-tp-cn-a: its CNSet is gone');
  });
});

describe('a cluster', () => {
  test('is asked once by all who ask within a second', async () => {
    await Promise.all(Array.from({ length: 50 }, () => stores.describe?.(store, signal)));
    await world.clock.advance(999);
    await stores.describe?.(other, signal);
    expect(asked()).toEqual(['GET_CLUSTER_DETAILS']);
    await world.clock.advance(1);
    await stores.describe?.(other, signal);
    expect(asked()).toEqual(['GET_CLUSTER_DETAILS']);
  });

  test('answers all others when one who waits gives up', async () => {
    world.faults.set(haKeeper, 20434);
    const gone = new AbortController();
    const first = watch(stores.drain(store, gone.signal));
    const second = watch(stores.drain(store, signal));
    await world.clock.advance(400);
    gone.abort(new Error('the pass is over'));
    world.faults.clear();
    await world.clock.advance(5_000);
    expect(first.error).toEqual(new Error('the pass is over'));
    expect(second).toMatchObject({ done: true });
    expect(second.error).toBeUndefined();
  });

  test('that does not answer is no cluster without nodes', async () => {
    world.faults.set(haKeeper, 'hang');
    const load = watch(stores.load(store, signal));
    await world.clock.advance(10_000);
    expect(load.error).toMatchObject({ failure: 'timeout' });
  });

  test('is read again after a write of which nobody knows whether it was done', async () => {
    await stores.describe?.(store, signal);
    world.faults.set(haKeeper, 'hang');
    const write = watch(stores.serve(store, [], signal));
    await world.clock.advance(10_000);
    expect(write.error).toBeDefined();
    world.faults.clear();
    world.nodes.set('cn-a', { state: 1, labels: {} });
    asked();
    await stores.serve(store, [], signal);
    expect(asked()).toEqual(['GET_CLUSTER_DETAILS']);
  });

  test('is found again when another replica has to answer', async () => {
    world.start('log-2:32001', 2n);
    world.leader = 2n;
    await stores.describe?.(store, signal);
    world.network.stop('log-2:32001');
    world.leader = 1n;
    await later();
    expect(await stores.describe?.(store, signal)).toMatchObject({ workState: 2 });
  });

  test('that is not asked for 30 s is forgotten, with its connections', async () => {
    await stores.describe?.(store, signal);
    await world.clock.advance(20_000);
    await stores.describe?.(store, signal);
    await world.clock.advance(29_000);
    expect(stores.clusters).toEqual([haKeeper]);
    await world.clock.advance(2_000);
    expect(stores.clusters).toEqual([]);
    expect(world.clock.untilNext).toBeUndefined();
  });

  test('is left alone once all is closed', async () => {
    await stores.describe?.(store, signal);
    stores.close();
    expect(world.clock.untilNext).toBeUndefined();
    await expect(stores.drain(store, signal)).rejects.toMatchObject({ failure: 'closed' });
  });
});

describe('a load', () => {
  const sessions = [
    { account: 'sys', db: 'mo_task', fromProxy: false },
    { account: 'acc', fromProxy: true },
  ];
  const answer = ({ method }: Query): QueryAnswer => {
    if (method === 1) return { method, showProcessList: { sessions } };
    return method === 19 ? { method, getPipelineInfo: { count: 2n } } : { method, error: notSupported };
  };

  test('is counted at the node, by what its release can tell [case 6]', async () => {
    serveCn(answer);
    expect(await stores.load(store, signal)).toEqual({ sessions: 1, pipelines: 2, replicas: 0 });
  });

  test('of a node that HAKeeper gave up is what it still serves, as long as it can be reached', async () => {
    world.nodes.delete('cn-a');
    expect(await stores.load(store, signal)).toBeUndefined();
    await later();
    serveCn(answer);
    expect(await stores.load(store, signal)).toEqual({ sessions: 1, pipelines: 2, replicas: 0 });
    serveCn(() => undefined);
    world.network.streams.at(-1)?.stream.close();
    await later();
    const hung = watch(stores.load(store, signal));
    await world.clock.advance(10_500);
    expect(hung.error).toMatchObject({ failure: expect.stringMatching(/timeout|lost/) });
    world.network.stop(query);
    await world.clock.advance(10_000);
    expect(await stores.load(store, signal)).toBeUndefined();
    expect(await stores.load({ ...store, podIP: undefined }, signal)).toBeUndefined();
  });

  test('of a node that does not answer is not known, and that is not nothing', async () => {
    await expect(stores.load(store, signal)).rejects.toMatchObject({ failure: 'unreachable' });
    serveCn(() => undefined);
    const hung = watch(stores.load(store, signal));
    await world.clock.advance(10_500);
    expect(hung.error).toMatchObject({ failure: expect.stringMatching(/timeout|unreachable|lost/) });
    world.nodes.set('cn-a', { state: 2, labels: {} });
    await expect(stores.load(store, signal)).rejects.toThrow('no query service');
  });
});

describe('the locks of a node', () => {
  let restarting = false;
  let open = 1;
  const heard: number[] = [];
  const answer = ({ method }: Lock): LockAnswer => {
    heard.push(method);
    if (method === 12) restarting = true;
    return {
      method,
      ...(method === 12 ? { setRestartService: { ok: true } } : {}),
      ...(method === 13 ? { remainTxnInService: { remainTxn: restarting ? open : -1 } } : {}),
      ...(method === 14 ? { canRestartService: { ok: restarting && open === 0 } } : {}),
    };
  };
  const hand = (wasAsked: boolean) => stores.handOverLocks?.(store, wasAsked, signal);

  beforeEach(() => {
    [restarting, open] = [false, 1];
    heard.length = 0;
    world.tnStores = [
      { uuid: 'tn-old', lockServiceAddress: '10.0.0.9:6003', shards: [] },
      { uuid: 'tn', lockServiceAddress: lock, shards },
    ];
  });

  test('are given away when it is asked to, once', async () => {
    serveTn(answer);
    expect(await hand(false)).toEqual({ released: false, asked: true, transactions: 1 });
    expect(await hand(true)).toEqual({ released: false, asked: true, transactions: 1 });
    open = 0;
    expect(await hand(true)).toEqual({ released: true, asked: true });
    expect(heard.filter((method) => method === 12)).toHaveLength(1);
    expect(heard[0]).toBe(14);
  });

  test('are asked about at the transaction node that there is now', async () => {
    serveTn(answer);
    await hand(false);
    world.network.stop(lock);
    world.tnStores = [{ uuid: 'tn', lockServiceAddress: '10.0.0.3:6003', shards }];
    serveTn(answer, '10.0.0.3:6003');
    await later();
    open = 0;
    expect(await hand(true)).toEqual({ released: true, asked: true });
  });

  test('are nobody’s before releases that hand them over, and not known without a transaction node [case 6]', async () => {
    serveTn(({ method }) => ({ method, error: notSupported }));
    expect(await hand(false)).toEqual({ released: true, asked: false });
    world.tnStores = [];
    await later();
    await expect(hand(false)).rejects.toThrow('no transaction node');
  });
});
