// A program for memory.test.ts: what a store of each form costs, in a process of its own whose garbage can be collected.
// Prints one line of JSON.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { DynamicObject, Kind } from '@coxswain/k8s';
import { AppliedFieldsKeeper } from './applied-fields.ts';
import { type IngestOptions, ingester } from './ingest.ts';
import { ObjectStore } from './object-store.ts';

const kind: Kind<DynamicObject> = { group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' };
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heap(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** The JSON text of an object as the server sends it, about `size` bytes without its managedFields, applied by `ours`. */
function textOf(i: number, size: number): string {
  const uid = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
  const settings = Array.from({ length: Math.round((size - 620) / 110) }, (_, n) => ({
    name: `setting-${n}`,
    value: `value ${n} of object ${i}`,
    enabled: n % 2 === 0,
    limits: { cpu: `${n + 1}`, memory: `${n + 1}Gi` },
  }));
  const fieldsV1 = {
    'f:metadata': { 'f:labels': { 'f:app': {}, 'f:tier': {} }, 'f:ownerReferences': { [`k:{"uid":"${uid}"}`]: {} } },
    'f:spec': {
      'f:replicas': {},
      'f:settings': Object.fromEntries(
        settings.map(({ name }) => [`k:{"name":"${name}"}`, { '.': {}, 'f:name': {}, 'f:value': {}, 'f:enabled': {} }]),
      ),
    },
  };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: {
      name: `thing-${i}`,
      namespace: 'default',
      uid,
      resourceVersion: String(1_000_000 + i),
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: 'web', tier: `t${i % 10}` },
      annotations: { 'test.dev/hash': uid },
      ownerReferences: [{ apiVersion: 'test.dev/v1', kind: 'Owner', name: `owner-${i}`, uid, controller: true }],
      managedFields: [
        { manager: 'ours', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 },
        { manager: 'other', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 },
      ],
    },
    spec: { replicas: 3, settings },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', reason: 'Up', message: `object ${i}` }] },
  });
}

function store(options: IngestOptions<DynamicObject>): ObjectStore<DynamicObject> {
  return new ObjectStore<DynamicObject>({ ingest: ingester(kind, options), includes: undefined, emit() {} });
}

/** Heap an object takes in a store, as a multiple of its JSON text without managedFields. */
function ratio(size: number, options: IngestOptions<DynamicObject>): number {
  const count = 1_000;
  const { managedFields: _, ...metadata } = (JSON.parse(textOf(1, size)) as DynamicObject).metadata;
  const text = JSON.stringify({ ...JSON.parse(textOf(1, size)), metadata }).length;
  const filled = store(options);
  const before = heap();
  for (let i = 0; i < count; i++) filled.changed(JSON.parse(textOf(i, size)) as DynamicObject);
  const bytes = (heap() - before) / count;
  return filled.size === count ? bytes / text : Number.NaN;
}

/** Heap left behind by objects that came and went, in bytes an object. */
function left(count: number): number {
  const busy = store({});
  busy.addIndex('name', ({ metadata }) => [metadata.name]);
  // builds the index
  busy.by('label', '');
  const churn = (from: number, to: number) => {
    for (let i = from; i < to; i++) {
      const metadata = { name: `thing-${i}`, namespace: `n${i % 100}`, uid: `u${i}`, labels: { i: String(i) } };
      busy.changed({ metadata: { ...metadata, resourceVersion: String(2 * i + 1) } });
      busy.removed({ metadata: { ...metadata, resourceVersion: String(2 * i + 2) } });
    }
  };
  churn(0, 10_000);
  const before = heap();
  churn(10_000, 10_000 + count);
  const after = heap();
  return busy.size === 0 ? (after - before) / count : Number.NaN;
}

/** Heap when everything has come again and the second list is not over yet, as a multiple of the heap that the first one took. */
function relisted(size: number): number {
  const count = 1_000;
  const filled = store({});
  const list = (from: number, to: number) => {
    for (let i = from; i < to; i++) filled.listed(JSON.parse(textOf(i, size)) as DynamicObject);
  };
  const before = heap();
  filled.beginListing();
  list(0, count);
  filled.endListing('1000');
  const first = heap() - before;
  filled.beginListing();
  list(0, count);
  const again = heap() - before;
  return filled.size === count ? again / first : Number.NaN;
}

const withoutSettings = ({ spec: _, ...rest }: DynamicObject): DynamicObject => rest as DynamicObject;
const keeper = () => new AppliedFieldsKeeper(new Set(['ours']));
const forms = (size: number) => ({
  full: ratio(size, {}),
  applied: ratio(size, { keeper: keeper() }),
  metadataOnly: ratio(size, { metadataOnly: true }),
  transformed: ratio(size, { transform: withoutSettings }),
});

process.stdout.write(
  `${JSON.stringify({ small: forms(1_024), large: forms(5_120), left: left(200_000), relisted: relisted(5_120) })}\n`,
);
