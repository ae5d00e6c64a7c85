import type { ActorContext } from '@coxswain/runtime/actor';
import { formatTime, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { LogSet } from '../api/index.ts';
import { checkThere } from './check-there.ts';
import { holdBucket } from './hold.ts';

const clock = new VirtualClock();

/** What is said of an object of this age that the server knows so. */
async function said(age: number, now: object | undefined): Promise<string> {
  const metadata = { namespace: 'default', name: 'd', uid: 'd', creationTimestamp: formatTime(clock.now() - age) };
  const client = { of: () => ({ find: () => Promise.resolve(now) }) };
  const context = { client, clock, object: { metadata }, signal: new AbortController().signal };
  return checkThere(context as unknown as ActorContext<LogSet>, LogSet).then(() => 'there', String);
}

test('what is old is there only when the server, too, knows it as one that stays', async () => {
  const hour = 3_600_000;
  expect(await said(hour, { metadata: { uid: 'd' } })).toBe('there');
  expect(await said(hour, undefined)).toMatch(/LogSet d goes, or is gone/);
  expect(await said(hour, { metadata: { uid: 'another' } })).toMatch(/LogSet d goes, or is gone/);
  expect(await said(hour, { metadata: { uid: 'd', deletionTimestamp: 'now' } })).toMatch(/LogSet d goes, or is gone/);
  expect(await said(1_000, undefined)).toBe('there');
});

test.each([
  ['old', 3_600_000, false],
  ['young, and runs', 1_000, true],
])('for a log service that is gone no claim is made: one that is %s', async (_, age, started) => {
  const creationTimestamp = formatTime(clock.now() - age);
  const object = { metadata: { namespace: 'default', name: 'mo', uid: 'd', creationTimestamp } } as LogSet;
  const made: unknown[] = [];
  const create = (claim: unknown) => Promise.resolve(made.push(claim));
  const client = { of: () => ({ find: () => Promise.resolve(undefined), create }) };
  const { signal } = new AbortController();
  const store = () => ({ list: () => [] });
  const context = { client, clock, object, signal, store, conditions: { get: () => undefined } };
  const wanted = { s3: { path: 'lake/prod' }, template: {}, started };
  await expect(holdBucket(context as unknown as ActorContext<LogSet>, wanted, {})).rejects.toThrow(/is gone/);
  expect(made).toEqual([]);
});
