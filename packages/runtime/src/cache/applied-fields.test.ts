import type { KubeObject, ManagedFieldsEntry } from '@coxswain/k8s';
import { describe, expect, it } from 'vitest';
import { cloneJson, deepEqual, deepFreeze } from '../core/index.ts';
import { AppliedFieldsKeeper, appliedFields } from './applied-fields.ts';
import { ingester } from './ingest.ts';

const kind = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced' } as const;
const entry = (manager: string, fieldsV1: ManagedFieldsEntry['fieldsV1'] = {}): ManagedFieldsEntry => ({
  manager,
  operation: 'Apply',
  apiVersion: 'v1',
  fieldsV1: fieldsV1 ?? {},
});
const ingest = (managers: readonly string[], metadataOnly = false) =>
  ingester(kind, { metadataOnly, keeper: new AppliedFieldsKeeper(new Set(managers)) });
const object = (uid: string, ...managedFields: readonly ManagedFieldsEntry[]): KubeObject =>
  deepFreeze({
    metadata: { name: uid, ownerReferences: [{ apiVersion: 'v1', kind: 'Owner', name: 'o', uid }], managedFields },
  });
const owned = (uid: string) => ({ 'f:metadata': { 'f:ownerReferences': { [`k:{"uid":"${uid}"}`]: {} } } });

describe('the fields applied by our managers', () => {
  it('are kept as the server said them, of ours alone', () => {
    const kept = ingest(['ours', 'also'])(object('u1', entry('theirs'), entry('ours', owned('u1')), entry('also')));
    expect(kept.metadata.managedFields).toBeUndefined();
    expect(appliedFields(kept, 'ours')).toEqual({ apiVersion: 'v1', fields: owned('u1') });
    expect(appliedFields(kept, 'also')).toEqual({ apiVersion: 'v1', fields: {} });
    expect(appliedFields(kept, 'theirs')).toBeUndefined();
  });

  it('are those of apply to the object itself, not of updates or of its status', () => {
    const kept = ingest(['ours'])(
      object('u1', { ...entry('ours'), operation: 'Update' }, { ...entry('ours'), subresource: 'status' }),
    );
    expect(appliedFields(kept, 'ours')).toBeUndefined();
  });

  it('go into no JSON, no copy, no comparison and no spread', () => {
    const kept = ingest(['ours'])(object('u1', entry('ours', owned('u1'))));
    const plain = ingest([])(object('u1', entry('ours', owned('u1'))));
    expect(JSON.stringify(kept)).toBe(JSON.stringify(plain));
    expect(deepEqual(kept, plain)).toBe(true);
    expect(kept).toEqual(plain);
    expect(appliedFields(cloneJson(kept), 'ours')).toBeUndefined();
    expect(appliedFields({ metadata: { ...kept.metadata } }, 'ours')).toBeUndefined();
  });

  it('are one value for all objects of which the same is said, whoever owns them', () => {
    const take = ingest(['ours']);
    const values = ['u1', 'u2'].map((uid) => {
      const { metadata } = take(object(uid, entry('ours', owned(uid))));
      const [symbol] = Object.getOwnPropertySymbols(metadata);
      return symbol && (metadata as unknown as Readonly<Record<symbol, unknown>>)[symbol];
    });
    expect(values[0]).toBeDefined();
    expect(values[1]).toBe(values[0]);
  });

  it('are kept of a manager that comes later, of the same text too', () => {
    const keeper = new AppliedFieldsKeeper(['ours']);
    const take = ingester(kind, { keeper });
    expect(appliedFields(take(object('u1', entry('also'))), 'also')).toBeUndefined();
    keeper.add('also');
    expect(appliedFields(take(object('u1', entry('also'))), 'also')).toEqual({ apiVersion: 'v1', fields: {} });
  });

  it('are not kept where the values are not', () => {
    expect(appliedFields(ingest(['ours'], true)(object('u1', entry('ours'))), 'ours')).toBeUndefined();
  });

  it.each([0, 1, null, '', '[{}]', {}, { operation: 'Apply' }, [], [null], [3], ['x'], [[]], false])(
    'are none where the managed fields are %j, which no store keeps',
    (managedFields) => {
      const odd = deepFreeze({ metadata: { name: 'a', managedFields } }) as unknown as KubeObject;
      const kept = ingest(['ours'])(odd);
      expect(kept.metadata).toEqual({ name: 'a' });
      expect(appliedFields(kept, 'ours')).toBeUndefined();
    },
  );

  it('are those of the entries that are some, whatever stands beside them', () => {
    const whole = entry('ours', { 'f:data': {} });
    const odd = [null, 7, [], { ...whole, manager: 3 }, { ...whole, fieldsV1: 'f' }, { ...whole, apiVersion: 1 }];
    const kept = ingest(['ours'])(
      object('u1', ...(odd as ManagedFieldsEntry[]), whole, ...(odd as ManagedFieldsEntry[])),
    );
    expect(appliedFields(kept, 'ours')).toEqual({ apiVersion: 'v1', fields: { 'f:data': {} } });
  });

  it('are found beside owner references that are null', () => {
    const metadata = { name: 'a', ownerReferences: null, managedFields: [entry('ours')] };
    const kept = ingest(['ours'])({ metadata } as unknown as KubeObject);
    expect(appliedFields(kept, 'ours')).toEqual({ apiVersion: 'v1', fields: {} });
  });
});
