import type { Clock, Random, Timer } from '@coxswain/runtime/core';
import type { OutgoingEvent, WatchStream } from '../apiserver/types.ts';
import type { FaultAction } from './types.ts';

type WatchAction = Extract<FaultAction, { watch: unknown }>;
type Take = (events: readonly OutgoingEvent[]) => void;

const usualDelay = 1000;

/** Ends a time after it was opened; without one it ends as soon as there is something to tell, which is not told. */
function dropped(inner: WatchStream, ms: number, clock: Clock): WatchStream {
  let timer: Timer | undefined;
  let over = false;
  return {
    start(onEvents, onEnd) {
      const end = () => {
        if (over) return;
        over = true;
        timer?.cancel();
        inner.cancel();
        onEnd();
      };
      if (ms > 0) timer = clock.after(ms, end);
      inner.start((events) => {
        if (over) return;
        if (ms > 0) onEvents(events);
        else end();
      }, end);
    },
    cancel() {
      timer?.cancel();
      inner.cancel();
    },
  };
}

/** What was said, said again by a later timer; nothing overtakes anything, and the end comes last. */
class LateStream implements WatchStream {
  readonly #inner: WatchStream;
  readonly #clock: Clock;
  readonly #wait: () => number;
  readonly #timers = new Set<Timer>();
  #last = 0;
  #cancelled = false;

  constructor(inner: WatchStream, clock: Clock, wait: () => number) {
    this.#inner = inner;
    this.#clock = clock;
    this.#wait = wait;
  }

  start(onEvents: Take, onEnd: () => void): void {
    this.#inner.start(
      (events) => this.#later(() => onEvents(events)),
      () => this.#later(onEnd),
    );
  }

  cancel(): void {
    this.#cancelled = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#inner.cancel();
  }

  #later(act: () => void): void {
    // Nothing is left to be overtaken.
    if (this.#cancelled) {
      act();
      return;
    }
    const now = this.#clock.monotonic();
    this.#last = Math.max(this.#last, now + this.#wait());
    const timer = this.#clock.after(this.#last - now, () => {
      this.#timers.delete(timer);
      act();
    });
    this.#timers.add(timer);
  }
}

/** Each change twice, one after the other. Marks and failures are told once. */
function doubled(inner: WatchStream): WatchStream {
  const twice = (event: OutgoingEvent) =>
    event.type === 'BOOKMARK' || event.type === 'ERROR' ? [event] : [event, event];
  return {
    start: (onEvents, onEnd) => inner.start((events) => onEvents(events.flatMap(twice)), onEnd),
    cancel: () => inner.cancel(),
  };
}

/** The stream as a client with such luck sees it. */
export function disturbed(
  inner: WatchStream,
  { watch, ms }: WatchAction,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): WatchStream {
  switch (watch) {
    case 'drop':
      return dropped(inner, ms ?? 0, clock);
    case 'delay':
      return new LateStream(inner, clock, () => ms ?? usualDelay);
    case 'reorderless-late':
      return new LateStream(inner, clock, () => random.next() * (ms ?? usualDelay));
    case 'duplicate':
      return doubled(inner);
  }
}
