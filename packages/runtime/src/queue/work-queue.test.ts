import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom, VirtualClock } from '../core/index.ts';
import { type Lane, lanes, rankOf } from './lane.ts';
import type { QueueOptions } from './options.ts';
import { type Outcome, type Taken, WorkQueue } from './work-queue.ts';

const noJitter = { next: () => 0 };

function setUp(options: Partial<QueueOptions> = {}) {
  const clock = new VirtualClock();
  const queue = new WorkQueue({ clock, random: noJitter, ...options });
  const taken: Taken[] = [];
  const takeOne = () => void queue.take().then((item) => item && taken.push(item));
  return { clock, queue, taken, takeOne, keys: () => taken.map(({ key }) => key) };
}

describe('work queue', () => {
  it('hands out a key once, however often it was added', async () => {
    const { clock, queue, taken, takeOne, keys } = setUp();
    queue.add('a');
    queue.add('a');
    takeOne();
    takeOne();
    await clock.settle();
    expect(keys()).toEqual(['a']);
    queue.done('a');
    expect(queue.idle).toBe(true);
    expect(taken).toHaveLength(1);
  });

  it('gives a key that is added while it is worked again after it is done, and not before', async () => {
    const { clock, queue, takeOne, keys } = setUp();
    queue.add('a');
    takeOne();
    takeOne();
    await clock.settle();
    queue.add('a', 'child');
    await clock.settle();
    expect(keys()).toEqual(['a']);
    queue.done('a');
    await clock.settle();
    expect(keys()).toEqual(['a', 'a']);
  });

  it('serves lanes by urgency and each lane in order', async () => {
    const { clock, queue, takeOne, keys } = setUp();
    queue.add('r', 'resync');
    queue.add('q', 'requeue');
    queue.add('c', 'child');
    queue.add('u1', 'user');
    queue.add('u2', 'user');
    for (let i = 0; i < 5; i++) takeOne();
    await clock.settle();
    expect(keys()).toEqual(['u1', 'u2', 'c', 'q', 'r']);
  });

  it('lets a key that waited long enough go before fresh keys of better lanes', async () => {
    const { clock, queue, takeOne, keys } = setUp({ ageing: 1_000 });
    queue.add('old', 'resync');
    await clock.advance(3_001);
    queue.add('fresh', 'user');
    takeOne();
    await clock.settle();
    expect(keys()).toEqual(['old']);
  });

  it('moves a waiting key up when it is added in a better lane', async () => {
    const { clock, queue, takeOne, taken } = setUp();
    queue.add('a', 'resync');
    queue.add('b', 'resync');
    queue.add('b', 'user');
    takeOne();
    await clock.settle();
    expect(taken).toEqual([{ key: 'b', lane: 'user', failures: 0, waited: 0 }]);
    expect(queue.length).toBe(1);
  });

  it('adds after a delay, the shortest of several', async () => {
    const { clock, queue, takeOne, keys } = setUp();
    takeOne();
    queue.addAfter('a', 500);
    queue.addAfter('a', 100);
    queue.addAfter('a', 900);
    await clock.advance(99);
    expect(keys()).toEqual([]);
    expect(queue.idle).toBe(true);
    await clock.advance(1);
    expect(keys()).toEqual(['a']);
    queue.done('a');
    expect(queue.size).toBe(0);
  });

  it('collects within a time of its own: a delay asked for by hand, or a retry, neither ends sooner nor is lost', async () => {
    const { clock, queue, takeOne } = setUp();
    const runs: number[] = [];
    const begun = clock.monotonic();
    const work = async (outcome: Outcome) => {
      await takeOne();
      runs.push(clock.monotonic() - begun);
      queue.done('a', outcome);
    };
    queue.addAfter('a', 10_000);
    queue.collect('a', 500, 'child');
    queue.collect('a', 500, 'child');
    await clock.advance(500);
    await work({ after: 20_000 });
    queue.collect('a', 500, 'child');
    await clock.advance(400);
    queue.addAfter('a', 50);
    await clock.advance(50);
    await work({ after: 20_000 });
    await clock.advance(50);
    await work({ after: 20_000 });
    // The shorter delay took the place of the one of ten seconds, as it would without a burst.
    await clock.advance(20_000);
    await work('ok');
    expect(runs).toEqual([500, 950, 1_000, 21_000]);
    expect(queue.size).toBe(0);
  });

  it('doubles the backoff from 5 ms up to 5 minutes and starts afresh after success', async () => {
    const { clock, queue, takeOne, taken } = setUp();
    queue.add('a');
    const waits: number[] = [];
    for (let i = 0; i < 20; i++) {
      const from = clock.now();
      takeOne();
      await clock.runUntil(() => taken.length === i + 1);
      waits.push(clock.now() - from);
      queue.done('a', 'failed');
    }
    expect(waits.slice(0, 6)).toEqual([0, 5, 10, 20, 40, 80]);
    expect(waits.at(-1)).toBe(300_000);
    takeOne();
    await clock.runUntil(() => taken.length === 21);
    queue.done('a');
    queue.add('a');
    takeOne();
    await clock.settle();
    queue.done('a', 'failed');
    takeOne();
    await clock.advance(5);
    expect(taken).toHaveLength(23);
    expect(taken.at(-1)?.failures).toBe(1);
  });

  it('takes up to half off a backoff by chance, never below the minimum', async () => {
    const { clock, queue, takeOne, taken } = setUp({ random: { next: () => 0.999 } });
    queue.add('a');
    for (let i = 0; i < 4; i++) {
      takeOne();
      await clock.runUntil(() => taken.length === i + 1);
      queue.done('a', 'failed');
    }
    const from = clock.now();
    takeOne();
    await clock.runUntil(() => taken.length === 5);
    expect(clock.now() - from).toBeCloseTo(20, 0);
  });

  it('does not consume a backoff step for runs that events caused', async () => {
    const { clock, queue, takeOne, taken } = setUp({ backoff: { min: 1_000, max: 60_000 } });
    queue.add('a');
    takeOne();
    await clock.settle();
    queue.done('a', 'failed');
    for (let i = 0; i < 10; i++) {
      await clock.advance(50);
      queue.add('a', 'user');
      takeOne();
      await clock.settle();
      queue.done('a', 'failed');
    }
    expect(taken.at(-1)?.failures).toBe(1);
    takeOne();
    await clock.advance(499);
    expect(taken).toHaveLength(11);
    await clock.advance(1);
    expect(taken).toHaveLength(12);
    queue.done('a', 'failed');
    takeOne();
    await clock.advance(1_999);
    expect(taken).toHaveLength(12);
    await clock.advance(1);
    expect(taken).toHaveLength(13);
  });

  it('waits as long as the server asked for', async () => {
    const { clock, queue, takeOne, taken } = setUp();
    queue.add('a');
    takeOne();
    await clock.settle();
    queue.done('a', { failed: true, atLeast: 7_000 });
    takeOne();
    await clock.advance(6_999);
    expect(taken).toHaveLength(1);
    await clock.advance(1);
    expect(taken).toHaveLength(2);
  });

  it('keeps to the rate limit after the burst', async () => {
    const { clock, queue, takeOne, keys } = setUp({ rate: { perSecond: 2, burst: 2 } });
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    for (let i = 0; i < 4; i++) takeOne();
    await clock.settle();
    expect(keys()).toEqual(['a', 'b']);
    await clock.advance(500);
    expect(keys()).toEqual(['a', 'b', 'c']);
    await clock.advance(500);
    expect(keys()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('ends waiting takers when closed and takes no more keys', async () => {
    const { clock, queue } = setUp();
    const take = queue.take();
    queue.addAfter('later', 10);
    queue.close();
    expect(await take).toBeUndefined();
    queue.add('a');
    expect(await queue.take()).toBeUndefined();
    expect(clock.untilNext).toBeUndefined();
    expect(queue.size).toBe(0);
  });

  it('refuses an answer for a key that is not worked', () => {
    const { queue } = setUp();
    expect(() => queue.done('a')).toThrow('without a take');
  });

  it('keeps nothing of keys that are done, and one timer entry for a hot key', async () => {
    const { clock, queue, takeOne } = setUp();
    for (let i = 0; i < 1_000; i++) {
      queue.add('hot');
      takeOne();
      await Promise.resolve();
      queue.done('hot', { after: 600_000 });
    }
    expect(queue.size).toBe(1);
    queue.forget('hot');
    expect(queue.size).toBe(0);
    await clock.settle();
    expect(queue.idle).toBe(true);
  });
});

/** The same queue without any cleverness: a list of keys, sorted on each take. */
class NaiveQueue {
  now = 0;
  waiting: { key: string; lane: Lane; since: number; order: number }[] = [];
  working = new Map<string, { dirty: Lane | undefined }>();
  later = new Map<string, { due: number; order: number }>();
  burst = new Map<string, { due: number; order: number }>();
  again = new Map<string, { due: number; fired: boolean; order: number }>();
  failures = new Map<string, number>();
  readonly ageing: number;
  #order = 0;

  constructor(ageing: number) {
    this.ageing = ageing;
  }

  add(key: string, lane: Lane): void {
    const working = this.working.get(key);
    if (working) {
      if (working.dirty === undefined || rankOf(lane) < rankOf(working.dirty)) working.dirty = lane;
      return;
    }
    const fresh = { key, lane, since: this.now, order: this.#order++ };
    const known = this.waiting.find((item) => item.key === key);
    if (known && this.rank(fresh) >= this.rank(known)) return;
    this.waiting = [...this.waiting.filter((item) => item.key !== key), fresh];
  }

  addAfter(key: string, delay: number, slot = this.later): void {
    const due = this.now + delay;
    if ((slot.get(key)?.due ?? Number.POSITIVE_INFINITY) <= due) return;
    slot.set(key, { due, order: this.#order++ });
  }

  rank(item: { lane: Lane; since: number }): number {
    return item.since + rankOf(item.lane) * this.ageing;
  }

  advance(to: number): void {
    for (;;) {
      const due = [
        ...[...this.later].map(([key, item]) => ({ key, ...item, slot: this.later })),
        ...[...this.burst].map(([key, item]) => ({ key, ...item, slot: this.burst })),
        ...[...this.again].filter(([, item]) => !item.fired).map(([key, item]) => ({ key, ...item, slot: undefined })),
      ].filter((item) => item.due <= to);
      const next = due.toSorted((x, y) => x.due - y.due || x.order - y.order)[0];
      if (!next) break;
      this.now = next.due;
      if (next.slot) next.slot.delete(next.key);
      else if (this.failures.get(next.key)) this.again.set(next.key, { due: next.due, fired: true, order: 0 });
      else this.again.delete(next.key);
      this.add(next.key, 'requeue');
    }
    this.now = to;
  }

  take(): string | undefined {
    const best = Math.min(...this.waiting.map((item) => this.rank(item)));
    const candidates = this.waiting.filter((item) => this.rank(item) === best);
    const next = candidates.toSorted((a, b) => rankOf(a.lane) - rankOf(b.lane) || a.order - b.order)[0];
    if (!next) return undefined;
    this.waiting = this.waiting.filter((item) => item !== next);
    this.working.set(next.key, { dirty: undefined });
    if ((this.again.get(next.key)?.due ?? Number.POSITIVE_INFINITY) <= this.now) this.again.delete(next.key);
    for (const slot of [this.later, this.burst]) {
      if ((slot.get(next.key)?.due ?? Number.POSITIVE_INFINITY) <= this.now) slot.delete(next.key);
    }
    return next.key;
  }

  done(key: string, outcome: Outcome): void {
    const dirty = this.working.get(key)?.dirty;
    this.working.delete(key);
    let lane = dirty;
    if (outcome === 'failed') {
      const failures = this.failures.get(key) ?? 0;
      const pending = failures > 0 && (this.again.get(key)?.due ?? 0) > this.now;
      if (!pending) {
        this.again.set(key, {
          due: this.now + Math.min(300_000, 5 * 2 ** failures),
          fired: false,
          order: this.#order++,
        });
        this.failures.set(key, failures + 1);
      }
    } else {
      this.failures.delete(key);
      this.again.delete(key);
      if (typeof outcome === 'object' && 'after' in outcome) {
        if (outcome.after > 0)
          this.again.set(key, { due: this.now + outcome.after, fired: false, order: this.#order++ });
        else lane ??= 'requeue';
      }
    }
    if (lane !== undefined) this.add(key, lane);
  }
}

type Step =
  | { type: 'add'; key: string; lane: Lane }
  | { type: 'addAfter' | 'collect'; key: string; delay: number }
  | { type: 'take' }
  | { type: 'done'; pick: number; outcome: Outcome }
  | { type: 'advance'; ms: number };

const keyArb = fc.constantFrom('a', 'b', 'c');
const outcomeArb: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constant<Outcome>('ok'),
  { weight: 2, arbitrary: fc.constant<Outcome>('failed') },
  fc.integer({ min: 0, max: 50 }).map((after) => ({ after })),
);
const stepArb: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('add' as const), key: keyArb, lane: fc.constantFrom(...lanes) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom('addAfter' as const, 'collect' as const),
      key: keyArb,
      delay: fc.integer({ min: 1, max: 60 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('take' as const) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('done' as const), pick: fc.nat(10), outcome: outcomeArb }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('advance' as const), ms: fc.constantFrom(0, 1, 4, 5, 10, 20, 40) }),
  },
);

describe('work queue against a naive one', () => {
  it('hands out the same keys in the same order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepArb, { maxLength: 120, size: 'max' }), async (steps) => {
        const clock = new VirtualClock(0);
        const queue = new WorkQueue({ clock, random: noJitter, ageing: 20 });
        const naive = new NaiveQueue(20);
        const working: string[] = [];
        for (const step of steps) {
          if (step.type === 'add') {
            queue.add(step.key, step.lane);
            naive.add(step.key, step.lane);
          } else if (step.type === 'addAfter') {
            queue.addAfter(step.key, step.delay);
            naive.addAfter(step.key, step.delay);
          } else if (step.type === 'collect') {
            queue.collect(step.key, step.delay, 'requeue');
            naive.addAfter(step.key, step.delay, naive.burst);
          } else if (step.type === 'advance') {
            await clock.advance(step.ms);
            naive.advance(naive.now + step.ms);
          } else if (step.type === 'take' && queue.length > 0) {
            const taken = await queue.take();
            expect(taken?.key).toBe(naive.take());
            expect(working).not.toContain(taken?.key);
            if (taken) working.push(taken.key);
          } else if (step.type === 'done' && working.length > 0) {
            const [key = ''] = working.splice(step.pick % working.length, 1);
            queue.done(key, step.outcome);
            naive.done(key, step.outcome);
          }
          expect(queue.length).toBe(naive.waiting.length);
          expect(queue.working).toBe(working.length);
          expect(queue.idle).toBe(naive.waiting.length === 0 && working.length === 0);
        }
      }),
      { numRuns: 250, seed: 7 },
    );
  });

  it('loses no key and leaves nothing behind when all work succeeds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepArb, { maxLength: 40 }), fc.integer(), async (steps, seed) => {
        const clock = new VirtualClock(0);
        const queue = new WorkQueue({ clock, random: seededRandom(seed) });
        const worked = new Set<string>();
        const added = new Set<string>();
        const worker = async () => {
          for (let item = await queue.take(); item; item = await queue.take()) {
            worked.add(item.key);
            queue.done(item.key);
          }
        };
        const running = worker();
        for (const step of steps) {
          if (step.type === 'add') queue.add(step.key, step.lane);
          if (step.type === 'addAfter') queue.addAfter(step.key, step.delay);
          if (step.type === 'collect') queue.collect(step.key, step.delay, 'requeue');
          if ('key' in step) added.add(step.key);
          if (step.type === 'advance') await clock.advance(step.ms);
        }
        await clock.advance(1_000);
        expect(worked).toEqual(added);
        expect(queue.size).toBe(0);
        queue.close();
        await running;
      }),
      { numRuns: 100, seed: 11 },
    );
  });
});
