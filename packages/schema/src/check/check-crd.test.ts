import { describe, expect, it } from 'vitest';
import { defineResource, s } from '../index.ts';
import type { PrintColumn, SettledDefinition } from '../resource/types.ts';
import { checkCrd } from './check-crd.ts';

const names = { group: 'demo.dev', version: 'v1', kind: 'Site', plural: 'sites', scope: 'Namespaced' } as const;
const check = (rest: Partial<SettledDefinition>) => checkCrd(defineResource({ ...names, ...rest }).crd());

describe('checkCrd', () => {
  it('finds nothing in a sound definition', () => {
    const spec = s.object({ size: s.int32().min(1).default(1), hosts: s.list(s.string().maxLength(64)).maxItems(8) });
    const rules = [{ rule: 'self.spec.hosts.all(a, self.spec.hosts.exists_one(b, a == b))' }];
    const printColumns: PrintColumn[] = [
      { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ];
    expect(check({ spec, rules, printColumns })).toEqual([]);
  });

  it('names the bounds that are missing for a rule, and no others', () => {
    const hosts = s.list(s.string());
    const spec = s.object({ hosts, other: s.list(s.string()), limited: s.list(s.string()).maxItems(3) });
    const found = check({ spec, rules: [{ rule: 'self.spec.hosts.all(a, self.spec.hosts.exists_one(b, a == b))' }] });
    expect(found.length).toBeGreaterThan(0);
    for (const { severity, addBounds } of found) {
      expect(severity).toBe('error');
      expect(addBounds).toContain('spec.hosts: maxItems');
      expect(addBounds?.filter((bound) => !bound.startsWith('spec.hosts'))).toEqual([]);
    }
  });

  it('holds the list around a rule against it', () => {
    const item = s.object({ text: s.string().maxLength(1000) }).rule('self.text.matches("a+")');
    const [problem] = check({ spec: s.object({ items: s.list(item) }) });
    expect(problem).toMatchObject({ severity: 'error', addBounds: ['spec.items: maxItems'] });
  });

  it.each([
    ['a rule that does not compile', s.object({ a: s.int32() }).rule('self.b > 1'), /undefined field 'b'/],
    [
      'a default out of its bounds',
      s.object({}).with({ properties: { a: { type: 'integer', minimum: 3, default: 1 } } }),
      /greater than or equal to 3/,
    ],
    ['a default against a rule', s.object({ a: s.int32().rule('self > 1').default(1) }), /failed rule: self > 1/],
    ['a list without items', s.object({}).with({ properties: { a: { type: 'array' } } }), /Required value/],
  ])('finds %s', (_, spec, message) => {
    expect(check({ spec })).toContainEqual({
      severity: 'error',
      field: expect.anything(),
      message: expect.stringMatching(message),
    });
  });

  it('warns of paths that find nothing, and of types that show nothing', () => {
    const spec = s.object({ size: s.int32(), name: s.string(), open: s.anyObject() });
    const column = (jsonPath: string, type: PrintColumn['type'] = 'string') => ({ name: 'C', type, jsonPath });
    const found = check({
      spec,
      uncheckedPaths: true,
      printColumns: [
        column('.spec.sise'),
        column('.spec.name', 'integer'),
        column('.spec.open.any'),
        column('.spec.size'),
      ],
      subresources: { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
    });
    expect(found.map(({ severity, field }) => `${severity} ${field}`)).toEqual([
      'warning spec.versions[0].additionalPrinterColumns[0].jsonPath',
      'warning spec.versions[0].additionalPrinterColumns[1].type',
      'warning spec.versions[0].subresources.scale.statusReplicasPath',
    ]);
  });

  it('warns of defaults that no object can have', () => {
    const tags = s.set(s.string()).default(['a', 'a']);
    expect(check({ spec: s.object({ tags }) })).toEqual([
      {
        severity: 'warning',
        field: 'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[tags].default',
        message: 'Duplicate value: "a": objects that get it are refused',
      },
    ]);
  });
});
