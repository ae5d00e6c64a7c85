import { expect, test } from 'vitest';
import type { LogStoreRecord } from '../cnstore/index.ts';
import { logStoreUuid } from '../identity/index.ts';
import { shortageWithout } from './log-shortage.ts';

const pods = (...ordinals: readonly number[]) => ordinals.map((ordinal) => `mo-log-${ordinal}`);
const store = (ordinal: number, more: Partial<LogStoreRecord> = {}): LogStoreRecord => ({
  uuid: logStoreUuid(ordinal),
  leads: [],
  works: [0, 1],
  missing: [],
  silentFor: 1_000,
  ...more,
});
const gone = (ordinal: number) => store(ordinal, { silentFor: 60_000 });
const empty = { works: [], missing: [] };

test('of three the two others must have all replicas', () => {
  const said = [gone(0), store(1), store(2)];
  expect(shortageWithout(pods(1, 2), said, 2)).toBeUndefined();
  const missed = { pods: ['mo-log-2'] };
  expect(shortageWithout(pods(1, 2), [gone(0), store(1), store(2, { works: [0], missing: [1] })], 2)).toEqual(missed);
  expect(shortageWithout(pods(1, 2), [gone(0), store(1), gone(2)], 2)).toEqual(missed);
  expect(shortageWithout(pods(1, 2), [gone(0), store(1)], 2)).toEqual(missed);
});

test('one in the place of another has nothing until HAKeeper gives it what that had', () => {
  expect(shortageWithout(pods(2, 3), [gone(0), gone(1), store(2), store(3, empty)], 2)).toEqual({ pods: ['mo-log-3'] });
  expect(shortageWithout(pods(2, 3), [gone(0), gone(1), store(2), store(3)], 2)).toBeUndefined();
});

test('of five one more may be gone, and no second one', () => {
  const said = [gone(0), gone(1), store(2), store(3), store(4), store(5, empty)];
  expect(shortageWithout(pods(2, 3, 4, 5), said, 3)).toBeUndefined();
  const worse = said.map((record) => (record.uuid === logStoreUuid(4) ? gone(4) : record));
  expect(shortageWithout(pods(2, 3, 4, 5), worse, 3)).toEqual({ pods: pods(4, 5) });
});

test('a strict look minds each replica that is missed, though there are enough', () => {
  const said = [store(0), store(1, { works: [0], missing: [1] }), store(2), store(3)];
  expect(shortageWithout(pods(0, 1, 2), said, 2)).toBeUndefined();
  expect(shortageWithout(pods(0, 1, 2), said, 2, true)).toEqual({ pods: ['mo-log-1'] });
  expect(shortageWithout(pods(0, 2, 3), said, 2, true)).toBeUndefined();
});

test('stores beyond the number of replicas need none', () => {
  expect(shortageWithout(pods(1, 2, 3), [gone(0), store(1), store(2), store(3, empty)], 2)).toBeUndefined();
});

test('one replica is nobody’s to give up, and nothing is known of a HAKeeper that knows no store', () => {
  expect(shortageWithout([], [gone(0)], 1)).toEqual({ pods: [] });
  expect(shortageWithout(pods(1, 2), [], 2)).toEqual({ pods: pods(1, 2) });
});
