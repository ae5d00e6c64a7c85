import { expect, it } from 'vitest';
import { defineResource, referenceDocs, s } from '../index.ts';

const names = { group: 'demo.dev', version: 'v1', scope: 'Namespaced' } as const;
const Box = defineResource({
  ...names,
  kind: 'Box',
  plural: 'boxes',
  description: 'A box.',
  spec: s.object({
    size: s.int32().exclusiveMin(0).max(9).default(3).describe('How many,\n  in all | some.'),
    mode: s.enum('A', 'B').optional(),
    ports: s.list(s.object({ name: s.string().pattern('^a|b$') }).rule('self.name != ""', 'has a name')).maxItems(4),
    extra: s.map(s.quantity()).optional(),
  }),
});
const Ant = defineResource({ ...names, kind: 'Ant', plural: 'ants', spec: s.object({ at: s.dateTime().nullable() }) });

it('lists every field of every resource, in alphabetical order', () => {
  expect(referenceDocs([Box, Ant])).toBe(`## Ant (demo.dev/v1)

| Field | Type | Default | Constraints | Description |
| --- | --- | --- | --- | --- |
| \`spec\` | object |  | required |  |
| \`spec.at\` | string (date-time) |  | required; may be null |  |

## Box (demo.dev/v1)

A box.

| Field | Type | Default | Constraints | Description |
| --- | --- | --- | --- | --- |
| \`spec\` | object |  | required |  |
| \`spec.extra\` | map of quantity |  |  |  |
| \`spec.mode\` | string |  | one of "A", "B" |  |
| \`spec.ports\` | list of object |  | required; items ≤ 4; each: has a name |  |
| \`spec.ports[].name\` | string |  | required; pattern ^a\\|b$ |  |
| \`spec.size\` | integer (int32) | \`3\` | > 0; ≤ 9 | How many, in all \\| some. |
`);
  expect(referenceDocs([Ant, Box])).toBe(referenceDocs([Box, Ant]));
});
