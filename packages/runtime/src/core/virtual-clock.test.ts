import fc from 'fast-check';
import { expect, test } from 'vitest';
import { abortable, TimeoutError, withTimeout } from './abort.ts';
import { sleep } from './clock.ts';
import { VirtualClock } from './virtual-clock.ts';

test('timers fire in the order of their time, then of their making', async () => {
  const clock = new VirtualClock();
  const fired: string[] = [];
  for (const [ms, name] of [
    [20, 'c'],
    [10, 'a'],
    [10, 'b'],
    [-5, '0'],
  ] as const)
    clock.after(ms, () => fired.push(name));
  expect(clock.untilNext).toBe(0);
  await clock.advance(10);
  expect(fired).toEqual(['0', 'a', 'b']);
  expect(clock.untilNext).toBe(10);
  await clock.advance(10);
  expect(fired).toEqual(['0', 'a', 'b', 'c']);
  expect(clock.untilNext).toBeUndefined();
});

test('promise work between two timers is done before the second', async () => {
  const clock = new VirtualClock();
  const seen: string[] = [];
  const work = async () => {
    await sleep(clock, 5);
    for (let i = 0; i < 50; i++) await null;
    seen.push('work');
    await sleep(clock, 1);
    seen.push('more');
  };
  void work();
  clock.after(6, () => seen.push('timer'));
  await clock.advance(6);
  expect(seen).toEqual(['work', 'timer', 'more']);
});

test('any mix of setting and cancelling behaves as a sorted list would', async () => {
  const op = fc.record({ ms: fc.nat(50), cancel: fc.option(fc.nat(200)) });
  await fc.assert(
    fc.asyncProperty(fc.array(op, { maxLength: 300 }), async (ops) => {
      const clock = new VirtualClock();
      const fired: number[] = [];
      const timers = ops.map(({ ms }, i) => clock.after(ms, () => fired.push(i)));
      const cancelled = new Set<number>();
      for (const { cancel } of ops) {
        if (cancel === null || cancel >= timers.length) continue;
        timers[cancel]?.cancel();
        timers[cancel]?.cancel();
        cancelled.add(cancel);
      }
      const expected = ops.map(({ ms }, i) => ({ ms, i })).filter(({ i }) => !cancelled.has(i));
      expected.sort((a, b) => a.ms - b.ms || a.i - b.i);
      await clock.advance(50);
      expect(fired).toEqual(expected.map(({ i }) => i));
      expect(clock.untilNext).toBeUndefined();
    }),
    { seed: 1, numRuns: 20 },
  );
});

test('runUntil stops as soon as the condition holds, and says why it cannot', async () => {
  const clock = new VirtualClock();
  const start = clock.now();
  let done = false;
  clock.after(1000, () => {
    done = true;
  });
  clock.after(5000, () => {});
  await clock.runUntil(() => done);
  expect(clock.now() - start).toBe(1000);
  await expect(clock.runUntil(() => false, { limit: 2000, what: 'peace' })).rejects.toThrow(
    'virtual time: peace does not hold after 2s',
  );
  await expect(clock.runUntil(() => false, { what: 'peace' })).rejects.toThrow(
    'virtual time: nothing left to happen, and peace does not hold',
  );
});

test('drive moves time until a promise is settled, and no further', async () => {
  const clock = new VirtualClock();
  const start = clock.now();
  const after = (ms: number) => new Promise<number>((resolve) => clock.after(ms, () => resolve(ms)));
  expect(await clock.drive(after(1000))).toBe(1000);
  expect(clock.now() - start).toBe(1000);
  await expect(clock.drive(Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(clock.drive(after(3000), { limit: 2000, what: 'an answer' })).rejects.toThrow(
    'virtual time: an answer does not hold after 2s',
  );
});

test('withTimeout: the answer in time, the timeout, the parent', async () => {
  const clock = new VirtualClock();
  expect(await withTimeout(clock, 10, 'work', async () => 'done')).toBe('done');
  let signal: AbortSignal | undefined;
  const never = (given: AbortSignal) => {
    signal = given;
    return new Promise<never>(() => {});
  };
  const slow = expect(withTimeout(clock, 2000, 'work', never)).rejects.toThrow(
    new TimeoutError('work: no answer within 2s'),
  );
  await clock.advance(2000);
  await slow;
  expect(signal?.aborted).toBe(true);
  const parent = new AbortController();
  const cut = expect(withTimeout(clock, 2000, 'work', never, parent.signal)).rejects.toThrow('stop');
  parent.abort(new Error('stop'));
  await cut;
  await expect(withTimeout(clock, 2000, 'work', never, parent.signal)).rejects.toThrow('stop');
  expect(clock.untilNext).toBeUndefined();
});

test('abortable leaves no listener and no unhandled rejection behind', async () => {
  const controller = new AbortController();
  expect(await abortable(Promise.resolve(1), controller.signal)).toBe(1);
  await expect(abortable(Promise.reject(new Error('own')), controller.signal)).rejects.toThrow('own');
  controller.abort(new Error('stop'));
  await expect(abortable(Promise.reject(new Error('own')), controller.signal)).rejects.toThrow('stop');
  expect(await abortable(Promise.resolve(2), undefined)).toBe(2);
});
