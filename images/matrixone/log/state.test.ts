import { expect, test } from 'vitest';
import { apply, type Command, type KeeperState, newKeeperState } from './state.ts';

const expiry = { log: 3000, tn: 100, cn: 300, proxy: 300 };
const members = [131072, 131073, 131074].map((replicaId, at) => ({ replicaId, uuid: `log-${at}` }));

const cn = (uuid: string): Command => ({
  kind: 'cn',
  uuid,
  now: 5,
  store: {
    serviceAddress: '',
    sqlAddress: `${uuid}:6001`,
    lockServiceAddress: '',
    queryAddress: '',
    shardServiceAddress: '',
    role: 0,
    commitId: '',
    initWorkState: 2,
  },
});
const tn = (uuid: string): Command => ({
  kind: 'tn',
  uuid,
  store: {
    serviceAddress: '',
    logtailServerAddress: '',
    lockServiceAddress: '',
    queryAddress: '',
    shardServiceAddress: '',
  },
});
const log = (uuid: string): Command => ({
  kind: 'log',
  uuid,
  store: { raftAddress: '', serviceAddress: '', gossipAddress: '' },
});
const tick = (ticks: number): Command => ({ kind: 'tick', ticks, now: 1000 });

function after(...commands: readonly Command[]): KeeperState {
  return commands.reduce((state, command) => {
    const outcome = apply(state, command, expiry);
    if ('refused' in outcome) throw new Error(outcome.refused);
    return outcome.state;
  }, newKeeperState(members));
}

test('HAKeeper runs once a majority of its members was heard of, and from then on', () => {
  expect(after(log('log-0'), log('stranger')).running).toBe(false);
  expect(after(log('log-0'), log('log-2')).running).toBe(true);
  expect(after(log('log-0'), log('log-2'), tick(9000)).running).toBe(true);
});

test('a compute node is expired 30 s after its last heartbeat, and comes back without labels', () => {
  const labelled: Command = { kind: 'patch', uuid: 'a', workState: 1, labels: { account: ['x'] } };
  const alive = after(cn('a'), labelled, tick(300), cn('a'), tick(300));
  expect(alive.cn['a']).toMatchObject({ workState: 1, labels: { account: ['x'] }, tick: 300 });
  const gone = after(cn('a'), labelled, tick(301));
  expect([gone.cn, gone.deleted]).toMatchObject([{}, [{ uuid: 'a', address: 'a:6001', downTime: 1000 }]]);
  const back = apply(gone, cn('a'), expiry);
  expect(back).toMatchObject({ state: { cn: { a: { workState: 2, labels: {} } } } });
});

test('what is patched keeps the rest; a node nobody knows is refused', () => {
  const labels = { k: ['v'] };
  const state = after(cn('a'), { kind: 'patch', uuid: 'a', labels }, { kind: 'patch', uuid: 'a', workState: 3 });
  expect(state.cn['a']).toMatchObject({ labels, workState: 3 });
  const unknown = apply(state, { kind: 'patch', uuid: 'b', workState: 1 }, expiry);
  expect(unknown).toEqual({ refused: 'CN [b] does not exist' });
});

test('the shard moves when its transaction node is no longer heard of, and has a new replica then', () => {
  const first = after(tn('a'), tn('b'));
  expect(first.shard).toEqual({ uuid: 'a', replicaId: 262144 });
  const moved = after(tn('a'), tn('b'), tick(60), tn('b'), tick(60));
  expect(moved.shard).toEqual({ uuid: 'b', replicaId: 262145 });
  expect(after(tn('a'), tick(500), tick(500)).shard).toEqual({ uuid: 'a', replicaId: 262144 });
});

test('a replica moves from a log store that is gone to one that has none', () => {
  const all = [log('log-0'), log('log-1'), log('log-2')];
  const alive = [log('log-0'), log('log-1'), log('log-3')];
  const state = after(...all, log('log-3'), tick(2000), ...alive, tick(2000));
  expect(state.members).toEqual({ 131072: 'log-0', 131073: 'log-1', 262144: 'log-3' });
  expect(after(...all, tick(2000), log('log-0'), log('log-1'), tick(2000)).members).toEqual(after().members);
});
