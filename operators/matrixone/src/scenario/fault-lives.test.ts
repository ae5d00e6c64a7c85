import { describe, expect, test } from 'vitest';
import { lives } from './test-fault-lives.ts';
import { type Course, differences, undisturbed } from './test-fault-run.ts';
import { faultPlan } from './test-faults.ts';

/** Seeds of each kind; `./cox test lives` plays thousands. */
const runs = Number(process.env['COX_RUNS'] ?? 1);
const first = Number(process.env['COX_SEED'] ?? 1);
/** Names of kinds, when not all are wanted. */
const kinds = process.env['COX_KINDS']?.split(',');

const wanted = lives.filter(({ kind }) => !kinds || kinds.includes(kind));

describe.each(wanted)('$kind: whatever operators meet, it comes to the same, and no invariant breaks', (life) => {
  let expected: Promise<Course> | undefined;

  test.each(Array.from({ length: runs }, (_, i) => first + i))('seed %i', { timeout: 600_000 }, async (seed) => {
    expected ??= undisturbed(life);
    const course = await expected;
    expect(await differences(life, faultPlan(seed, course.writes), course)).toEqual([]);
  });
});
