import { readFileSync } from 'node:fs';
import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { expect, expectTypeOf, it } from 'vitest';

const Store = s.object({
  replicas: s.int32().min(0).default(1),
  size: s.quantity().optional(),
});

export const Database = defineResource({
  group: 'demo.dev',
  version: 'v1',
  kind: 'Database',
  plural: 'databases',
  scope: 'Namespaced',
  spec: s.object({
    ...Store.props,
    engine: s.enum('MySQL', 'Postgres').immutable(),
    users: s.list(s.object({ name: s.string().maxLength(32) }), { type: 'map', keys: ['name'] }).optional(),
  }),
  status: s.object({ conditions: s.conditions().optional() }),
  subresources: { status: true },
});
export type Database = ResourceType<typeof Database>;

const database = { apiVersion: 'demo.dev/v1', kind: 'Database', metadata: { name: 'a' }, spec: { engine: 'Oracle' } };
Database.default(database);
const errors = Database.validate(database);

it('does what the README says, with the code of the README', () => {
  const here = readFileSync(new URL(import.meta.url), 'utf8');
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const code = here.slice(here.indexOf('const Store ='), here.indexOf('\nit('));
  expect(readme).toContain(code.trim());
  expect(database.spec).toEqual({ engine: 'Oracle', replicas: 1 });
  expect(errors).toEqual([
    {
      field: 'spec.engine',
      reason: 'FieldValueNotSupported',
      message: 'Unsupported value: "Oracle": supported values: "MySQL", "Postgres"',
    },
  ]);
  expectTypeOf<Database['spec']['replicas']>().toEqualTypeOf<number>();
});
