import { expect, test } from 'vitest';
import { systemClock } from './clock.ts';

test('all who work on by promises alone wait for one and the same turn of the event loop', async () => {
  const end = performance.now() + 10;
  while (performance.now() < end);
  const turn = systemClock.turn();
  expect(turn).toBeInstanceOf(Promise);
  expect(systemClock.turn()).toBe(turn);
  let others = 0;
  setImmediate(() => others++);
  await turn;
  // Nobody has to wait again at once.
  expect(systemClock.turn()).toBeUndefined();
  await new Promise((resolve) => setImmediate(resolve));
  expect(others).toBe(1);
});
