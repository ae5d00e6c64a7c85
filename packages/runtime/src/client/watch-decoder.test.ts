import type { ObjectMeta } from '@coxswain/k8s';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WatchDecoder } from './watch-decoder.ts';

const fields = [{ manager: 'm', operation: 'Apply', apiVersion: 'v1', fieldsV1: { 'f:data': { 'f:a': {} } } }];
const bytes = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);
const event = (object: object) => ({ type: 'ADDED', object });

/** The one event of a line, and what was handed over of its managed fields. */
function decoded(value: unknown): { readonly event: unknown; readonly kept: readonly string[] } {
  const kept: string[] = [];
  const decoder = new WatchDecoder((_metadata: ObjectMeta, text: string) => void kept.push(text));
  const [found] = decoder.push(bytes(value));
  return { event: found, kept };
}

describe('the watch decoder', () => {
  it('puts lines together from chunks of any size', () => {
    const lines = Buffer.concat([bytes(event({ metadata: { name: 'ä' } })), bytes(event({ metadata: { name: 'b' } }))]);
    for (let size = 1; size <= lines.length; size++) {
      const decoder = new WatchDecoder();
      const events = [];
      for (let at = 0; at < lines.length; at += size) events.push(...decoder.push(lines.subarray(at, at + size)));
      decoder.end();
      expect(events).toEqual([event({ metadata: { name: 'ä' } }), event({ metadata: { name: 'b' } })]);
    }
  });

  it('hands managed fields over as text, wherever they stand in the metadata', () => {
    for (const metadata of [
      { name: 'a', managedFields: fields },
      { managedFields: fields, name: 'a' },
    ]) {
      const { event: found, kept } = decoded(event({ kind: 'X', metadata, data: { a: '1' } }));
      expect(found).toEqual(event({ kind: 'X', metadata: { name: 'a' }, data: { a: '1' } }));
      expect(kept).toEqual([JSON.stringify(fields)]);
    }
  });

  it('leaves the managed fields of objects within an object alone', () => {
    for (const object of [
      { metadata: { name: 'a' }, spec: { template: { metadata: { managedFields: fields } } } },
      { data: { metadata: { managedFields: fields } }, metadata: { name: 'a', managedFields: fields } },
      { metadata: { name: 'a', annotations: { last: JSON.stringify({ managedFields: fields }) } } },
    ]) {
      const { event: found, kept } = decoded(event(object));
      expect(found).toEqual(event(object));
      expect(kept).toEqual([]);
    }
  });

  it('is not led astray by any name in managed fields', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('}]', '"}]', '}],"name":"', '\\}]', '}]},"', '}],":{},"f', ']'));
    const odd = fc.dictionary(
      fc.tuple(fc.constantFrom('f:', 'k:', 'v:'), name).map((parts) => parts.join('')),
      fc.constant({}),
    );
    fc.assert(
      fc.property(odd, fc.boolean(), (fieldsV1, last) => {
        const managedFields = [{ manager: 'm', operation: 'Apply', fieldsV1 }];
        const metadata = last ? { name: 'a', managedFields } : { managedFields, name: 'a' };
        const { event: found, kept } = decoded(event({ metadata, data: { a: '1' } }));
        const [text] = kept;
        const said = (found as { object: { metadata: { managedFields?: unknown } } }).object;
        // Either as text, or left where they were.
        expect(text === undefined ? said.metadata.managedFields : JSON.parse(text)).toEqual(managedFields);
        expect({ ...said, metadata: { name: 'a' } }).toEqual({ metadata: { name: 'a' }, data: { a: '1' } });
      }),
      { numRuns: 2_000 },
    );
  });
});

it('loses nothing after managed fields that are an empty list', () => {
  const ownerReferences = [{ uid: 'u' }];
  const event = { type: 'ADDED', object: { metadata: { managedFields: [], name: 'a', ownerReferences } } };
  const decoder = new WatchDecoder(() => {});
  expect(decoder.push(Buffer.from(`${JSON.stringify(event)}\n`))).toMatchObject([
    { object: { metadata: { name: 'a', ownerReferences } } },
  ]);
});

const entries = fc.constantFrom<unknown>(
  null,
  0,
  'x',
  [],
  {},
  [[]],
  ...fields,
  { a: [1] },
  '}]',
  '<managed fields>',
  '[{',
);
const odd = fc.oneof(
  fc.array(entries, { maxLength: 4 }),
  fc.constantFrom<unknown>(0, -0, 1, null, '', '<managed fields>', {}),
);

it('changes nothing in an object whose managed fields are of an odd shape, or that has more of them within', () => {
  fc.assert(
    fc.property(odd, fc.option(odd, { nil: undefined }), fc.boolean(), (own, inner, first) => {
      const rest = { ownerReferences: [{ uid: 'u' }], finalizers: ['f'] };
      const metadata = first ? { managedFields: own, ...rest } : { ...rest, managedFields: own };
      const object = { metadata, spec: { template: { metadata: { managedFields: inner } } }, last: [{ a: 1 }] };
      const { event: found, kept } = decoded(event(object));
      const [text] = kept;
      const said = JSON.parse(JSON.stringify(found)) as { object: { metadata: { managedFields?: unknown } } };
      if (text !== undefined) said.object.metadata.managedFields = JSON.parse(text);
      expect(said).toEqual(JSON.parse(JSON.stringify(event(object))));
    }),
    { numRuns: 2_000 },
  );
});
