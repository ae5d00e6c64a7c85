import { expect, test } from 'vitest';
import { decideDrain, decideLocks, drainTimeout } from './drain.ts';
import { stageOf } from './index.ts';
import { storeOfPod } from './store-of-pod.ts';

const scaling = { storeDrainEnabled: true, storeDrainTimeout: '5m', minDelaySeconds: 15 };
const load = { sessions: 0, pipelines: 0, replicas: 0 };

test('a drain waits for the delay and the load', () => {
  expect(decideDrain({ scaling, elapsed: 10_000, load })).toMatchObject({ kind: 'wait', after: 5_000 });
  expect(decideDrain({ scaling, elapsed: 15_000, load })).toMatchObject({ kind: 'go' });
  const waits = (more: object) => decideDrain({ scaling, elapsed: 20_000, load: { ...load, ...more } });
  expect(waits({ sessions: 2 })).toEqual({ kind: 'wait', after: 5_000, why: '2 sessions' });
  expect(waits({ sessions: 1, pipelines: 2, replicas: 1 })).toMatchObject({
    why: '1 session, 2 pipelines, 1 shard replica',
  });
  expect(decideDrain({ scaling: undefined, elapsed: 14_999, load })).toMatchObject({ kind: 'wait', after: 1 });
});

test('then for the transactions that hold locks', () => {
  expect(decideLocks({ released: true, asked: false }, false)).toMatchObject({ kind: 'go' });
  expect(decideLocks({ released: false, asked: true, transactions: 1 }, true)).toMatchObject({
    why: 'locks of 1 open transaction',
  });
  expect(decideLocks({ released: false, asked: true }, true)).toMatchObject({ kind: 'wait', after: 5_000 });
  expect(decideLocks({ released: false, asked: true }, false)).toMatchObject({ kind: 'wait', after: 1_000 });
  expect(decideLocks({ released: false, asked: true, transactions: 0 }, true)).toMatchObject({ after: 1_000 });
  expect(decideLocks({ released: false, asked: false }, false)).toMatchObject({ kind: 'wait' });
});

test('a drain ends at its timeout, and at once when the node is not known', () => {
  const busy = { ...load, sessions: 1 };
  expect(decideDrain({ scaling, elapsed: 300_001, load: busy })).toMatchObject({ kind: 'go' });
  expect(decideDrain({ scaling, elapsed: 0, load: undefined })).toMatchObject({ kind: 'go' });
  expect(drainTimeout({ storeDrainEnabled: true })).toBe(300_000);
  expect(drainTimeout({ storeDrainTimeout: '90s' })).toBe(90_000);
  expect(drainTimeout({ storeDrainTimeout: 'soon' })).toBe(300_000);
});

test('the stages of a node', () => {
  const held = { 'lifecycle.apps.kruise.io/state': 'PreparingDelete' };
  const finalizers = ['matrixorigin.io/cn-draining'];
  expect(stageOf({ metadata: { name: 'p' } })).toBe('serving');
  expect(stageOf({ metadata: { name: 'p', labels: { 'lifecycle.apps.kruise.io/state': 'Updated' } } })).toBe('serving');
  expect(
    stageOf({ metadata: { name: 'p', labels: { 'lifecycle.apps.kruise.io/state': 'Updating' }, finalizers } }),
  ).toBe('released');
  expect(stageOf({ metadata: { name: 'p', labels: held, finalizers } })).toBe('stopping');
  expect(stageOf({ metadata: { name: 'p', labels: held } })).toBe('released');
  const annotations = { 'matrixorigin.io/store-cordon': '' };
  expect(stageOf({ metadata: { name: 'p', annotations, finalizers } })).toBe('cordoned');
  expect(stageOf({ metadata: { name: 'p', annotations, labels: held, finalizers } })).toBe('stopping');
  expect(stageOf({ metadata: { name: 'p', annotations, labels: held } })).toBe('cordoned');
  expect(stageOf({ metadata: { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z', labels: held } })).toBe('leaving');
});

test('a pod that has ended has no address: it may be another one’s by now', () => {
  const ipOf = (phase: string) =>
    storeOfPod({ metadata: { name: 'p' }, status: { phase, podIP: '10.0.0.1' } }, undefined).podIP;
  expect(['Pending', 'Running', 'Failed', 'Succeeded'].map(ipOf)).toEqual([
    '10.0.0.1',
    '10.0.0.1',
    undefined,
    undefined,
  ]);
});
