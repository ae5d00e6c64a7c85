import type { DynamicObject, Kind } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { createAuthorship, patchAuthorship, strategic } from '../client/index.ts';
import { VirtualClock } from '../core/index.ts';
import { Work } from './work.ts';

const things: Kind<DynamicObject> = { group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' };
const key = { namespace: 'a', name: 'x' };
const at = (resourceVersion: string, conditions: Readonly<Record<string, string>>): DynamicObject => ({
  metadata: { ...key, resourceVersion },
  status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
});
const ready = patchAuthorship(strategic({ status: { conditions: [{ type: 'Ready', status: 'True' }] } }));
const [v1, v2] = [at('1', { Ready: 'True', Gate: 'False' }), at('2', { Ready: 'True', Gate: 'True' })];

function setUp() {
  const woken: string[] = [];
  return { woken, work: new Work('a/x', new VirtualClock(), (lane) => woken.push(lane)) };
}

test('a patch that changed nothing does not claim the write of others that it was answered with', () => {
  const { work, woken } = setUp();
  const report = work.track({ kind: things, key, isOurs: ready });
  expect(work.claims(things, { type: 'updated', object: v2, previous: v1 }, 'child')).toBe(true);
  report({ ok: true, answer: v2 });
  expect(woken).toEqual(['child']);
});

test('a patch claims the event of what it did, and lets go of others', () => {
  const { work, woken } = setUp();
  const report = work.track({ kind: things, key, isOurs: ready });
  const v0 = at('0', { Ready: 'False', Gate: 'False' });
  work.claims(things, { type: 'updated', object: v1, previous: v0 }, 'user');
  work.claims(things, { type: 'updated', object: v2, previous: v1 }, 'child');
  report({ ok: true, answer: v1 });
  expect(woken).toEqual(['child']);
  expect(work.claims(things, { type: 'updated', object: v2, previous: v1 }, 'child')).toBe(false);
});

test('a create claims its event, a delete the end, a failure nothing', () => {
  const { work, woken } = setUp();
  const created = work.track({ kind: things, key, isOurs: createAuthorship });
  work.claims(things, { type: 'added', object: v1, initial: false }, 'user');
  created({ ok: true, answer: v1 });
  const deleted = work.track({ kind: things, key, isOurs: createAuthorship });
  work.claims(things, { type: 'deleted', object: v2 }, 'user');
  deleted({ ok: true, answer: undefined });
  expect(woken).toEqual([]);
  const failed = work.track({ kind: things, key, isOurs: createAuthorship });
  work.claims(things, { type: 'updated', object: v2, previous: v1 }, 'user');
  failed({ ok: false });
  expect(woken).toEqual(['user']);
});
