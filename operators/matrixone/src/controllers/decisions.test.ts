import type { Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { confirmedPods } from '../api/index.ts';
import { decideFailover } from './failover.ts';
import { scaleLogStores } from './log-scale.ts';
import { reservedOrdinals } from './ordinals.ts';
import { pendingRollout } from './rollout.ts';
import { storesStatus } from './store-status.ts';

const noon = Date.UTC(2026, 0, 1, 12);
const at = (ms: number) => `${new Date(noon + ms).toISOString().slice(0, 19)}Z`;
const spec = { initialConfig: { logShardReplicas: 3 }, storeFailureTimeout: '10m' };
const down = (ordinal: number, ms: number) => ({
  podName: `mo-log-${ordinal}`,
  phase: 'Down',
  lastTransition: at(-ms),
});

test('a store is replaced once it has been down for the timeout, not before [case 29]', () => {
  expect(decideFailover(spec, [], [], noon)).toEqual({ kind: 'none' });
  expect(decideFailover(spec, [down(0, 599_000)], [], noon)).toEqual({ kind: 'wait', after: 1_000 });
  expect(decideFailover(spec, [down(1, 600_000)], [], noon)).toMatchObject({
    kind: 'replace',
    victim: { podName: 'mo-log-1' },
  });
});

test('no more than a minority is replaced without a person [case 29]', () => {
  expect(decideFailover(spec, [down(0, 86_400_000)], [2], noon)).toMatchObject({ kind: 'blocked' });
  expect(decideFailover(spec, [down(0, 700_000), down(1, 1_000)], [], noon)).toMatchObject({ kind: 'blocked' });
  expect(
    decideFailover({ ...spec, initialConfig: { logShardReplicas: 1 } }, [down(0, 700_000)], [], noon),
  ).toMatchObject({ kind: 'blocked' });
  const five = { ...spec, initialConfig: { logShardReplicas: 5 } };
  expect(decideFailover(five, [down(3, 10_000), down(0, 700_000)], [], noon)).toMatchObject({
    kind: 'replace',
    victim: { podName: 'mo-log-0' },
  });
});

test('a store replaced earlier counts until all others were up long enough, before the next one failed', () => {
  const up = (ordinal: number, ms: number) => ({ podName: `mo-log-${ordinal}`, phase: 'Up', lastTransition: at(-ms) });
  const hours = 3_600_000;
  const decide = (victim: ReturnType<typeof down>, available: readonly ReturnType<typeof up>[], age: number) =>
    decideFailover(spec, [victim], [1], noon, { available, createdAt: () => noon - age }).kind;
  // Replaced yesterday, all well since, the next one fails.
  expect(decide(down(0, 600_000), [up(2, 24 * hours), up(3, 2 * hours)], 24 * hours)).toBe('replace');
  // The replacement came up only a minute before the next one failed: it may hold nothing yet.
  expect(decide(down(0, 600_000), [up(2, 24 * hours), up(3, 660_000)], 24 * hours)).toBe('blocked');
  // The replacement itself has never been up.
  expect(decide(down(3, 600_000), [up(0, 24 * hours), up(2, 24 * hours)], 600_000)).toBe('blocked');
  expect(decide(down(0, 600_000), [], 24 * hours)).toBe('blocked');
});

test('a store that has no pod counts as one that is down', () => {
  const up = { podName: 'mo-log-2', phase: 'Up', lastTransition: at(-86_400_000) };
  const decide = (replicas: number) =>
    decideFailover({ ...spec, replicas }, [down(0, 600_000)], [], noon, { available: [up] }).kind;
  expect([decide(2), decide(3)]).toEqual(['replace', 'blocked']);
});

test('a store that is on its way out is not replaced again', () => {
  const available = [0, 2, 3].map((i) => ({ podName: `mo-log-${i}`, phase: 'Up', lastTransition: at(-9e7) }));
  const createdAt = () => noon - 9e7;
  expect(decideFailover(spec, [down(1, 700_000)], [1], noon, { available, createdAt })).toMatchObject({ kind: 'wait' });
});

test('what a person has confirmed is replaced, and the message says how to confirm', () => {
  const both = [down(0, 700_000), down(1, 700_000)];
  const decision = decideFailover(spec, both, [], noon);
  expect(decision).toMatchObject({
    kind: 'blocked',
    why: expect.stringContaining('matrixorigin.io/confirm-failover=mo-log-0,mo-log-1'),
  });
  const confirmed = confirmedPods({
    metadata: { name: 'mo', annotations: { 'matrixorigin.io/confirm-failover': 'mo-log-1, mo-log-9' } },
  });
  expect(decideFailover(spec, both, [], noon, { confirmed })).toMatchObject({
    kind: 'replace',
    victim: { podName: 'mo-log-1' },
  });
  // Not before its time.
  expect(decideFailover(spec, [down(1, 1_000)], [], noon, { confirmed }).kind).toBe('wait');
});

test('log stores are taken away one at a time, while all others are up, and their volumes stay', () => {
  const live = (replicas: number, scaledInAt?: string) => ({
    metadata: {
      name: 'mo-log',
      ...(scaledInAt ? { annotations: { 'matrixorigin.io/scaled-in-at': scaledInAt } } : {}),
    },
    spec: { replicas, selector: {}, template: {} },
  });
  const pods = (...ordinals: number[]) => ordinals.map((ordinal) => pod(`mo-log-${ordinal}`, true));
  const scale = (wanted: number, ...rest: [ReturnType<typeof live> | undefined, readonly Pod[]]) =>
    scaleLogStores({ replicas: wanted, storeFailureTimeout: '10m' }, ...rest, noon);
  expect(scale(3, undefined, [])).toEqual({ replicas: 3, keepsClaims: false });
  expect(scale(5, live(3), pods(0, 1, 2))).toEqual({ replicas: 5, keepsClaims: false });
  expect(scale(3, live(5), pods(0, 1, 2, 3, 4))).toMatchObject({ replicas: 4, keepsClaims: true, scaledInAt: at(0) });
  // One is down, and one is still going.
  expect(scale(3, live(5), [...pods(0, 1, 2, 3), pod('mo-log-4', false)])).toMatchObject({ replicas: 5 });
  expect(scale(3, live(4, at(-60_000)), pods(0, 1, 2, 3, 4))).toMatchObject({ replicas: 4, keepsClaims: true });
  // The one before has not been gone for long enough.
  expect(scale(3, live(4, at(-60_000)), pods(0, 1, 2, 3))).toMatchObject({ replicas: 4, after: 540_000 });
  expect(scale(3, live(4, at(-600_000)), pods(0, 1, 2, 3))).toMatchObject({ replicas: 3, scaledInAt: at(0) });
  expect(scale(3, live(3, at(0)), pods(0, 1, 2, 3))).toMatchObject({ replicas: 3, keepsClaims: true });
  expect(scale(3, live(3, at(0)), pods(0, 1, 2))).toEqual({ replicas: 3, keepsClaims: false, scaledInAt: at(0) });
  expect(scale(0, live(3), pods(0, 1, 2))).toMatchObject({ replicas: 0, keepsClaims: true });
});

test('without a timeout ten minutes count', () => {
  expect(decideFailover({ initialConfig: { logShardReplicas: 3 } }, [down(0, 0)], [], noon)).toEqual({
    kind: 'wait',
    after: 600_000,
  });
});

function pod(name: string, ready: boolean, deleting = false): Pod {
  const metadata = { name, ...(deleting ? { deletionTimestamp: at(0) } : {}) };
  return { metadata, status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] } };
}

test('the time of a store’s last change stays while its phase does', () => {
  const first = storesStatus([pod('l-10', true), pod('l-2', true), pod('l-3', true, true)], {}, noon);
  expect(first.availableStores.map(({ podName }) => podName)).toEqual(['l-2', 'l-10']);
  expect(first.failedStores).toEqual([{ podName: 'l-3', phase: 'Down', lastTransition: at(0) }]);
  const second = storesStatus([pod('l-10', true), pod('l-2', false)], first, noon + 60_000);
  expect(second.availableStores).toEqual([{ podName: 'l-10', phase: 'Up', lastTransition: at(0) }]);
  expect(second.failedStores).toEqual([{ podName: 'l-2', phase: 'Down', lastTransition: at(60_000) }]);
});

test('reserved ordinals may be ranges', () => {
  const workload = {
    metadata: { name: 'x' },
    spec: { reserveOrdinals: [1, '3-5', '7', 'x'], selector: {}, template: {} },
  };
  expect(reservedOrdinals(workload)).toEqual([1, 3, 4, 5, 7]);
  expect(reservedOrdinals(undefined)).toEqual([]);
});

test('a rollout is over when its controller has seen the spec and all pods are new and ready [case 20]', () => {
  const workload = { kind: 'CloneSet', metadata: { name: 'x', generation: 2 }, spec: { replicas: 2 } };
  expect(pendingRollout(workload)).toBe('CloneSet x is being rolled out');
  const seen = (updatedReadyReplicas: number) => ({
    ...workload,
    status: { observedGeneration: 2, updatedReadyReplicas },
  });
  expect(pendingRollout(seen(1))).toBe('CloneSet x is being rolled out');
  expect(pendingRollout(seen(2))).toBeUndefined();
});
