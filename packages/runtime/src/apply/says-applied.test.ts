import { readFileSync } from 'node:fs';
import type { KubeObject } from '@coxswain/k8s';
import { describe, expect, it } from 'vitest';
import { AppliedFieldsKeeper, appliedFields } from '../cache/applied-fields.ts';
import { ingester } from '../cache/ingest.ts';
import { cloneJson } from '../core/index.ts';
import { saysApplied } from './says-applied.ts';

interface Case {
  readonly desired: KubeObject;
  readonly answer: KubeObject;
}
type Fields = Record<string, unknown>;

/** What was applied to kube-apiserver 1.37.2 as field manager `test`, and what it answered. */
const cases = JSON.parse(readFileSync(new URL('fixtures/applied.json', import.meta.url), 'utf8')) as readonly Case[];
const named = cases.map((value) => [`${value.desired.kind} ${value.desired.metadata.name}`, value] as const);
/** Those that say something. */
const said = named.filter(([name]) => name !== 'ConfigMap empties');

function stored(object: KubeObject): KubeObject {
  const keeper = new AppliedFieldsKeeper(new Set(['test']));
  const kind = { group: '', version: 'v1', kind: '', plural: '', scope: 'Namespaced' } as const;
  return ingester(kind, { metadataOnly: false, keeper })(object);
}

function says({ desired, answer }: Case): boolean {
  const live = stored(answer);
  const held = appliedFields(live, 'test');
  return held !== undefined && saysApplied(live, desired, held);
}

/** What stands at a path of an object, as a map. */
const fieldsAt = (object: object, ...path: readonly (string | number)[]) =>
  path.reduce<unknown>((value, name) => (value as Fields)[name], object) as Fields;
const listAt = (object: object, ...path: readonly string[]) => fieldsAt(object, ...path) as unknown as unknown[];

/** The case of the Deployment with something changed in the object, as seen (`answer`) or as wanted (`desired`). */
function changed(side: keyof Case, change: (object: object) => void): Case {
  const found = cases.find(({ desired }) => desired.kind === 'Deployment');
  if (!found) throw new Error('no Deployment was recorded');
  const copy = cloneJson(found[side]);
  change(copy);
  return { ...found, [side]: copy };
}

/** All ways to leave out one field of an object. */
function* without(value: unknown, make: (smaller: unknown) => unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const put = (smaller: unknown): unknown =>
      make(Array.isArray(value) ? value.with(Number(key), smaller) : { ...value, [key]: smaller });
    if (!Array.isArray(value)) yield put(undefined);
    yield* without(item, put);
  }
}

describe('saysApplied', () => {
  it.each(named)('%s: what was just applied is said', (_name, value) => {
    expect(says(value)).toBe(true);
  });

  it.each(said)('%s: any field that is not wanted any more is found', (_name, { desired, answer }) => {
    const { metadata, apiVersion, kind, ...rest } = desired as KubeObject & Fields;
    const { name, namespace, ...meta } = metadata;
    const missed: string[] = [];
    let tried = 0;
    for (const smaller of without({ ...rest, metadata: meta }, (all) => all)) {
      const { metadata: left = {}, ...body } = JSON.parse(JSON.stringify(smaller)) as { readonly metadata?: object };
      const next: KubeObject & Fields = { ...body, apiVersion, kind, metadata: { ...left, name, namespace } };
      if (says({ desired: next, answer })) missed.push(JSON.stringify(next));
      tried++;
    }
    expect(missed).toEqual([]);
    expect(tried).toBeGreaterThan(4);
  });

  const containers = ['spec', 'template', 'spec', 'containers'] as const;

  it.each([
    ['a value changed by others', changed('answer', (d) => Object.assign(fieldsAt(d, 'spec'), { replicas: 3 }))],
    ['another value wanted', changed('desired', (d) => Object.assign(fieldsAt(d, 'spec'), { replicas: 3 }))],
    ['a container more', changed('desired', (d) => void listAt(d, ...containers).push({ name: 'new' }))],
    ['a container less', changed('desired', (d) => void listAt(d, ...containers).pop())],
    ['another order of containers', changed('desired', (d) => void listAt(d, ...containers).reverse())],
    ['an argument of others', changed('answer', (d) => (fieldsAt(d, ...containers, 0).args = ['-a', '-b', '-c']))],
    ['more in an atomic map', changed('answer', (d) => (fieldsAt(d, 'spec', 'selector', 'matchLabels').more = 'x'))],
    ['another owner', changed('desired', (d) => (fieldsAt(d, 'metadata', 'ownerReferences', 0).uid = 'x'))],
    ['another version', changed('desired', (d) => Object.assign(d, { apiVersion: 'apps/v1beta1' }))],
    ['another object', changed('desired', (d) => (fieldsAt(d, 'metadata').uid = 'x'))],
  ])('%s is a difference', (_what, value) => {
    expect(says(value)).toBe(false);
  });

  it.each([
    ['a label of others', changed('answer', (d) => (fieldsAt(d, 'metadata', 'labels').theirs = 'x'))],
    ['a finalizer of others', changed('answer', (d) => void listAt(d, 'metadata', 'finalizers').unshift('theirs/x'))],
    [
      'an owner of others',
      changed('answer', (d) => void listAt(d, 'metadata', 'ownerReferences').unshift({ uid: 'x' })),
    ],
    ['a container of others', changed('answer', (d) => void listAt(d, ...containers).splice(1, 0, { name: 'x' }))],
    [
      'a quantity in another notation',
      changed('desired', (d) => (fieldsAt(d, ...containers, 0, 'resources', 'limits').cpu = '1000m')),
    ],
    ['a status', changed('answer', (d) => Object.assign(d, { status: { replicas: 2 } }))],
  ])('%s is no difference', (_what, value) => {
    expect(says(value)).toBe(true);
  });
});

describe('saysApplied, where leaving out is not the same as saying nothing', () => {
  const metadata = { name: 'a', namespace: 'default' };
  const of = (apiVersion: string, rest: object) => ({ apiVersion, kind: 'X', metadata, ...rest }) as KubeObject;
  const spec = (field: string) => ({ 'f:spec': { [`f:${field}`]: {} } });

  it.each([
    ['an empty value in an atomic map', 'apps/v1', 'nodeSelector', { x: 'y' }, { x: 'y', control: '' }],
    ['a zero in an atomic list', 'apps/v1', 'tolerations', [{ key: 'a' }], [{ key: 'a', tolerationSeconds: 0 }]],
    [
      'an empty object in an atomic list',
      'apps/v1',
      'from',
      [{ podSelector: {} }],
      [{ podSelector: {}, nsSelector: {} }],
    ],
    ['a default that only the types of the server have', 'x.dev/v1', 'ports', [{ protocol: 'TCP' }], [{}]],
    ["a quantity of a type that is not the server's", 'x.dev/v1', 'limits', { cpu: '1' }, { cpu: '1000m' }],
  ])('%s is a difference', (_what, apiVersion, field, live, wanted) => {
    const held = { apiVersion, fields: spec(field) };
    expect(
      saysApplied(of(apiVersion, { spec: { [field]: live } }), of(apiVersion, { spec: { [field]: live } }), held),
    ).toBe(true);
    expect(
      saysApplied(of(apiVersion, { spec: { [field]: live } }), of(apiVersion, { spec: { [field]: wanted } }), held),
    ).toBe(false);
  });

  it.each(['sizeLimit', 'divisor'])('a text under a name that people chose, %s, is no quantity', (name) => {
    const held = { apiVersion: 'v1', fields: { 'f:data': { [`f:${name}`]: {} } } };
    expect(saysApplied(of('v1', { data: { [name]: '1Gi' } }), of('v1', { data: { [name]: '1024Mi' } }), held)).toBe(
      false,
    );
  });

  it.each([
    ['has elements of others', 'apps/v1', ['theirs'], false],
    ['is left out by the server', 'apps/v1', undefined, true],
    ['is not there, in a type that keeps it', 'x.dev/v1', undefined, false],
    ['is there', 'x.dev/v1', [], true],
  ])('an empty list that nobody holds and that %s', (_what, apiVersion, list, answer) => {
    const held = { apiVersion, fields: spec('x') };
    const live = of(apiVersion, { spec: { x: 1, ...(list ? { list } : {}) } });
    expect(saysApplied(live, of(apiVersion, { spec: { x: 1, list: [] } }), held)).toBe(answer);
  });
});
