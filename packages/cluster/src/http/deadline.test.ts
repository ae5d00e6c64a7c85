import { VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { limitOf, withDeadline } from './deadline.ts';
import { targetOf } from './to-request.ts';

test('an answer that takes too long is a 504, and the handler is told to stop', async () => {
  const clock = new VirtualClock();
  let stopped = false;
  const answer = withDeadline(new Promise(() => {}), clock, 34_000, () => {
    stopped = true;
  });
  const refused = expect(answer).rejects.toMatchObject({ code: 504, reason: 'Timeout' });
  await clock.advance(33_999);
  expect(stopped).toBe(false);
  await clock.advance(1);
  await refused;
  expect(stopped).toBe(true);
  expect(await withDeadline(Promise.resolve(1), clock, 34_000, () => {})).toBe(1);
  await clock.advance(0);
  expect(clock.untilNext).toBeUndefined();
});

test.each([
  ['GET', '/api/v1/pods', 60_000],
  ['POST', '/api/v1/pods', 34_000],
  ['GET', '/api/v1/pods?watch=true', undefined],
  ['GET', '/api/v1/watch/pods', undefined],
  ['GET', '/api/v1/namespaces/a/pods/b/log?follow=1', undefined],
  ['POST', '/api/v1/namespaces/a/pods/b/exec?command=ls', undefined],
] as const)('%s %s', (method, url, limit) => {
  expect(limitOf({ method }, targetOf(url))).toBe(limit);
});
