import { ApiError, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { InFlightLimit, requestKindOf } from './in-flight-limit.ts';

const never = new AbortController().signal;

test('what is too much waits in line; who waits too long, or comes when the line is full, gets 429', async () => {
  const clock = new VirtualClock();
  const limit = new InFlightLimit({ clock, mutating: 1, readOnly: 1, queue: 2, wait: 1000 });
  expect(limit.enter('mutating', never)).toBeUndefined();
  expect(limit.enter('readOnly', never)).toBeUndefined();
  const order: string[] = [];
  const note = (name: string) => () => void order.push(name);
  const refused = (name: string) => (error: unknown) => {
    order.push(`${name} ${error instanceof ApiError ? `${error.code} ${error.retryAfter}` : error}`);
  };
  const first = Promise.resolve(limit.enter('mutating', never)).then(note('first'));
  const second = Promise.resolve(limit.enter('mutating', never)).then(note('second'), refused('second'));
  expect(() => limit.enter('mutating', never)).toThrow('Too many requests, please try again later.');
  expect(limit.queued('mutating')).toBe(2);
  limit.leave('mutating');
  await first;
  expect(limit.active('mutating')).toBe(1);
  await clock.advance(1000);
  await second;
  expect(order).toEqual(['first', 'second 429 1000']);
  expect(limit.refused).toBe(2);
  limit.leave('mutating');
  expect([limit.active('mutating'), limit.queued('mutating')]).toEqual([0, 0]);
  expect(limit.enter('mutating', never)).toBeUndefined();
});

test('who goes away leaves the line', async () => {
  const clock = new VirtualClock();
  const limit = new InFlightLimit({ clock, readOnly: 1 });
  void limit.enter('readOnly', never);
  const gone = new AbortController();
  const waiting = limit.enter('readOnly', gone.signal);
  gone.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  expect(limit.queued('readOnly')).toBe(0);
  expect(limit.refused).toBe(0);
  limit.leave('readOnly');
  expect(limit.active('readOnly')).toBe(0);
  expect(clock.untilNext).toBeUndefined();
});

test('health, metrics and faults always get through', () => {
  expect(requestKindOf('GET', '/api/v1/pods')).toBe('readOnly');
  expect(requestKindOf('PATCH', '/api/v1/namespaces/a/pods/b')).toBe('mutating');
  for (const path of ['/healthz', '/readyz/ping', '/livez', '/metrics', '/_coxswain/faults'])
    expect(requestKindOf('GET', path), path).toBeUndefined();
  expect(requestKindOf('GET', '/metricsx')).toBe('readOnly');
});
