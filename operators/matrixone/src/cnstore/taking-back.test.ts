import type { Pod } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import { isConflict } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import {
  ANNOTATION_DRAINING_START,
  ANNOTATION_LOCK_RESTART,
  FINALIZER_CN_DRAINING,
  KRUISE_LIFECYCLE_STATE,
} from '../api/index.ts';
import { takingBack } from './taking-back.ts';

const { signal } = new AbortController();
const seen: Pod = { metadata: { namespace: 'default', name: 'cn-a', uid: 'a', finalizers: [FINALIZER_CN_DRAINING] } };

/** How it ends when the server knows the pod so. */
function ends(now: Pod | undefined, isWanted?: (pod: Pod) => boolean): Promise<unknown> {
  const client = { of: () => ({ find: () => Promise.resolve(now) }) } as unknown as Client;
  return takingBack(client, seen, signal, isWanted)().catch(isConflict);
}

test('a node is taken back when the server, too, knows its pod as one that serves', async () => {
  expect(await ends(seen)).toBeUndefined();
  expect(await ends(seen, () => true)).toBeUndefined();
  const labels = { [KRUISE_LIFECYCLE_STATE]: 'PreparingDelete' };
  expect(await ends({ metadata: { ...seen.metadata, labels } })).toBe(true);
  expect(await ends({ metadata: { ...seen.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })).toBe(true);
  expect(await ends({ metadata: { ...seen.metadata, uid: 'another' } })).toBe(true);
  const annotations = { [ANNOTATION_DRAINING_START]: '2026-01-01T00:00:00Z', [ANNOTATION_LOCK_RESTART]: 'true' };
  expect(await ends({ metadata: { ...seen.metadata, annotations } })).toBe(true);
  expect(await ends(undefined)).toBe(true);
  expect(await ends(seen, () => false)).toBe(true);
});
