import type { Pod } from '@coxswain/k8s';
import { formatTime, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { type StoresStatus, updateStores } from './store-status.ts';

const clock = new VirtualClock();
const at = (seconds: number) => formatTime(clock.now() + seconds * 1000);
const workload = { metadata: { name: 'mo-log', creationTimestamp: at(0) } };

function pod(ready: boolean, made: number): Pod {
  const status = { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] };
  return { metadata: { name: 'mo-log-0', creationTimestamp: at(made) }, status };
}

/** What is told of the store `mo-log-0`, of which the status says so. */
function told(before: { phase: 'Up' | 'Down'; since: number }, now: Pod): readonly string[] {
  const events: string[] = [];
  const store = { podName: 'mo-log-0', phase: before.phase, lastTransition: at(before.since) };
  const status: StoresStatus = { [before.phase === 'Up' ? 'availableStores' : 'failedStores']: [store] };
  updateStores(
    { clock, status, event: ({ reason, message }) => events.push(`${reason}: ${message}`) },
    [now],
    workload,
  );
  return events;
}

test('that stores come up with their set is no news', () => {
  expect(told({ phase: 'Down', since: 1 }, pod(true, 0))).toEqual([]);
});

test.each([
  ['one that was down', { made: 0, since: 300 }],
  ['one that was down soon after its start', { made: 0, since: 20 }],
  ['one that is made anew', { made: 300, since: 299 }],
  ['one that comes in the place of another, or in addition', { made: 300, since: 300 }],
])('it is told that a store is up: %s', (_, { made, since }) => {
  expect(told({ phase: 'Down', since }, pod(true, made))).toEqual(['StoreUp: mo-log-0 is up']);
});

test('a store that is down is told of, and nothing when it stays as it is', () => {
  expect(told({ phase: 'Up', since: 1 }, pod(false, 0))).toEqual(['StoreDown: mo-log-0 is down']);
  expect(told({ phase: 'Up', since: 1 }, pod(true, 0))).toEqual([]);
  expect(told({ phase: 'Down', since: 1 }, pod(false, 0))).toEqual([]);
});
