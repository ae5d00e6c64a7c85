import type { Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { decideFailover } from './failover.ts';
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

test('a store is replaced once it has been down for the timeout, not before', () => {
  expect(decideFailover(spec, [], [], noon)).toEqual({ kind: 'none' });
  expect(decideFailover(spec, [down(0, 599_000)], [], noon)).toEqual({ kind: 'wait', after: 1_000 });
  expect(decideFailover(spec, [down(1, 600_000)], [], noon)).toMatchObject({
    kind: 'replace',
    victim: { podName: 'mo-log-1' },
  });
});

test('no more than a minority is replaced without a person', () => {
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

test('a rollout is over when its controller has seen the spec and all pods are new and ready', () => {
  const workload = { kind: 'CloneSet', metadata: { name: 'x', generation: 2 }, spec: { replicas: 2 } };
  expect(pendingRollout(workload)).toBe('CloneSet x is being rolled out');
  const seen = (updatedReadyReplicas: number) => ({
    ...workload,
    status: { observedGeneration: 2, updatedReadyReplicas },
  });
  expect(pendingRollout(seen(1))).toBe('CloneSet x is being rolled out');
  expect(pendingRollout(seen(2))).toBeUndefined();
});
