import { readFileSync } from 'node:fs';
import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { ownedCrds } from '@coxswain/schema/csv';
import { expect, expectTypeOf, it } from 'vitest';

const Memcached = defineResource({
  group: 'cache.example.com',
  version: 'v1alpha1',
  kind: 'Memcached',
  plural: 'memcacheds',
  scope: 'Namespaced',
  csv: { resources: [{ kind: 'Deployment', version: 'v1' }] },
  spec: s.object({
    size: s
      .int32()
      .min(0)
      .ui({ displayName: 'Nodes', descriptors: ['podCount'] }),
  }),
});
const customresourcedefinitions = { owned: ownedCrds([Memcached]) };

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

export const Worker = defineResource({
  group: 'demo.dev',
  version: 'v1',
  kind: 'Worker',
  plural: 'workers',
  scope: 'Namespaced',
  spec: s.object({ replicas: s.int32().default(1) }),
  status: s.object({ replicas: s.int32(), phase: s.string().optional() }),
  printColumns: [
    { name: 'Phase', jsonPath: (object) => object.status.phase },
    { name: 'Age', jsonPath: '.metadata.creationTimestamp' },
  ],
  subresources: {
    status: true,
    scale: {
      specReplicasPath: (object) => object.spec.replicas,
      statusReplicasPath: (object) => object.status.replicas,
    },
  },
  selectableFields: [(object) => object.status.phase],
});

it('does what the README says, with the code of the README', () => {
  const here = readFileSync(new URL(import.meta.url), 'utf8');
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  for (const [begin, end] of [
    ['const Store =', 'export const Worker'],
    ['export const Worker', '\nit('],
  ] as const) {
    const code = here.slice(here.indexOf(begin), here.indexOf(end));
    expect(readme).toContain(code.trim());
  }
  expect(database.spec).toEqual({ engine: 'Oracle', replicas: 1 });
  expect(errors).toEqual([
    {
      field: 'spec.engine',
      reason: 'FieldValueNotSupported',
      message: 'Unsupported value: "Oracle": supported values: "MySQL", "Postgres"',
    },
  ]);
  expect(Worker.crd().spec.versions[0]?.additionalPrinterColumns?.map(({ type }) => type)).toEqual(['string', 'date']);
  expectTypeOf<Database['spec']['replicas']>().toEqualTypeOf<number>();
});

it('tells consoles what a field is called', () => {
  expect(customresourcedefinitions.owned[0]?.specDescriptors).toEqual([
    { path: 'size', displayName: 'Nodes', 'x-descriptors': ['urn:alm:descriptor:com.tectonic.ui:podCount'] },
  ]);
});
