import type { Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { pendingRemoval } from './surplus.ts';

const workload = { kind: 'CloneSet', metadata: { name: 'mo-tp-cn', uid: 'u1' }, spec: { replicas: 1 } };
const stuck = new Map([['b', { reason: 'StuckTerminating', message: 'it is being deleted and does not go' }]]);

function pod(name: string, owner = 'u1', phase: 'Running' | 'Failed' = 'Running'): Pod {
  const reference = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'mo-tp-cn', uid: owner };
  return { metadata: { name, ownerReferences: [{ ...reference, controller: true }] }, status: { phase } } as Pod;
}
const isPending = (pods: readonly Pod[], troubles: typeof stuck = new Map()) =>
  pendingRemoval(workload, pods, troubles) !== undefined;

test('pods beyond the wanted ones are waited for', () => {
  expect(pendingRemoval(workload, [pod('a'), pod('b')], new Map())).toBe(
    'CloneSet mo-tp-cn has pods that are not wanted any more and are not gone yet',
  );
  expect([isPending([pod('a')]), isPending([])]).toEqual([false, false]);
});

test('pods that have ended, that others made, or that are stuck are not', () => {
  expect(isPending([pod('a'), pod('b', 'u1', 'Failed')])).toBe(false);
  expect(isPending([pod('a'), pod('b', 'u2')])).toBe(false);
  expect(isPending([pod('a'), pod('b')], stuck)).toBe(false);
});
