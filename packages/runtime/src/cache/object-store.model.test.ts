import type { DynamicObject } from '@coxswain/k8s';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Authorship, createAuthorship } from '../client/index.ts';
import { deepEqual } from '../core/index.ts';
import { names, type Op, patched, type Said, selected, type What, World } from './test-model.ts';

/**
 * The rules of own writes against a server with two writers: us, whose answers come late and in any order, and somebody
 * else. The watch lags, breaks, goes on and lists again at any moment, and listings are interleaved with answers.
 */
const seed = Number(process.env.COX_SEED ?? 20_260_101);
const runs = Number(process.env.COX_RUNS ?? 2_500);

const bit = fc.constantFrom(0, 1);
const types = ['Ready', 'Gate'] as const;
const parts = {
  fields: fc.dictionary(fc.constantFrom('f', 'g'), bit, { minKeys: 1 }),
  conditions: fc.uniqueArray(fc.record({ type: fc.constantFrom(...types), status: bit }), {
    minLength: 1,
    selector: ({ type }) => type,
  }),
};
/** What we say, and what others say, who take out conditions too. */
const bodies: Readonly<Record<'own' | 'foreign', fc.Arbitrary<Said>>> = {
  own: fc.record(parts, { requiredKeys: [] }),
  foreign: fc.record({ ...parts, gone: fc.subarray([...types], { minLength: 1 }) }, { requiredKeys: [] }),
};

interface Mix {
  readonly own: readonly What[];
  readonly foreign: readonly What[];
  /** How often anybody patches, beside the weights of the other operations. */
  readonly patches: number;
}

function operations({ own, foreign, patches }: Mix): fc.Arbitrary<readonly Op[]> {
  const name = fc.constantFrom(...names);
  const patch = (by: 'own' | 'foreign') =>
    fc.record({ do: fc.constant('patch' as const), who: fc.constant(by), name, body: bodies[by] });
  const write = (by: 'own' | 'foreign', what: readonly What[]) =>
    fc.record({ do: fc.constant('write' as const), who: fc.constant(by), name, what: fc.constantFrom(...what) });
  return fc.array(
    fc.oneof(
      { weight: 3, arbitrary: write('own', own) },
      { weight: 3, arbitrary: write('foreign', foreign) },
      { weight: patches, arbitrary: patch('own') },
      { weight: patches, arbitrary: patch('foreign') },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('answer' as const), index: fc.nat(3) }) },
      { weight: 5, arbitrary: fc.constantFrom<Op>({ do: 'deliver' }, { do: 'listStep' }) },
      { weight: 1, arbitrary: fc.constantFrom<Op>({ do: 'bookmark' }, { do: 'break' }, { do: 'list' }) },
    ),
    { minLength: 5, maxLength: 60 },
  );
}

function play(ops: readonly Op[], authorshipOf?: (body: Said) => Authorship): World {
  const world = new World(authorshipOf);
  world.run({ do: 'list' });
  world.run({ do: 'listStep' });
  for (const op of ops) world.run(op);
  world.finish();
  return world;
}

/** The store is as the server, and remembers nothing more of our writes. */
function expectEqualToServer(world: World): void {
  const expected = [...world.objects.values()].filter(selected).map(({ metadata }) => metadata.resourceVersion);
  expect([...world.store.list()].map(({ metadata }) => metadata.resourceVersion).sort()).toEqual(expected.sort());
  // A deletion of ours during a listing may be remembered until the next one.
  world.run({ do: 'list' });
  world.finish();
  expect(world.store.pendingEchoes).toBe(0);
}

function expectNoForeignWriteMissed(world: World): void {
  for (const { who, version, object, before } of world.log) {
    if (who === 'own') continue;
    const { name, uid = '' } = object.metadata;
    const end = world.log.find((entry) => entry.gone && entry.object.metadata.uid === uid);
    const wiped = world.log.some(
      (entry) => entry.who === 'own' && entry.gone && entry.object.metadata.name === name && entry.version > version,
    );
    // What a delete of ours wiped out, or what came and went between two listings, is no news to anybody.
    if (wiped || (end && !world.shown(uid))) continue;
    // Nor is what a patch of ours said too, and found done.
    if (world.noOps.some((noOp) => noOp.version === version && saysAll(noOp.body, before, object))) continue;
    expect(world.told.get(name) ?? 0, `foreign write ${version} of ${uid}`).toBeGreaterThanOrEqual(version);
  }
}

/** Whether all that a foreign write changed is in the body: laying the body over what was gives what is. */
function saysAll(body: Said, before: DynamicObject | undefined, after: DynamicObject): boolean {
  if (!before || before.spec !== after.spec || before.status !== after.status) return false;
  return deepEqual(said(patched(before as Said & DynamicObject, body)), said(after as Said & DynamicObject));
}

/** In any order: that of list elements is not always the order in which a patch says them. */
function said({ fields, conditions = [] }: Said): object {
  return { fields, conditions: Object.fromEntries(conditions.map(({ type, status }) => [type, status])) };
}

const everything: Mix = { own: ['spec', 'status', 'delete'], foreign: ['spec', 'status', 'delete'], patches: 3 };

const noForeignWriteIsMissed = (authorshipOf?: (body: Said) => Authorship) =>
  fc.property(operations(everything), (ops) => {
    const world = play(ops, authorshipOf);
    expectEqualToServer(world);
    expectNoForeignWriteMissed(world);
  });

test('no foreign write is missed, reads never go back, and nothing is left behind', () => {
  fc.assert(noForeignWriteIsMissed(), { seed, numRuns: runs });
});

test('taking every answer for ours would miss foreign writes', () => {
  const { failed, errorInstance } = fc.check(
    noForeignWriteIsMissed(() => createAuthorship),
    // it ends with the first one found
    { seed, numRuns: 100_000, endOnFailure: true },
  );
  expect([failed, String(errorInstance)]).toEqual([true, expect.stringContaining('foreign write')]);
});

test('a handler that looks at generations only, and not at our own events, works each one of others', () => {
  fc.assert(
    fc.property(operations({ own: ['status'], foreign: ['spec', 'status'], patches: 3 }), (ops) => {
      const world = play(ops);
      for (const { metadata } of world.objects.values()) {
        const { uid = '', generation } = metadata;
        const foreign = world.log.some(({ who, object }) => who === 'foreign' && object.metadata.uid === uid);
        const created = world.log.find(({ object }) => object.metadata.uid === uid)?.who;
        if (foreign && (created === 'foreign' || (generation ?? 0) > 1)) expect(world.worked.get(uid)).toBe(generation);
      }
    }),
    { seed, numRuns: runs },
  );
});

test('objects that our writes move out of the selection and back are as the server has them', () => {
  fc.assert(
    fc.property(operations({ own: ['status', 'toggle'], foreign: ['status', 'toggle'], patches: 1 }), (ops) =>
      expectEqualToServer(play(ops)),
    ),
    { seed, numRuns: runs },
  );
});

test('our own writes, one at a time, wake nobody', () => {
  const mine = operations({ ...everything, foreign: ['status'], patches: 3 }).map((ops) =>
    ops.filter((op) => !('who' in op && op.who === 'foreign') && op.do !== 'list' && op.do !== 'answer'),
  );
  fc.assert(
    fc.property(mine, (ops) => {
      const answered = ops.flatMap((op): Op[] => ('who' in op ? [op, { do: 'answer', index: 0 }] : [op]));
      expect(play(answered).wakes).toBe(0);
    }),
    { seed, numRuns: runs },
  );
});
