import type { DynamicObject } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { builtinResources, createRegistry } from '../builtin/index.ts';
import type { ResourceInfo } from '../types.ts';
import { compileJsonPath, humanDuration, toTable } from './index.ts';

const registry = createRegistry(builtinResources());
const now = Date.parse('2026-01-01T01:00:00Z');
const created = '2026-01-01T00:55:00Z';

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: unknown }[];
}

function table(group: string, version: string, plural: string, object: object, includeObject?: string): Table {
  const resource = registry.find(group, version, plural) as ResourceInfo;
  const { metadata = {} } = object as { metadata?: object };
  const whole = { ...object, metadata: Object.assign({ name: 'x', creationTimestamp: created }, metadata) };
  const options = { metadata: {}, now, ...(includeObject ? { includeObject } : {}) };
  return toTable(resource, [whole as DynamicObject], options) as Table;
}

function row(group: string, version: string, plural: string, object: object): Record<string, unknown> {
  const { columnDefinitions, rows } = table(group, version, plural, object);
  return Object.fromEntries(columnDefinitions.map((definition, i) => [definition.name, rows[0]?.cells[i]]));
}

const pod = (status: object, spec: object = { containers: [{ name: 'a' }] }, metadata: object = {}) =>
  row('', 'v1', 'pods', { spec, status, metadata });

test('a running pod', () => {
  const status = {
    phase: 'Running',
    podIPs: [{ ip: '10.0.0.1' }],
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ ready: true, restartCount: 0, state: { running: {} } }],
  };
  const cells = pod(status);
  expect(cells).toMatchObject({ Name: 'x', Ready: '1/1', Status: 'Running', Restarts: '0', Age: '5m' });
  expect(cells).toMatchObject({
    IP: '10.0.0.1',
    Node: '<none>',
    'Nominated Node': '<none>',
    'Readiness Gates': '<none>',
  });
});

test('pod reasons: waiting, terminated, init, deleted', () => {
  const crash = {
    restartCount: 3,
    state: { waiting: { reason: 'CrashLoopBackOff' } },
    lastState: { terminated: { finishedAt: '2026-01-01T00:59:30Z' } },
  };
  expect(pod({ phase: 'Running', containerStatuses: [crash] })).toMatchObject({
    Ready: '0/1',
    Status: 'CrashLoopBackOff',
    Restarts: '3 (30s ago)',
  });
  const done = { state: { terminated: { reason: 'Completed', exitCode: 0 } } };
  expect(pod({ phase: 'Succeeded', containerStatuses: [done] }).Status).toBe('Completed');
  const killed = { state: { terminated: { signal: 9, exitCode: 137 } } };
  expect(pod({ phase: 'Failed', containerStatuses: [killed] }).Status).toBe('Signal:9');
  const spec = { containers: [{ name: 'a' }], initContainers: [{ name: 'i' }, { name: 'j' }] };
  const waiting = { name: 'i', state: { running: {} } };
  expect(pod({ phase: 'Pending', initContainerStatuses: [waiting] }, spec).Status).toBe('Init:0/2');
  expect(pod({ phase: 'Running' }, undefined, { deletionTimestamp: created }).Status).toBe('Terminating');
  expect(pod({ phase: 'Failed', reason: 'Evicted' }).Status).toBe('Evicted');
});

test('a sidecar counts among the containers', () => {
  const spec = { containers: [{ name: 'a' }], initContainers: [{ name: 's', restartPolicy: 'Always' }] };
  const status = {
    phase: 'Running',
    initContainerStatuses: [{ name: 's', started: true, ready: true, restartCount: 1, state: { running: {} } }],
    containerStatuses: [{ name: 'a', ready: true, restartCount: 0, state: { running: {} } }],
  };
  expect(pod(status, spec)).toMatchObject({ Ready: '2/2', Status: 'Running', Restarts: '1' });
});

test('workloads, services and volumes', () => {
  const spec = {
    replicas: 3,
    selector: { matchLabels: { app: 'a' } },
    template: { spec: { containers: [{ name: 'c', image: 'i' }] } },
  };
  expect(row('apps', 'v1', 'deployments', { spec, status: { readyReplicas: 2, updatedReplicas: 3 } })).toMatchObject({
    Ready: '2/3',
    'Up-to-date': 3,
    Available: 0,
    Containers: 'c',
    Images: 'i',
    Selector: 'app=a',
  });
  const service = {
    type: 'NodePort',
    clusterIPs: ['10.96.1.1'],
    ports: [{ port: 80, nodePort: 30001, protocol: 'TCP' }],
  };
  expect(row('', 'v1', 'services', { spec: service })).toMatchObject({
    Type: 'NodePort',
    'Cluster-IP': '10.96.1.1',
    'External-IP': '<none>',
    'Port(s)': '80:30001/TCP',
    Selector: '<none>',
  });
  const claim = { volumeName: 'pv', volumeMode: 'Filesystem', storageClassName: 'standard' };
  const claimStatus = { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
  expect(row('', 'v1', 'persistentvolumeclaims', { spec: claim, status: claimStatus })).toMatchObject({
    Status: 'Bound',
    Capacity: '1Gi',
    'Access Modes': 'RWO',
    VolumeAttributesClass: '<unset>',
  });
});

test('kinds without columns show when they were made; events show what they are about', () => {
  expect(row('', 'v1', 'limitranges', {})).toEqual({ Name: 'x', 'Created At': created });
  const event = {
    involvedObject: { kind: 'Pod', name: 'p' },
    message: 'hi ',
    type: 'Normal',
    lastTimestamp: created,
    firstTimestamp: null,
    eventTime: null,
  };
  expect(row('', 'v1', 'events', event)).toMatchObject({
    'Last Seen': '5m',
    Object: 'pod/p',
    Message: 'hi',
    Count: 1,
    'First Seen': '<unknown>',
  });
});

test('includeObject decides what a row carries', () => {
  const object = { data: { a: 'b' } };
  expect(table('', 'v1', 'configmaps', object, 'None').rows[0]?.object).toBeNull();
  expect(table('', 'v1', 'configmaps', object, 'Object').rows[0]?.object).toMatchObject(object);
  expect(table('', 'v1', 'configmaps', object).rows[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata' });
});

test('durations use two units at most', () => {
  const second = 1000;
  const cases: readonly (readonly [number, string])[] = [
    [-2, '<invalid>'],
    [-0.5, '0s'],
    [119, '119s'],
    [120, '2m'],
    [330, '5m30s'],
    [600, '10m'],
    [3 * 3600, '3h'],
    [3 * 3600 + 1200, '3h20m'],
    [8 * 3600, '8h'],
    [49 * 3600, '2d1h'],
    [48 * 3600, '2d'],
    [200 * 3600, '8d'],
    [800 * 86400, '2y70d'],
    [4000 * 86400, '10y'],
  ];
  for (const [seconds, text] of cases) expect(humanDuration(seconds * second)).toBe(text);
});

test('JSON paths read fields, indexes, wildcards and filters', () => {
  const object = {
    spec: { list: [{ n: 1 }, { n: 2 }], 'a.b': 'dotted' },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Synced', status: 'False' },
      ],
    },
  };
  const read = (path: string) => compileJsonPath(path)(object);
  expect(read('.spec.list[0].n')).toEqual([1]);
  expect(read('.spec.list[-1].n')).toEqual([2]);
  expect(read('.spec.list[*].n')).toEqual([1, 2]);
  expect(read("{.spec['a.b']}")).toEqual(['dotted']);
  expect(read('.spec.a\\.b')).toEqual(['dotted']);
  expect(read('.status.conditions[?(@.type=="Ready")].status')).toEqual(['True']);
  expect(read(".status.conditions[?(@.type == 'Synced')].status")).toEqual(['False']);
  expect(read('.spec.list[?(@.n > 1)].n')).toEqual([2]);
  expect(read('.spec.nothing.here')).toEqual([]);
  expect(() => compileJsonPath('.spec[')).toThrow(/cannot read on/);
});
