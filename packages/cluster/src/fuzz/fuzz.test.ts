import { systemClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { fuzz } from './fuzz.ts';

const seed = Number(process.env['COX_SEED'] ?? 1);

test(`500 broken requests are answered, none with a fault of the server (seed ${seed})`, async () => {
  const { statuses, findings } = await fuzz({ inputs: 500, seed, clock: systemClock });
  const told = findings.map(({ index, sample, status, text }) => ({ index, status, text, path: sample.path }));
  expect(told).toEqual([]);
  // they do reach what is behind the decoder
  expect(statuses.get(201)).toBeGreaterThan(10);
  expect(statuses.get(422)).toBeGreaterThan(10);
});
