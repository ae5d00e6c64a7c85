import { formatTime, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { Elapsed } from './index.ts';

const day = 86_400_000;

test.each([day, -day])('a step of the wall clock by %i ms is no time that passed', async (step) => {
  const clock = new VirtualClock();
  const elapsed = new Elapsed(clock);
  const at = formatTime(clock.now());
  expect(elapsed.since('a', at)).toBe(0);
  await clock.advance(5_000);
  clock.jump(step);
  await clock.advance(5_000);
  expect(elapsed.since('a', at)).toBe(10_000);
  const later = formatTime(clock.now());
  expect(elapsed.since('a', later)).toBe(0);
});

test('what was before the first look is told by the wall clock; nothing is still to come, unless it may be', async () => {
  const clock = new VirtualClock();
  const at = formatTime(clock.now());
  const soon = formatTime(clock.now() + 60_000);
  await clock.advance(30_000);
  expect(new Elapsed(clock).since('a', at)).toBe(30_000);
  expect(new Elapsed(clock).since('a', soon)).toBe(0);
  expect(new Elapsed(clock).since('a', soon, -60_000)).toBe(-30_000);
});

test('what may not count against anybody is counted anew', async () => {
  const clock = new VirtualClock();
  const elapsed = new Elapsed(clock);
  const at = formatTime(clock.now());
  await clock.advance(30_000);
  elapsed.restart('a', at);
  await clock.advance(5_000);
  expect(elapsed.since('a', at)).toBe(5_000);
});

test('a moment that cannot be read counts from the first look', async () => {
  const clock = new VirtualClock();
  const elapsed = new Elapsed(clock);
  expect(elapsed.since('a', 'lately')).toBe(0);
  await clock.advance(5_000);
  expect(elapsed.since('a', 'lately')).toBe(5_000);
});
