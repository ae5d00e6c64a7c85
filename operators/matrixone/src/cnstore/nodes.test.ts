import { Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { formatTime } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { CNSet, LogSet } from '../api/index.ts';
import { NodeWorld, TestStores } from './test-nodes.ts';

const drains = { scalingConfig: { storeDrainEnabled: true } };
const namespace = 'default';

/** A world with the node `a`, which serves. */
async function serving(stores: TestStores, options: { spec?: object; deps?: object } = {}): Promise<NodeWorld> {
  const world = await NodeWorld.start(stores, { spec: drains, ...options });
  stores.nodes.set('a', 'draining');
  await world.add('a');
  expect(await world.gate('a')).toBe('True CNStoreReady');
  return world;
}

test('a node serves as soon as it has reported itself, and not before', async () => {
  const stores = new TestStores();
  await using world = await NodeWorld.start(stores);
  await world.add('a');
  expect(await world.gate('a')).toBeUndefined();
  await world.clock.advance(5_000);
  expect(await world.gate('a')).toMatch(/^False CNStoreNotRegistered: .*not reported itself/);
  stores.nodes.set('a', 'draining');
  await world.clock.advance(1_000);
  expect(await world.gate('a')).toBe('True CNStoreReady');
  expect(stores.nodes.get('a')).toBe('serving');
  expect((await world.pod('a'))?.metadata.labels?.['matrixone.cloud/cn-uuid']).toMatch(/^[0-9a-f-]{36}$/);
});

test('a node that starts costs two writes', async () => {
  const stores = new TestStores();
  await using world = await NodeWorld.start(stores);
  const rules = ['', 'status'].map((subresource) =>
    world.cluster.faults.add({
      match: { verb: 'patch', resource: 'pods', subresource },
      when: { probability: 0 },
      action: { latency: 0 },
    }),
  );
  await world.add('a');
  await world.clock.advance(1_000);
  stores.nodes.set('a', 'draining');
  await world.clock.advance(60_000);
  expect(await world.gate('a')).toBe('True CNStoreReady');
  // The other of the status is that of the kubelet, which the test plays.
  expect(rules.map(({ counts }) => counts.matched)).toEqual([1, 2]);
});

test('a pod that does not run yet goes as it came', async () => {
  const stores = new TestStores();
  await using world = await NodeWorld.start(stores, { spec: drains });
  await world.add('a', {}, false);
  await world.clock.advance(10_000);
  expect((await world.pod('a'))?.metadata.finalizers).toBeUndefined();
  await world.runs('a', true);
  expect(await world.isHeld('a')).toBe(true);
});

test('a node that nobody can be asked about does not begin to serve, and one that serves goes on', async () => {
  const stores = new TestStores();
  stores.trouble = new Error('HAKeeper is away');
  await using world = await NodeWorld.start(stores);
  await world.add('a');
  expect(await world.gate('a')).toBe('False CNStoreUnknown: HAKeeper is away');
  stores.nodes.set('a', 'draining');
  stores.trouble = undefined;
  await world.clock.advance(5_000);
  expect(await world.gate('a')).toBe('True CNStoreReady');
  stores.trouble = new Error('HAKeeper is away');
  await world.clock.advance(600_000);
  expect(await world.gate('a')).toBe('True CNStoreReady');
  stores.nodes.set('a', 'draining');
  stores.trouble = undefined;
  await world.clock.advance(5_000);
  expect(stores.nodes.get('a')).toBe('serving');
});

test.each([CNSet.plural, LogSet.plural])(
  'an operator that begins lets no node go before it has seen %s',
  async (plural) => {
    const stores = new TestStores();
    stores.now = { sessions: 2, pipelines: 0, replicas: 0 };
    await using world = await serving(stores);
    await world.stopOperator();
    await world.asks('a', 'PreparingDelete');
    const late = world.cluster.faults.add({ match: { resource: plural }, action: { latency: 10_000 } });
    await world.startOperator();
    await world.clock.advance(30_000);
    late.remove();
    expect(await world.isHeld('a')).toBe(true);
    expect(stores.nodes.get('a')).toBe('draining');
  },
);

test('a HAKeeper that lost its memory is told again', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  stores.nodes.set('a', 'draining');
  await world.clock.advance(20_000);
  expect(stores.nodes.get('a')).toBe('serving');
});

test('the load of a node is on its pod, written when it changes, and kept while it is not known', async () => {
  const stores = new TestStores();
  stores.now = { sessions: 2, pipelines: 1, replicas: 0 };
  await using world = await serving(stores);
  const marks = async () => (await world.pod('a'))?.metadata.annotations ?? {};
  expect(JSON.parse((await marks())['matrixorigin.io/score'] ?? '')).toEqual({
    sessionCount: 2,
    pipelineCount: 1,
    replicaCount: 0,
    startedTime: '2026-01-01T00:00:00Z',
  });
  expect(await marks()).toMatchObject({
    'matrixorigin.io/connections': '3',
    'controller.kubernetes.io/pod-deletion-cost': '2',
  });
  const version = (await world.pod('a'))?.metadata.resourceVersion;
  stores.silence = new Error('no answer');
  await world.clock.advance(100_000);
  stores.silence = undefined;
  await world.clock.advance(100_000);
  expect((await world.pod('a'))?.metadata.resourceVersion).toBe(version);
  stores.now = { sessions: 0, pipelines: 0, replicas: 0 };
  await world.clock.advance(20_000);
  expect(await marks()).toMatchObject({ 'matrixorigin.io/connections': '0' });
});

test('locks that nothing holds any more cost a second', async () => {
  const stores = new TestStores();
  await using world = await serving(stores, {
    spec: { scalingConfig: { storeDrainEnabled: true, minDelaySeconds: 0 } },
  });
  await world.asks('a', 'PreparingDelete');
  expect(stores.told.at(-1)).toBe('set restart a');
  expect(await world.isHeld('a')).toBe(true);
  await world.clock.advance(1_000);
  expect(await world.isHeld('a')).toBe(false);
});

test('a drain waits for sessions, pipelines, locks and the delay, says so, and then lets the pod go', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  stores.now = { sessions: 3, pipelines: 1, replicas: 0 };
  stores.transactions = 1;
  await world.asks('a', 'PreparingDelete');
  expect(stores.nodes.get('a')).toBe('draining');
  expect(await world.gate('a')).toBe('False CNStorePrepareStop: waits for 3 sessions, 1 pipeline');
  await world.clock.advance(60_000);
  stores.now = { sessions: 0, pipelines: 0, replicas: 0 };
  await world.clock.advance(5_000);
  expect(await world.gate('a')).toBe('False CNStorePrepareStop: waits for locks of 1 open transaction');
  await world.clock.advance(60_000);
  expect(stores.told.filter((line) => line === 'set restart a')).toHaveLength(1);
  expect(await world.isHeld('a')).toBe(true);
  stores.transactions = 0;
  await world.clock.advance(5_000);
  expect(await world.isHeld('a')).toBe(false);
  expect(await world.events()).toEqual([
    'Pod Draining: sessions are handed over, for 5m0s at most',
    'Pod Drained: nothing is left on the compute node, after 2m6s',
  ]);
});

test('a node without load waits for the delay only, as new sessions may be on their way', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  await world.asks('a', 'PreparingUpdate');
  await world.clock.advance(14_000);
  expect(await world.gate('a')).toContain('sessions that may be on their way to it');
  expect(stores.told).not.toContain('set restart a');
  await world.clock.advance(1_000);
  expect(stores.told).toContain('set restart a');
  await world.clock.advance(5_000);
  expect(await world.isHeld('a')).toBe(false);
});

test('a node that is needed again is taken back at once, and the next drain begins afresh', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance(10_000);
  expect((await world.pod('a'))?.metadata.annotations).toHaveProperty(['matrixorigin.io/store-draining-start']);
  await world.asks('a', 'Normal');
  expect(await world.gate('a')).toBe('True CNStoreReady');
  expect(stores.nodes.get('a')).toBe('serving');
  const marks = Object.keys((await world.pod('a'))?.metadata.annotations ?? {});
  expect(marks).not.toContain('matrixorigin.io/store-draining-start');
  stores.now = { sessions: 1, pipelines: 0, replicas: 0 };
  await world.clock.advance(600_000);
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance(60_000);
  expect(await world.isHeld('a')).toBe(true);
  expect(await world.events()).toContain('Pod DrainRevoked: the compute node is needed again and takes sessions');
});

test('a node that is needed again when it has given its locks away is replaced: it would refuse every transaction', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  stores.transactions = 1;
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance(20_000);
  // Since when it runs that was asked.
  const asked = { 'matrixorigin.io/lock-restart': '2026-01-01T00:00:00Z' };
  expect((await world.pod('a'))?.metadata.annotations).toMatchObject(asked);
  await world.asks('a', 'Normal');
  await world.clock.advance(5_000);
  expect((await world.pod('a'))?.metadata.deletionTimestamp).toBeDefined();
  expect(stores.nodes.get('a')).toBe('draining');
  await world.runs('a', false);
  expect(stores.nodes.has('a')).toBe(false);
  expect(await world.events()).toContainEqual(expect.stringMatching(/^Pod Replaced: /));
});

test('a node that is asked for its locks is one that is known to be asked, wherever the operator ends', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  stores.transactions = 1;
  const ask = stores.handOverLocks.bind(stores);
  const marks: unknown[] = [];
  stores.handOverLocks = async (...call) => {
    const { items } = await world.cluster.client.of(Pod).list({ namespace });
    marks.push(...items.map(({ metadata }) => metadata.annotations?.['matrixorigin.io/lock-restart']));
    return ask(...call);
  };
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance(20_000);
  expect(marks).not.toContain(undefined);
  expect(stores.told).toContain('set restart a');
});

test('a mark of locks that was left on a node that serves long since costs it nothing', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  await world.change('a', { annotations: { 'matrixorigin.io/lock-restart': 'y' } });
  await world.clock.advance(60_000);
  expect((await world.pod('a'))?.metadata.deletionTimestamp).toBeUndefined();
  expect(await world.gate('a')).toBe('True CNStoreReady');
});

test('a node that is needed again while it is counted is not asked for its locks: there is no way back', async () => {
  const stores = new TestStores();
  await using world = await serving(stores, {
    spec: { scalingConfig: { storeDrainEnabled: true, minDelaySeconds: 0 } },
  });
  const counted = Promise.withResolvers<void>();
  stores.load = async () => {
    await counted.promise;
    return stores.now;
  };
  await world.asks('a', 'PreparingDelete');
  await world.asks('a', 'Normal');
  counted.resolve();
  await world.clock.advance(2_000);
  expect(stores.told).not.toContain('set restart a');
  expect(await world.gate('a')).toBe('True CNStoreReady');
  expect(stores.nodes.get('a')).toBe('serving');
});

test.each([
  ['nothing said of it', {}, 300],
  ['a time of its own', { storeDrainTimeout: '90s' }, 90],
  ['a time that is none', { storeDrainTimeout: 'soon' }, 300],
])('a drain that does not end is ended at its timeout: %s', async (_, more, seconds) => {
  const stores = new TestStores();
  await using world = await serving(stores, { spec: { scalingConfig: { storeDrainEnabled: true, ...more } } });
  stores.now = { sessions: 1, pipelines: 0, replicas: 0 };
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance((seconds - 5) * 1000);
  expect(await world.isHeld('a')).toBe(true);
  await world.clock.advance(10_000);
  expect(await world.isHeld('a')).toBe(false);
  const events = await world.events();
  expect(events.filter((line) => line.includes('DrainTimedOut')).toSorted()).toEqual([
    expect.stringMatching(/^CNSet DrainTimedOut: a: after .* although it waits for 1 session$/),
    expect.stringMatching(/^Pod DrainTimedOut: after .* although it waits for 1 session$/),
  ]);
});

test('a drain whose start cannot be read ends, too', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  stores.now = { sessions: 1, pipelines: 0, replicas: 0 };
  const labels = { 'lifecycle.apps.kruise.io/state': 'PreparingDelete' };
  await world.change('a', { labels, annotations: { 'matrixorigin.io/store-draining-start': 'lately' } });
  await world.clock.advance(290_000);
  expect(await world.gate('a')).toBe('False CNStorePrepareStop: waits for 1 session');
  await world.clock.advance(20_000);
  expect(await world.isHeld('a')).toBe(false);
});

test('a node that does not answer is not drained, and goes at the timeout', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  stores.silence = new Error('no answer');
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance(290_000);
  expect(await world.gate('a')).toBe('False CNStorePrepareStop: waits for no answer');
  expect(await world.isHeld('a')).toBe(true);
  await world.clock.advance(15_000);
  expect(await world.isHeld('a')).toBe(false);
  expect(await world.events()).toContain('Pod DrainUnknown: no answer');
});

test('a drain that takes long is marked for a look at it', async () => {
  const stores = new TestStores();
  const scalingConfig = { storeDrainEnabled: true, storeDrainTimeout: '1h' };
  await using world = await serving(stores, { spec: { scalingConfig } });
  stores.now = { sessions: 1, pipelines: 0, replicas: 0 };
  const mark = async () => (await world.pod('a'))?.metadata.annotations?.['matrixorigin.io/diagnos-draining'];
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance(290_000);
  expect(await mark()).toBeUndefined();
  await world.clock.advance(20_000);
  expect(await mark()).toBeDefined();
});

test('a node that never registered does not drain endlessly', async () => {
  const stores = new TestStores();
  await using world = await NodeWorld.start(stores, { spec: drains });
  await world.add('a');
  await world.asks('a', 'PreparingDelete');
  expect(await world.isHeld('a')).toBe(false);
  expect(await world.events()).toContain('Pod Drained: HAKeeper does not know the compute node, after 0s');
});

test.each([
  ['a set that drains nothing', { spec: {} }, undefined],
  ['a change of metadata only', { spec: { ...drains, pauseUpdate: true } }, undefined],
  ['a log service that is being deleted', {}, LogSet],
])('nothing is waited for with %s', async (_, options, deleted) => {
  const stores = new TestStores();
  await using world = await serving(stores, options);
  stores.now = { sessions: 1, pipelines: 0, replicas: 0 };
  if (deleted) await world.drive(world.cluster.client.of(deleted).delete({ namespace, name: 'mo' }));
  await world.asks('a', 'PreparingUpdate');
  expect(await world.isHeld('a')).toBe(false);
});

test('the policy Drain empties nodes at the end of a set that does not drain otherwise', async () => {
  const stores = new TestStores();
  await using world = await serving(stores, { spec: { terminationPolicy: 'Drain' } });
  stores.now = { sessions: 1, pipelines: 0, replicas: 0 };
  await world.drive(world.cluster.client.of(CNSet).delete({ namespace, name: 'tp' }));
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance(60_000);
  expect(await world.gate('a')).toContain('waits for 1 session');
  expect(await world.isHeld('a')).toBe(true);
});

test('a cordoned node serves nobody, also when it forgets that, until the cordon is lifted', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  await world.change('a', { annotations: { 'matrixorigin.io/store-cordon': '' } });
  expect(await world.gate('a')).toBe('False CNStoreCordon');
  expect(stores.nodes.get('a')).toBe('draining');
  stores.nodes.set('a', 'serving');
  await world.clock.advance(20_000);
  expect(stores.nodes.get('a')).toBe('draining');
  await world.change('a', { annotations: { 'matrixorigin.io/store-cordon': null } });
  expect(await world.gate('a')).toBe('True CNStoreReady');
});

test.each(['PreparingDelete', 'PreparingUpdate'])(
  'a cordoned node that is to go (%s) is emptied and goes',
  async (asked) => {
    const stores = new TestStores();
    await using world = await NodeWorld.start(stores, { spec: { scalingConfig: { storeDrainEnabled: true } } });
    stores.nodes.set('a', 'serving');
    stores.now = { sessions: 1, pipelines: 0, replicas: 0 };
    await world.add('a');
    await world.change('a', { annotations: { 'matrixorigin.io/store-cordon': '' } });
    await world.asks('a', asked);
    await world.clock.advance(60_000);
    expect(await world.isHeld('a')).toBe(true);
    stores.now = { sessions: 0, pipelines: 0, replicas: 0 };
    await world.clock.advance(15_000);
    expect(await world.isHeld('a')).toBe(false);
  },
);

test('a deleted pod is emptied while it runs, forgotten when it does not, and then goes', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  await world.delete('a');
  await world.clock.advance(10_000);
  expect(stores.nodes.get('a')).toBe('draining');
  await world.runs('a', false);
  expect(stores.told.slice(-2)).toEqual(['drain a', 'forget a']);
  expect((await world.pod('a'))?.metadata.finalizers ?? []).toEqual([]);
});

test('a deleted pod of a dead machine is forgotten when its time of grace is over', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  await world.delete('a');
  await world.clock.advance(30_000);
  expect(stores.nodes.has('a')).toBe(true);
  await world.clock.advance(6_000);
  expect(stores.nodes.has('a')).toBe(false);
});

test('a deleted pod goes without a HAKeeper: after the time of a drain, and that is told', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  stores.trouble = new Error('HAKeeper is away');
  await world.delete('a');
  await world.runs('a', false);
  await world.clock.advance(300_000);
  expect(await world.isHeld('a')).toBe(true);
  await world.clock.advance(40_000);
  expect(await world.isHeld('a')).toBe(false);
  const events = await world.events();
  const told = 'for 5m0s HAKeeper could not be told that the compute node is gone: HAKeeper is away';
  expect(events).toEqual(expect.arrayContaining([`Pod NotForgotten: ${told}`, `CNSet NotForgotten: a: ${told}`]));
});

test('at the end of its set a deleted pod goes soon without a HAKeeper, and at once without one that is known to be silent', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  stores.trouble = new Error('HAKeeper is away');
  await world.drive(world.cluster.client.of(CNSet).delete({ namespace, name: 'tp' }));
  await world.delete('a');
  await world.runs('a', false);
  await world.clock.advance(50_000);
  expect(await world.isHeld('a')).toBe(true);
  await world.clock.advance(20_000);
  expect(await world.isHeld('a')).toBe(false);
  const told = 'for 30s HAKeeper could not be told that the compute node is gone: HAKeeper is away';
  expect(await world.events()).toContain(`Pod NotForgotten: ${told}`);
});

/** Says of the log service that its HAKeeper does not answer. */
function fallSilent(world: NodeWorld): Promise<unknown> {
  const lastTransitionTime = formatTime(world.clock.now());
  const conditions = [{ type: 'HaKeeperSilent', status: 'True', reason: 'NoAnswer', message: 'x', lastTransitionTime }];
  const body = merge({ status: { conditions } });
  return world.drive(world.cluster.client.of(LogSet).patch({ namespace, name: 'mo' }, body, { subresource: 'status' }));
}

test.each(['leaving', 'living'])('a %s set whose HAKeeper is silent', async (is) => {
  const stores = new TestStores();
  await using world = await serving(stores, { spec: { ...drains, terminationPolicy: 'Drain' } });
  stores.now = { sessions: 1, pipelines: 0, replicas: 0 };
  stores.trouble = new Error('HAKeeper is away');
  await fallSilent(world);
  if (is === 'leaving') await world.drive(world.cluster.client.of(CNSet).delete({ namespace, name: 'tp' }));
  await world.asks('a', 'PreparingDelete');
  expect(await world.isHeld('a')).toBe(is === 'living');
});

test.each(['set', 'log service'])('a deleted pod goes at once when its %s is gone', async (what) => {
  const stores = new TestStores();
  await using world = await serving(stores);
  stores.trouble = new Error('HAKeeper is away');
  const { client } = world.cluster;
  if (what === 'set') {
    await world.drive(client.of(CNSet).patch({ namespace, name: 'tp' }, merge({ metadata: { finalizers: null } })));
    await world.drive(client.of(CNSet).delete({ namespace, name: 'tp' }));
  } else await world.drive(client.of(LogSet).delete({ namespace, name: 'mo' }));
  await world.delete('a');
  expect(await world.isHeld('a')).toBe(false);
});

test('a set that joins a cluster by address is drained without a LogSet', async () => {
  const stores = new TestStores();
  const deps = { externalLogSet: { haKeeperEndpoint: 'log.example:32001' } };
  await using world = await serving(stores, { deps });
  stores.now = { sessions: 1, pipelines: 0, replicas: 0 };
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance(60_000);
  expect(await world.isHeld('a')).toBe(true);
});

test('a node of a pool that was given back at a time that cannot be read is free in the end', async () => {
  const stores = new TestStores();
  await using world = await NodeWorld.start(stores, { spec: drains });
  stores.nodes.set('a', 'draining');
  await world.add('a', {
    labels: { 'pool.matrixorigin.io/phase': 'Draining' },
    annotations: { 'pool.matrixorigin.io/management-policy': 'Pooling', 'matrixorigin.io/reclaimed-at': 'lately' },
  });
  await world.clock.advance(60_000);
  expect((await world.pod('a'))?.metadata.labels?.['pool.matrixorigin.io/phase']).toBe('Idle');
});

test.each([
  ['its claim is gone', { 'pool.matrixorigin.io/phase': 'Idle' }],
  ['its pool sends it away', { 'pool.matrixorigin.io/phase': 'Terminating' }],
  ['OpenKruise would delete it', { 'apps.kruise.io/specified-delete': 'true' }],
])('a pod that others made is emptied and deleted when %s', async (_, labels) => {
  const stores = new TestStores();
  await using world = await NodeWorld.start(stores, { spec: drains });
  stores.nodes.set('a', 'serving');
  stores.now = { sessions: 1, pipelines: 0, replicas: 0 };
  await world.add('a', {
    labels: { 'pool.matrixorigin.io/direct-pod': 'y', 'pool.matrixorigin.io/phase': 'Bound' },
    annotations: { 'pool.matrixorigin.io/management-policy': 'Pooling' },
  });
  expect(await world.gate('a')).toBe('True CNStoreReady');
  await world.change('a', { labels });
  expect(await world.gate('a')).toBe('False CNStorePrepareStop: waits for 1 session');
  await world.clock.advance(60_000);
  expect((await world.pod('a'))?.metadata.deletionTimestamp).toBeUndefined();
  stores.now = { sessions: 0, pipelines: 0, replicas: 0 };
  await world.clock.advance(10_000);
  expect((await world.pod('a'))?.metadata.deletionTimestamp).toBeDefined();
  await world.runs('a', false);
  expect(stores.nodes.has('a')).toBe(false);
});

test('nodes that do not answer do not hold up the others', async () => {
  const stores = new TestStores();
  const answered = stores.serve.bind(stores);
  const never = Promise.withResolvers<void>();
  stores.serve = (...call) => (call[0].podName.startsWith('silent') ? never.promise : answered(...call));
  await using world = await NodeWorld.start(stores);
  for (let i = 0; i < 40; i++) await world.add(`silent-${i}`);
  stores.nodes.set('a', 'draining');
  await world.add('a');
  expect(await world.gate('a')).toBe('True CNStoreReady');
  never.resolve();
});
