import type { Pod } from '@coxswain/k8s';
import { statusChanged } from '@coxswain/runtime/controller';
import { expect, test } from 'vitest';
import { podMatters } from './wake.ts';

const pod = (status: Pod['status']): Pod => ({ metadata: { name: 'p' }, ...(status ? { status } : {}) });
const ready = (status: 'True' | 'False') => pod({ conditions: [{ type: 'Ready', status }] });
const update = (previous: Pod, object: Pod) => ({ type: 'updated', previous, object }) as const;

test('controllers of pods hear of a status that changed, and of one that did not change they do not [case 24]', () => {
  expect(statusChanged(update(pod({ phase: 'Pending' }), pod({ phase: 'Running' })))).toBe(true);
  expect(statusChanged(update(pod({ phase: 'Running' }), pod({ phase: 'Running' })))).toBe(false);
  // What came or went is no change of nothing: upstream has to tell it apart, here it has a name of its own.
  expect(statusChanged({ type: 'added', object: pod(undefined), initial: false })).toBe(true);
  expect(statusChanged({ type: 'deleted', object: pod(undefined) })).toBe(true);
});

test('a set hears of what its own status tells of a pod, and not of every step on its way up [case 24]', () => {
  expect(podMatters(update(ready('False'), ready('True')))).toBe(true);
  expect(podMatters(update(pod({ phase: 'Pending' }), pod({ phase: 'Running' })))).toBe(false);
  const gate = (message: string, reason: string) =>
    pod({ conditions: [{ type: 'matrixorigin.io/cn-store', status: 'False', reason, message }] });
  expect(podMatters(update(gate('1 session', 'CNStorePrepareStop'), gate('2 sessions', 'CNStorePrepareStop')))).toBe(
    true,
  );
  expect(podMatters(update(gate('a', 'CNStoreCordon'), gate('b', 'CNStoreCordon')))).toBe(false);
});
