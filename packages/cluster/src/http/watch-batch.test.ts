import { expect, test } from 'vitest';
import type { OutgoingEvent } from '../apiserver/types.ts';
import { nextBatch } from './watch-batch.ts';
import { jsonLines } from './watch-encoding.ts';

const event = (name: string): OutgoingEvent => ({ type: 'ADDED', object: Object.freeze({ name }) });
const line = (name: string) => `{"type":"ADDED","object":{"name":"${name}"}}\n`;
const limit = 1000;

test('watches that have the same events before them share the bytes, others do not', () => {
  const [a, b, c] = ['a', 'b', 'c'].map(event) as [OutgoingEvent, OutgoingEvent, OutgoingEvent];
  const both = nextBatch([a, b], 0, jsonLines, limit);
  expect(both.bytes.toString()).toBe(line('a') + line('b'));
  expect(nextBatch([c, a, b], 1, jsonLines, limit)).toBe(both);
  expect(nextBatch([a, c], 0, jsonLines, limit).bytes.toString()).toBe(line('a') + line('c'));
  expect(nextBatch([a], 0, jsonLines, limit).bytes.toString()).toBe(line('a'));
  expect(nextBatch([a, b, c], 0, jsonLines, limit).events).toHaveLength(3);
  const packed = { ...jsonLines, pack: () => Buffer.from('packed') };
  expect(nextBatch([a, b], 0, packed, limit).bytes.toString()).toBe('packed');
});

test('a batch ends when it is large enough', () => {
  const events = ['a', 'b', 'c'].map(event);
  const batch = nextBatch(events, 0, jsonLines, line('a').length + 1);
  expect(batch.events).toHaveLength(2);
  expect(nextBatch(events, 0, jsonLines, line('a').length + 1)).toBe(batch);
  expect(nextBatch(events, 2, jsonLines, limit).bytes.toString()).toBe(line('c'));
  expect(nextBatch(events, 3, jsonLines, limit).events).toHaveLength(0);
});
