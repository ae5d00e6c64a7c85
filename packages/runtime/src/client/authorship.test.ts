import type { DynamicObject } from '@coxswain/k8s';
import { describe, expect, test } from 'vitest';
import { createAuthorship, deleteAuthorship, patchAuthorship, updateAuthorship } from './authorship.ts';
import { apply, json, merge, strategic } from './patch.ts';
import type { Patch } from './types.ts';

const metadata = { namespace: 'a', name: 'x', uid: 'u', generation: 1 };

/** The next version of an object. */
const after = (before: DynamicObject, fields: object = {}, more: object = {}): DynamicObject => ({
  ...before,
  ...fields,
  metadata: { ...before.metadata, resourceVersion: '2', generation: 2, managedFields: [], ...more },
});
const object = (fields: object = {}, more: object = {}): DynamicObject => ({
  metadata: { ...metadata, resourceVersion: '1', ...more },
  ...fields,
});
const condition = (type: string, status: string) => ({ type, status });
const pod = object({
  status: { phase: 'Running', conditions: [condition('Ready', 'False'), condition('Gate', 'False')] },
});
const withStatus = (conditions: readonly object[], phase = 'Running') => after(pod, { status: { phase, conditions } });
const ready = strategic({ status: { conditions: [condition('Ready', 'True')] } });
const port = { containerPort: 53, protocol: 'UDP' };

describe('a patch that insists on no version', () => {
  test.each<[string, Patch, DynamicObject, DynamicObject]>([
    ['a field', merge({ spec: { n: 2 } }), object({ spec: { n: 1, m: 1 } }), after(object(), { spec: { n: 2, m: 1 } })],
    ['a zero that is left out', merge({ spec: { n: 0 } }), object({ spec: { n: 1 } }), after(object(), { spec: {} })],
    [
      'a null beside it',
      ready,
      object(),
      after(object(), { status: { conditions: [{ ...condition('Ready', 'True'), lastProbeTime: null }] } }),
    ],
    ['nothing at all', merge({ spec: { n: 1 } }), object({ spec: { n: 1 } }), after(object({ spec: { n: 1 } }))],
    [
      'a removal',
      merge({ metadata: { annotations: { a: null } } }),
      object({}, { annotations: { a: '' } }),
      after(object()),
    ],
    [
      'a list replaced whole',
      merge({ spec: { l: [{ q: 1 }] } }),
      object({ spec: { l: [{ q: 2 }, 3] } }),
      after(object(), { spec: { l: [{ q: 1 }] } }),
    ],
    ['an element by its key', ready, pod, withStatus([condition('Ready', 'True'), condition('Gate', 'False')])],
    [
      'a new element',
      strategic({ status: { conditions: [condition('New', 'True')] } }),
      pod,
      withStatus([condition('New', 'True'), condition('Ready', 'False'), condition('Gate', 'False')]),
    ],
    [
      'a key the server completes',
      apply({ spec: { ports: [{ containerPort: 53, name: 'dns' }] } }),
      object({ spec: { ports: [port] } }),
      after(object(), { spec: { ports: [{ ...port, name: 'dns' }] } }),
    ],
    [
      'a quantity as the server writes it',
      apply({ spec: { limits: { memory: '1024Mi' } } }),
      object(),
      after(object(), { spec: { limits: { memory: '1Gi' } } }),
    ],
    [
      'a member of a set',
      apply({ metadata: { finalizers: ['b'] } }),
      object({}, { finalizers: ['a'] }),
      after(object(), {}, { finalizers: ['a', 'b'] }),
    ],
    [
      'operations',
      json([
        { op: 'test', path: '/metadata/finalizers/0', value: 'f' },
        { op: 'remove', path: '/metadata/finalizers/0' },
      ]),
      object({}, { finalizers: ['f'] }),
      after(object()),
    ],
  ])('explains %s', (_, patch, before, answer) => {
    expect(patchAuthorship(patch)(before, answer)).toBe(true);
  });

  test.each<[string, Patch, DynamicObject | undefined, DynamicObject]>([
    ['another field', merge({ spec: { n: 2 } }), object({ spec: { n: 1 } }), after(object(), { spec: { n: 2, m: 1 } })],
    [
      'a field it did not find',
      merge({ spec: { n: 2 } }),
      object({ spec: { n: 1, m: 1 } }),
      after(object(), { spec: { n: 2 } }),
    ],
    ['another value', merge({ spec: { n: 2 } }), object({ spec: { n: 1 } }), after(object(), { spec: { n: 3 } })],
    ['another element', ready, pod, withStatus([condition('Ready', 'True'), condition('Gate', 'True')])],
    ['an element that is gone', ready, pod, withStatus([condition('Ready', 'True')])],
    ['another order of elements', ready, pod, withStatus([condition('Gate', 'False'), condition('Ready', 'True')])],
    [
      'elements it cannot tell apart',
      strategic({ l: [{ name: 'a', v: 2 }] }),
      object({
        l: [
          { name: 'a', v: 1 },
          { name: 'a', v: 3 },
        ],
      }),
      after(object(), {
        l: [
          { name: 'a', v: 2 },
          { name: 'a', v: 2 },
        ],
      }),
    ],
    ['the status', ready, pod, withStatus([condition('Ready', 'True'), condition('Gate', 'False')], 'Failed')],
    [
      'another object of the name',
      ready,
      pod,
      { ...pod, metadata: { ...pod.metadata, uid: 'v', resourceVersion: '2' } },
    ],
    ['an object not seen before', ready, undefined, pod],
    [
      'a member that left a set',
      apply({ metadata: { finalizers: ['b'] } }),
      object({}, { finalizers: ['a'] }),
      after(object(), {}, { finalizers: ['b', 'c'] }),
    ],
    [
      'operations on another state',
      json([{ op: 'test', path: '/spec/n', value: 2 }]),
      object({ spec: { n: 1 } }),
      after(object({ spec: { n: 2 } })),
    ],
    [
      'more than the operations',
      json([{ op: 'add', path: '/spec/n', value: 2 }]),
      object({ spec: {} }),
      after(object({ spec: { n: 2, m: 1 } })),
    ],
  ])('does not explain %s', (_, patch, before, answer) => {
    expect(patchAuthorship(patch)(before, answer)).toBe(false);
  });
});

test.each<[string, Patch]>([
  ['merge', merge({ metadata: { resourceVersion: '1' } })],
  ['json', json([{ op: 'test', path: '/metadata/resourceVersion', value: '1' }])],
])('a %s patch that insists on a version has written when another is answered', (_, patch) => {
  const isOurs = patchAuthorship(patch);
  expect([isOurs(undefined, object()), isOurs(undefined, after(object()))]).toEqual([false, true]);
});

test('an apply made the object when nobody else has said anything about it', () => {
  const isOurs = patchAuthorship(apply({ spec: {} }));
  const by = (...operations: readonly ('Apply' | 'Update')[]) =>
    after(object(), {}, { managedFields: operations.map((operation) => ({ manager: 'm', operation })) });
  expect(isOurs(undefined, by('Apply'))).toBe(true);
  expect(isOurs(undefined, by('Apply', 'Update'))).toBe(false);
  expect(isOurs(undefined, by('Update'))).toBe(false);
  expect(isOurs(object({}, { uid: 'other' }), by('Apply'))).toBe(true);
  expect(isOurs(object({}, { uid: 'other' }), by('Apply', 'Update'))).toBe(false);
});

test('an update is ours when its version moved on, or when it says all that changed', () => {
  const isOurs = updateAuthorship(object());
  expect([isOurs(undefined, object()), isOurs(undefined, after(object()))]).toEqual([false, true]);
  const free = updateAuthorship({ metadata: { namespace: 'a', name: 'x' }, spec: { n: 2 } } as DynamicObject);
  expect(free(object({ spec: { n: 1, m: 1 } }), after(object({ spec: { n: 2 } })))).toBe(true);
  expect(free(object({ spec: { n: 1 } }), after(object({ spec: { n: 2 }, status: {} })))).toBe(false);
  expect(free(undefined, after(object()))).toBe(false);
});

test('a delete is ours when the object is as before, but on its way out', () => {
  const going = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 };
  const isOurs = deleteAuthorship();
  expect(isOurs(pod, after(pod, {}, going))).toBe(true);
  expect(isOurs(pod, after(pod, {}, { ...going, finalizers: ['foregroundDeletion'] }))).toBe(true);
  expect(isOurs(pod, after(pod, {}, { ...going, finalizers: ['theirs'] }))).toBe(false);
  expect(isOurs(pod, after(pod, { status: {} }, going))).toBe(false);
  expect(isOurs(undefined, after(pod, {}, going))).toBe(false);
  expect(deleteAuthorship({ preconditions: { resourceVersion: '1' } })(undefined, after(pod))).toBe(true);
});

test('what was created is ours', () => {
  expect(createAuthorship(undefined, object())).toBe(true);
});
