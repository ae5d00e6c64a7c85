import { expect, it } from 'vitest';
import { Repeats, VirtualClock } from './index.ts';

it('lets the same through at once, then after 1, 2, 4 … 60 minutes', async () => {
  const clock = new VirtualClock();
  const repeats = new Repeats(clock);
  const due: number[] = [];
  for (let minute = 0; minute <= 300; minute++) {
    if (repeats.due('away')) due.push(minute);
    await clock.advance(60_000);
  }
  expect(due).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
});

it('lets another thing through at once, and begins anew when it is over', () => {
  const repeats = new Repeats(new VirtualClock());
  expect([repeats.over(), repeats.due('a'), repeats.due('a'), repeats.due('b'), repeats.due('a')]).toEqual([
    false,
    true,
    false,
    true,
    true,
  ]);
  expect([repeats.over(), repeats.over(), repeats.due('a')]).toEqual([true, false, true]);
});

it('forgets what has not come for as long as it is told to', async () => {
  const clock = new VirtualClock();
  const repeats = new Repeats(clock, { forgottenAfter: 90_000 });
  const due: number[] = [];
  for (let second = 0; second <= 1_000; second += 30) {
    if ((second < 300 || second >= 600) && repeats.due('away')) due.push(second);
    await clock.advance(30_000);
  }
  expect(due).toEqual([0, 60, 180, 600, 660, 780]);
});
