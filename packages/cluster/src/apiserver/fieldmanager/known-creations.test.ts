import type { MutableJson } from '@coxswain/k8s';
import type { SchemaNode } from '@coxswain/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { trackUpdate } from './track-update.ts';

const schema: SchemaNode = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        ready: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', properties: { name: { type: 'string' }, weight: { type: 'integer' } } },
        },
        settings: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
  },
};

const part = fc.record({ name: fc.constantFrom('x', 'y'), weight: fc.nat(2) }, { requiredKeys: ['name'] });
const spec = fc.record(
  {
    size: fc.constantFrom<unknown>(0, 1, 2, null, 'text'),
    ready: fc.boolean(),
    tags: fc.uniqueArray(fc.constantFrom('a', 'b')),
    parts: fc.uniqueArray(part, { selector: ({ name }) => name }),
    settings: fc.dictionary(fc.constantFrom('k', 'l'), fc.constantFrom('', '1', '2')),
  },
  { requiredKeys: [] },
);
const creation = fc.record({
  spec,
  labels: fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom('', 'a')),
  manager: fc.constantFrom('one', 'two'),
  subresource: fc.constantFrom('', 'status'),
  time: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'),
});

test('whatever was created before, a creation claims what it would claim as the first', () => {
  fc.assert(
    fc.property(fc.array(creation, { minLength: 2, maxLength: 12 }), (creations) => {
      const known = { ...schema };
      for (const [i, { spec, labels, ...how }] of creations.entries()) {
        const claimed = (of: SchemaNode): unknown => {
          const metadata: MutableJson = { name: `o-${i}`, labels: { ...labels } };
          const next = { apiVersion: 'example.com/v1', kind: 'Part', metadata, spec: structuredClone(spec) };
          trackUpdate(of, { live: undefined, next, apiVersion: 'example.com/v1', ...how });
          return metadata.managedFields;
        };
        expect(claimed(known)).toEqual(claimed({ ...schema }));
      }
    }),
  );
});
