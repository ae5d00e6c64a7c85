import { VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import type { LogStoreRecord } from '../cnstore/index.ts';
import { LogKeeper } from './log-keeper.ts';

const here = 'mo:32001';
const { signal } = new AbortController();
const record: LogStoreRecord = { uuid: 'a', leads: [], works: [0], missing: [], silentFor: 0 };

test('what was said last is remembered in silence, which counts from the first question without an answer', async () => {
  const clock = new VirtualClock();
  let answer: () => Promise<readonly LogStoreRecord[]> = () => Promise.resolve([record]);
  const keeper = new LogKeeper(() => answer(), clock);
  expect([keeper.said(here), keeper.silentFor(here)]).toEqual([undefined, undefined]);
  await keeper.logStores(here, 0, signal);
  expect([keeper.said(here), keeper.silentFor(here)]).toEqual([[record], 0]);

  answer = () => Promise.reject(new Error('nobody answers'));
  for (let i = 0; i < 3; i++) {
    await expect(keeper.logStores(here, 0, signal)).rejects.toThrow('nobody answers');
    expect(keeper.silentFor(here)).toBeGreaterThan(0);
    await clock.advance(30_000);
  }
  expect([keeper.said(here), keeper.silentFor(here), keeper.silentFor('other:32001')]).toEqual([
    [record],
    90_000,
    undefined,
  ]);

  answer = () => Promise.resolve([]);
  await keeper.logStores(here, 0, signal);
  expect([keeper.said(here), keeper.silentFor(here)]).toEqual([[], 0]);
  keeper.forget(here);
  expect([keeper.said(here), keeper.silentFor(here)]).toEqual([undefined, undefined]);
});

test('a question that its asker gave up says nothing of HAKeeper', async () => {
  const gaveUp = new AbortController();
  const keeper = new LogKeeper((_, __, asked) => {
    gaveUp.abort(new Error('no patience'));
    return Promise.reject(asked.reason);
  }, new VirtualClock());
  await expect(keeper.logStores(here, 0, gaveUp.signal)).rejects.toThrow('no patience');
  expect(keeper.silentFor(here)).toBeUndefined();
});
