import { type Clock, sleep, VirtualClock } from '@coxswain/runtime/core';

/** Lets `ms` milliseconds pass: a virtual clock is moved on, at once. */
export function passTime(clock: Clock, ms: number): Promise<void> {
  return clock instanceof VirtualClock ? clock.advance(ms) : sleep(clock, ms);
}

/** Lets time pass until the promise is settled; a virtual clock is moved on from timer to timer, at most `limit` milliseconds. */
export function passUntil<R>(clock: Clock, promise: Promise<R>, limit: number): Promise<R> {
  return clock instanceof VirtualClock ? clock.drive(promise, { limit }) : promise;
}
