/** Objects that Go's own encoders wrote, in JSON and in protobuf: what is read is the same, what is written the same bytes. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decodeObject, encodeObject, hasMessage } from './index.ts';

interface Vector {
  readonly protobuf: string;
  readonly json: { readonly apiVersion: string; readonly kind: string };
}

const vectors = JSON.parse(
  readFileSync(new URL('./fixtures/vectors.json', import.meta.url), 'utf8'),
) as readonly Vector[];

/** Go writes lists without elements as `null`; protobuf cannot tell them from absent ones. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null && !(Array.isArray(item) && item.length === 0))
      .map(([key, item]) => [key, withoutNulls(item)]),
  );
}

describe.each(vectors.map((vector, index) => [`${index} ${vector.json.kind}`, vector] as const))('%s', (_, vector) => {
  const bytes = Buffer.from(vector.protobuf, 'base64');

  test('is read as Go reads it', () => {
    expect(withoutNulls(decodeObject(bytes))).toEqual(withoutNulls(vector.json));
  });

  test('is written as Go writes it', () => {
    if (!hasMessage(vector.json)) throw new Error('no message');
    expect(Buffer.concat(encodeObject(vector.json)).toString('base64')).toBe(vector.protobuf);
  });
});
