import type { ObjectMeta } from '@coxswain/k8s';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConnectionError } from './errors.ts';
import { ListDecoder } from './list-decoder.ts';
import { parseJson } from './parse-json.ts';
import type { WatchEvent } from './transport.ts';

const metadata = { resourceVersion: '17' };
const end: WatchEvent = {
  type: 'BOOKMARK',
  object: { metadata: { name: '', resourceVersion: '17', annotations: { 'k8s.io/initial-events-end': 'true' } } },
};

/** All events of a text that comes in chunks of this size. */
function decoded(text: string, size: number, decoder = new ListDecoder()): WatchEvent[] {
  const bytes = Buffer.from(text);
  const events = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...decoder.push(bytes.subarray(at, at + size)));
  decoder.end();
  return events;
}

const added = (items: readonly object[]) => items.map((object) => ({ type: 'ADDED', object }));

const item = fc.record({
  metadata: fc.record({ name: fc.string() }),
  spec: fc.jsonValue(),
});

describe('a list that comes in chunks', () => {
  it('is the events of a streamed list, wherever it is cut and whatever is in it', () => {
    fc.assert(
      fc.property(fc.array(item), fc.integer({ min: 1, max: 70 }), fc.boolean(), (items, size, first) => {
        const list = first ? { kind: 'L', metadata, items } : { kind: 'L', items, metadata };
        const wanted = added(parseJson(JSON.stringify(items)) as object[]);
        expect(decoded(`${JSON.stringify(list)}\n`, size)).toEqual([...wanted, end]);
      }),
    );
  });

  it('brings each item as soon as it is there', () => {
    const decoder = new ListDecoder();
    const push = (text: string) => decoder.push(Buffer.from(text));
    const a = { metadata: { name: 'a' } };
    expect(push('{"kind":"L","items":[{"metadata":{"name":"a"}')).toEqual([]);
    expect(push('},{"metadata":')).toEqual(added([a]));
    expect(push('{"name":"a"}}')).toEqual(added([a]));
    expect(push('],"metadata":{"resourceVersion":"17"}')).toEqual([]);
    expect(push('}')).toEqual([end]);
  });

  it('may be empty, null or missing', () => {
    for (const items of ['[]', ' [ ]', 'null']) {
      expect(decoded(`{"items":${items},"metadata":{"resourceVersion":"17"}}`, 5)).toEqual([end]);
    }
    expect(decoded('{"metadata":{"resourceVersion":"17"},"other":[{}]}', 5)).toEqual([end]);
  });

  it('may have many arrays beside its items', () => {
    const others = '"a":[],'.repeat(50_000);
    const text = `{${others}"items":[{"metadata":{"name":"a"}}],"metadata":{"resourceVersion":"17"}}`;
    for (const size of [7, 65_536]) expect(decoded(text, size)).toEqual([...added([{ metadata: { name: 'a' } }]), end]);
  });

  it('may have space anywhere', () => {
    const items = [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }];
    expect(decoded(JSON.stringify({ metadata, items }, undefined, 2), 5)).toEqual([...added(items), end]);
  });

  it('hands managed fields over as texts', () => {
    const fields = [{ manager: 'm', fieldsV1: { 'f:data': {} } }];
    const items = ['a', 'b', 'c'].map((name) => ({ metadata: { name, managedFields: fields }, data: { name } }));
    const text = JSON.stringify({ metadata, items });
    for (const size of [7, 64, 10_000]) {
      const kept: string[] = [];
      const decoder = new ListDecoder(({ name }: ObjectMeta, managed) => void kept.push(`${name} ${managed}`));
      const plain = items.map(({ data }) => ({ metadata: { name: data.name }, data }));
      expect(decoded(text, size, decoder)).toEqual([...added(plain), end]);
      expect(kept).toEqual(['a', 'b', 'c'].map((name) => `${name} ${JSON.stringify(fields)}`));
    }
  });

  it('keeps integers beyond 2^53', () => {
    const text = '{"metadata":{"resourceVersion":"17"},"items":[{"metadata":{"name":"a"},"n":9007199254740993}]}';
    expect(decoded(text, 9)[0]?.object).toEqual({ metadata: { name: 'a' }, n: 9007199254740993n });
  });

  it('says what is wrong with one that is none', () => {
    for (const text of [
      '{"items":[{"metadata":{}}',
      '{"items":[1],"metadata":{"resourceVersion":"17"}}',
      '{"items":[{"metadata":{}} {}],"metadata":{"resourceVersion":"17"}}',
      '{"items":[],"metadata":{}}',
      '{"items":[],"metadata":{"resourceVersion":"17","continue":"x"}}',
      '{"items":{},"metadata":{"resourceVersion":"17"}}',
      '{"items":"none","metadata":{"resourceVersion":"17"}}',
      '{"kind":"Table","metadata":{"resourceVersion":"17"},"columnDefinitions":[{}],"rows":[{"object":{}}]}',
      '{"kind":"Pod","metadata":{"name":"items","resourceVersion":"17"}}',
      'null',
      '[]',
      '',
      'gone away',
    ]) {
      for (const size of [3, 1000]) expect(() => decoded(text, size), text).toThrow(ConnectionError);
    }
  });
});
