import { expect, test } from 'vitest';
import { BytesMemory, cachedJsonBytes, jsonBytes } from './json-bytes.ts';

test('a frozen object is serialised once, others each time', () => {
  const frozen = Object.freeze({ a: 'ä' });
  expect(cachedJsonBytes(frozen)).toBeUndefined();
  expect(jsonBytes(frozen).toString()).toBe('{"a":"ä"}');
  expect(jsonBytes(frozen)).toBe(jsonBytes(frozen));
  expect(cachedJsonBytes(frozen)).toBe(jsonBytes(frozen));
  const open = { a: 1 };
  expect(jsonBytes(open)).not.toBe(jsonBytes(open));
  expect(jsonBytes(undefined).toString()).toBe('null');
});

test('what was used lately is kept, the rest is forgotten', () => {
  const memory = new BytesMemory(100);
  const objects = Array.from({ length: 6 }, (_, i) => ({ i }));
  const [first = {}, second = {}] = objects;
  for (const object of objects) {
    memory.set(object, Buffer.alloc(40));
    memory.get(first);
  }
  expect(memory.get(first)).toBeDefined();
  expect(memory.get(second)).toBeUndefined();
  expect(memory.get(objects[5] ?? {})).toBeDefined();
});
