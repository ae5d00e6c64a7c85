import { expect, test } from 'vitest';
import { type Allowance, allowanceFor, allowances } from './allowed.ts';
import { compareRecordings } from './compare.ts';
import { embeddedGround } from './embedded-ground.ts';
import { play } from './play.ts';
import { loadRecording } from './recordings.ts';
import { scenarios } from './scripts/index.ts';

const used = new Set<Allowance>();

test.each(scenarios)('$name: as on a real cluster', async (scenario) => {
  const recorded = loadRecording(scenario.name);
  if (!recorded) throw new Error(`${scenario.name} was never recorded`);
  await using ground = await embeddedGround();
  const open = compareRecordings(recorded, await play(scenario, ground)).filter((difference) => {
    const allowance = allowanceFor(scenario.name, difference);
    if (allowance) used.add(allowance);
    return !allowance;
  });
  expect(open).toEqual([]);
});

test('every allowance is still needed', () => {
  expect(allowances.filter((allowance) => !used.has(allowance)).map(({ reason }) => reason)).toEqual([]);
});
