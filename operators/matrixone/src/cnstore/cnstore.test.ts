import { expect, test } from 'vitest';
import { decideDrain, drainTimeout, stageOf } from './index.ts';

const scaling = { storeDrainEnabled: true, storeDrainTimeout: '5m', minDelaySeconds: 15 };
const load = { sessions: 0, pipelines: 0, replicas: 0, locksReleased: true };

test('a drain waits for the delay, the load and the locks', () => {
  expect(decideDrain({ scaling, elapsed: 10_000, load })).toMatchObject({ kind: 'wait', after: 5_000 });
  expect(decideDrain({ scaling, elapsed: 15_000, load })).toEqual({ kind: 'go' });
  expect(decideDrain({ scaling, elapsed: 20_000, load: { ...load, sessions: 2 } })).toMatchObject({
    why: '2 sessions, 0 pipelines, 0 replicas',
  });
  expect(decideDrain({ scaling, elapsed: 20_000, load: { ...load, locksReleased: false } })).toMatchObject({
    kind: 'wait',
  });
});

test('a drain ends at its timeout, and at once when it is off or the node is not known', () => {
  const busy = { ...load, sessions: 1 };
  expect(decideDrain({ scaling, elapsed: 300_001, load: busy })).toEqual({ kind: 'go' });
  expect(decideDrain({ scaling: undefined, elapsed: 0, load: busy })).toEqual({ kind: 'go' });
  expect(decideDrain({ scaling, elapsed: 0, load: undefined })).toEqual({ kind: 'go' });
  expect(drainTimeout({ storeDrainEnabled: true })).toBe(300_000);
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
  expect(stageOf({ metadata: { name: 'p', annotations: { 'matrixorigin.io/store-cordon': '' }, labels: held } })).toBe(
    'cordoned',
  );
  expect(stageOf({ metadata: { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z', labels: held } })).toBe('leaving');
});
