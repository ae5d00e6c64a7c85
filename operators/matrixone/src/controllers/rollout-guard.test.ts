import type { Pod } from '@coxswain/k8s';
import type { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import type { ActorContext } from '@coxswain/runtime/actor';
import { formatTime, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import type { LogSet } from '../api/index.ts';
import type { LogStoreRecord } from '../cnstore/index.ts';
import { Elapsed } from '../elapsed/index.ts';
import { logStoreUuid } from '../identity/index.ts';
import { RolloutGuard } from './rollout-guard.ts';

const clock = new VirtualClock();
const context = {
  object: { metadata: { name: 'mo', namespace: 'prod', uid: 'u1' } },
  clock,
  log: silentLogger,
  signal: new AbortController().signal,
  event: () => {},
} as unknown as ActorContext<LogSet>;

function workload(env: readonly object[], status: object = {}): KruiseStatefulSet {
  const template = { spec: { containers: [{ name: 'main', image: 'mo:1', env }] } };
  return {
    metadata: { name: 'mo-log', namespace: 'prod', generation: 1 },
    spec: { replicas: 3, template },
    status: { observedGeneration: 1, updateRevision: 'new', ...status },
  } as unknown as KruiseStatefulSet;
}

/** A log pod. @param since milliseconds for which it has been ready */
function pod(ordinal: number, revision: string, since = 3_600_000, inPlace = 'True'): Pod {
  const lastTransitionTime = formatTime(clock.now() - since);
  return {
    metadata: {
      name: `mo-log-${ordinal}`,
      uid: `${ordinal} ${revision} ${since}`,
      labels: { 'controller-revision-hash': revision },
    },
    status: {
      conditions: [
        { type: 'Ready', status: 'True', lastTransitionTime },
        { type: 'InPlaceUpdateReady', status: inPlace, lastTransitionTime },
      ],
    },
  } as unknown as Pod;
}

function guard(change: (record: LogStoreRecord) => LogStoreRecord = (same) => same) {
  const records = [0, 1, 2].map((ordinal) =>
    change({ uuid: logStoreUuid(ordinal), leads: [], works: [0, 1], missing: [], silentFor: 1_000 }),
  );
  return new RolloutGuard({ logStores: () => Promise.resolve(records) }, new Elapsed(clock));
}

const held = async (pods: readonly Pod[], by = guard()) =>
  (await by.step(context, { planned: workload([]), live: workload([]), pods, shardReplicas: 3 })).partition ?? 0;

test('a heartbeat counts that is of after the pod became ready, and no sooner', async () => {
  await clock.advance(10_000_000);
  const old = [pod(0, 'old'), pod(1, 'old')];
  expect(await held([...old, pod(2, 'new', 3_000)])).toBe(2);
  expect(await held([...old, pod(2, 'new', 5_000)])).toBe(1);
  expect(
    await held(
      [...old, pod(2, 'new', 5_000)],
      guard((record) => ({ ...record, silentFor: 9_000 })),
    ),
  ).toBe(2);
});

test('what OpenKruise is changing in place is not back, though it is still said to be ready; nor is who is silent or has a replica missing', async () => {
  const old = [pod(0, 'old'), pod(1, 'old')];
  expect(await held([...old, pod(2, 'new', 60_000, 'False')])).toBe(2);
  const of = (change: Partial<LogStoreRecord>) =>
    guard((record) => (record.uuid === logStoreUuid(2) ? { ...record, ...change } : record));
  expect(await held([...old, pod(2, 'new')], of({ silentFor: 11_000 }))).toBe(2);
  expect(await held([...old, pod(2, 'new')], of({ missing: [1] }))).toBe(2);
  expect(await held([...old, pod(2, 'new')], of({ uuid: 'another' }))).toBe(2);
});

test('a template that the server keeps in another form is new once', async () => {
  const [planned, live] = [workload([{ name: 'A', value: '' }]), workload([{ name: 'A' }])];
  const pods = [0, 1, 2].map((ordinal) => pod(ordinal, 'new'));
  const by = guard();
  const first = await by.step(context, { planned: planned, live: live, pods, shardReplicas: 3 });
  expect(first.partition).toBe(2);
  expect((await by.step(context, { planned: planned, live: live, pods, shardReplicas: 3 })).partition).toBe(2);
  // Left out, as somebody else keeps undoing it: the object is the one that was known, or one of which only the status has changed.
  first.applied?.(live);
  first.applied?.({ ...live, metadata: { ...live.metadata, resourceVersion: 'another' } });
  expect((await by.step(context, { planned: planned, live: live, pods, shardReplicas: 3 })).partition).toBe(2);
  first.applied?.(structuredClone(live));
  expect((await by.step(context, { planned: planned, live: live, pods, shardReplicas: 3 })).partition).toBeUndefined();
  by.forget(context);
  expect((await by.step(context, { planned: planned, live: live, pods, shardReplicas: 3 })).partition).toBe(2);
});

test('until OpenKruise has seen the newest spec, as many are held as before', async () => {
  const live = workload([], { observedGeneration: 0 });
  const pods = [0, 1, 2].map((ordinal) => pod(ordinal, 'old'));
  expect(
    (await guard().step(context, { planned: workload([]), live: live, pods, shardReplicas: 3 })).partition,
  ).toBeUndefined();
  const before = { ...live, spec: { ...live.spec, updateStrategy: { rollingUpdate: { partition: 2 } } } };
  expect(
    (await guard().step(context, { planned: workload([]), live: before as KruiseStatefulSet, pods, shardReplicas: 3 }))
      .partition,
  ).toBe(2);
});

test('none is restarted while HAKeeper has not given a new store the replicas of the one that it replaced', async () => {
  const replaced = { ...workload([]), spec: { ...workload([]).spec, reserveOrdinals: [1] } } as KruiseStatefulSet;
  const pods = [pod(0, 'old'), pod(2, 'old'), pod(3, 'new')];
  const says = (ordinal: number, works: readonly number[], silentFor = 1_000) => ({
    uuid: logStoreUuid(ordinal),
    leads: [],
    works,
    missing: [],
    silentFor,
  });
  const by = (...records: readonly LogStoreRecord[]) =>
    new RolloutGuard({ logStores: () => Promise.resolve(records) }, new Elapsed(clock));
  const rollout = { planned: replaced, live: replaced, pods, shardReplicas: 3 };
  const before = [says(0, [0, 1]), says(1, [0, 1], 600_000), says(2, [0, 1])];
  expect((await by(...before, says(3, [])).step(context, rollout)).partition).toBe(2);
  expect((await by(...before, says(3, [0])).step(context, rollout)).partition).toBe(2);
  expect((await by(...before, says(3, [0, 1])).step(context, rollout)).partition).toBe(1);
});

test('none is restarted in the pass that takes another one away', async () => {
  const live = { ...workload([]), spec: { ...workload([]).spec, replicas: 4 } } as KruiseStatefulSet;
  const pods = [0, 1, 2].map((ordinal) => pod(ordinal, 'old'));
  const planned = workload([{ name: 'A', value: '1' }]);
  expect((await guard().step(context, { planned, live, pods, shardReplicas: 3 })).partition).toBe(3);
  expect((await guard().step(context, { planned, live: workload([]), pods, shardReplicas: 3 })).partition).toBe(2);
});
