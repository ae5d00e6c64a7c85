import { expect, it } from 'vitest';
import { VirtualClock } from './virtual-clock.ts';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

it('lets other promises go on in virtual time, which does not pass', async () => {
  const clock = new VirtualClock();
  const order: string[] = [];
  const compute = async (name: string) => {
    for (let i = 0; i < 3; i++) {
      order.push(`${name}${i}`);
      await yieldToEventLoop({ clock });
    }
  };
  const before = clock.monotonic();
  await Promise.all([compute('a'), compute('b')]);
  expect(order).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
  expect(clock.monotonic()).toBe(before);
});

it('waits for the turn of the event loop when it is time for one', async () => {
  const turn = Promise.withResolvers<void>();
  let over = false;
  const yielded = yieldToEventLoop({ clock: { ...new VirtualClock(), turn: () => turn.promise } as never });
  void yielded.then(() => {
    over = true;
  });
  await new VirtualClock().settle();
  expect(over).toBe(false);
  turn.resolve();
  await yielded;
});

it('ends what nobody waits for any more', async () => {
  const clock = new VirtualClock();
  const abort = new AbortController();
  let rounds = 0;
  const computing = (async () => {
    for (;;) {
      if (++rounds === 5) abort.abort(new Error('stopping'));
      await yieldToEventLoop({ clock, signal: abort.signal });
    }
  })();
  await expect(computing).rejects.toThrow('stopping');
  expect(rounds).toBe(5);
});
