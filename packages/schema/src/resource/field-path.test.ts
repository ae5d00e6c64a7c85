import { describe, expect, it } from 'vitest';
import { defineResource, s } from '../index.ts';
import { pathText } from './field-path.ts';

const names = { group: 'demo.dev', version: 'v1', kind: 'Site', plural: 'sites', scope: 'Namespaced' } as const;
const parts = {
  spec: s.object({ replicas: s.int32().default(1), hosts: s.list(s.object({ name: s.string() })).optional() }),
  status: s.object({
    replicas: s.int32(),
    ready: s.boolean().optional(),
    load: s.number(),
    seen: s.dateTime().optional(),
    limit: s.quantity(),
    open: s.anyObject().optional(),
  }),
};

describe('paths of a definition', () => {
  it('are said by accessors, and columns take their types from the schema', () => {
    const Site = defineResource({
      ...names,
      ...parts,
      printColumns: [
        { name: 'Replicas', jsonPath: (object) => object.spec.replicas },
        { name: 'Ready', jsonPath: (object) => object.status.ready },
        { name: 'Load', jsonPath: '.status.load' },
        { name: 'Seen', jsonPath: (object) => object.status.seen },
        { name: 'Limit', jsonPath: (object) => object.status.limit },
        { name: 'Host', type: 'string', jsonPath: (object) => object.spec.hosts[0]?.name },
        { name: 'Age', jsonPath: '.metadata.creationTimestamp' },
      ],
      subresources: {
        status: true,
        scale: {
          specReplicasPath: (object) => object.spec.replicas,
          statusReplicasPath: (object) => object.status.replicas,
        },
      },
      selectableFields: [(object) => object.status.ready, '.spec.replicas'],
    });
    const [version] = Site.crd().spec.versions;
    expect(version?.additionalPrinterColumns?.map(({ type, jsonPath }) => `${type} ${jsonPath}`)).toEqual([
      'integer .spec.replicas',
      'boolean .status.ready',
      'number .status.load',
      'date .status.seen',
      'string .status.limit',
      'string .spec.hosts[0].name',
      'date .metadata.creationTimestamp',
    ]);
    expect(version?.subresources?.scale).toEqual({
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
    });
    expect(version?.selectableFields).toEqual([{ jsonPath: '.status.ready' }, { jsonPath: '.spec.replicas' }]);
  });

  it('that do not exist fail to compile, and are refused', () => {
    expect(() =>
      defineResource({
        ...names,
        ...parts,
        // @ts-expect-error no such field
        printColumns: [{ name: 'Replicas', jsonPath: (object) => object.spec.replica }],
      }),
    ).toThrow('defineResource Site: jsonPath of column Replicas is ".spec.replica", which is no field of the schema');
    expect(() => defineResource({ ...names, ...parts, selectableFields: ['.spec.host'] })).toThrow(
      'defineResource Site: selectableFields is ".spec.host"',
    );
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.size' };
    expect(() => defineResource({ ...names, ...parts, subresources: { scale } })).toThrow('statusReplicasPath');
    expect(defineResource({ ...names, ...parts, selectableFields: ['.spec.host'], uncheckedPaths: true }).kind).toBe(
      'Site',
    );
  });

  it('of columns whose type nobody tells are refused', () => {
    expect(() =>
      defineResource({ ...names, ...parts, printColumns: [{ name: 'Open', jsonPath: '.status.open.any' }] }),
    ).toThrow('the schema does not tell the type of .status.open.any; give the type of column Open');
  });

  it('are names, nothing computed', () => {
    expect(pathText<{ labels: Record<string, string> }>((object) => object.labels['app.kubernetes.io/name'])).toBe(
      '.labels.app\\.kubernetes\\.io/name',
    );
    expect(() => pathText<{ a: number }>((object) => object.a + 1)).toThrow('it does not compute with them');
    expect(() => pathText(() => 'text')).toThrow('an accessor names one field');
    expect(() => defineResource({ ...names, ...parts, selectableFields: [() => 1] })).toThrow(
      'defineResource Site: selectableFields: an accessor names one field',
    );
  });
});
