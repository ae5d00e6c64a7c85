import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { deepFreeze } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { builtinResources } from '../builtin/index.ts';
import { statusDraft } from './status-write.ts';

const pods = builtinResources().find(({ plural, group }) => plural === 'pods' && group === '');

const old = deepFreeze({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n', uid: '1' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
  status: { phase: 'Pending' },
}) as unknown as DynamicObject;

test('a status write stores its status with defaults, and the stored spec itself', () => {
  if (!pods) throw new Error('no pods');
  const draft: MutableJson = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n', uid: '1', labels: { a: 'b' } },
    spec: { containers: [] },
    status: { phase: 'Running', podIP: '10.0.0.1' },
    other: 1,
  };
  const next = statusDraft(pods, draft, old);
  expect(next.spec).toBe(old.spec);
  expect(next.status).toMatchObject({ phase: 'Running', podIPs: [{ ip: '10.0.0.1' }] });
  expect(next.metadata).toMatchObject({ labels: { a: 'b' } });
  // The order in which objects are stored and read.
  expect(Object.keys(next)).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
});
