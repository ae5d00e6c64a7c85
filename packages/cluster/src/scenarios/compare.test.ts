import { Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { compareRecordings } from './compare.ts';
import { Names } from './names.ts';
import type { Recording, Tracks } from './types.ts';

const recording = (more: Partial<Recording>): Recording => ({ objects: {}, events: [], order: [], notes: [], ...more });
const pods = (...all: readonly Tracks[]) =>
  recording({ objects: { 'Pod web-*': all.map((tracks) => ({ count: 1, tracks })) } });

test('objects that cannot be told apart are held against the most similar one', () => {
  const real = pods({ phase: ['Running'], ready: [true] }, { phase: ['Failed'], ready: [false] });
  expect(
    compareRecordings(real, pods({ phase: ['Failed'], ready: [false] }, { phase: ['Running'], ready: [true] })),
  ).toEqual([]);
  expect(
    compareRecordings(real, pods({ phase: ['Failed'], ready: [null] }, { phase: ['Running'], ready: [true] })),
  ).toEqual([{ place: 'Pod web-*  ready', real: 'false', embedded: '-' }]);
  expect(compareRecordings(real, pods({ phase: ['Running'], ready: [true] }))).toEqual([
    { place: 'Pod web-*', real: '2 of them', embedded: '1 of them' },
  ]);
});

test('events by what they say, orders by where they part', () => {
  const real = recording({ events: ['a', 'b'], order: ['x', 'y', 'z'] });
  expect(compareRecordings(real, recording({ events: ['b', 'c'], order: ['x', 'z', 'y'] }))).toEqual([
    { place: 'event', real: 'a', embedded: 'nothing' },
    { place: 'event', real: 'nothing', embedded: 'c' },
    { place: 'order from 1', real: 'x, y, z', embedded: 'x, z, y' },
  ]);
});

test('names, addresses, times and nodes of a run are taken out of texts', () => {
  const states = [{ metadata: { name: 'web-abc-x2x2x', generateName: 'web-abc-', uid: '1' } }];
  const names = new Names('s-a', [{ kind: Pod, states, gone: false }]);
  expect(names.text('s-a/web-abc-x2x2x at 10.1.2.3 on node-2 since 2026-01-01T00:00:00Z')).toBe(
    '<ns>/web-abc-* at <ip> on <node> since <time>',
  );
});
