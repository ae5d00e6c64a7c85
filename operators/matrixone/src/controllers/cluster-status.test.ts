import type { ActorContext } from '@coxswain/runtime/actor';
import { expect, test } from 'vitest';
import type { CNSet, DNSet, LogSet, MatrixOneCluster, ProxySet } from '../api/index.ts';
import { cnGroupsOf } from '../children/index.ts';
import { reportCluster } from './cluster-status.ts';

const generation = 2;
const said = (type: string, status: string, message = '') => ({
  type,
  status,
  reason: 'X',
  message,
  observedGeneration: generation,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

function set<T>(kind: string, name: string, fields: object = {}, ready = 'True', synced = 'True'): T {
  const metadata = { name, namespace: 'ns', generation };
  const conditions = [said('Ready', ready, 'not there'), said('Synced', synced, 'on its way')];
  const { spec, status } = fields as { spec?: object; status?: object };
  return { kind, metadata, spec: { replicas: 1, ...spec }, status: { conditions, ...status } } as T;
}

const log = set<LogSet>('LogSet', 'mo');
const dn = set<DNSet>('DNSet', 'mo');
const group = (name: string, replicas: number, ...conditions: string[]) =>
  set<CNSet>(
    'CNSet',
    `mo-${name}`,
    { spec: { replicas }, status: { host: `mo-${name}-cn.ns`, port: 6001 } },
    ...conditions,
  );

function report(sets: Parameters<typeof reportCluster>[1], status: NonNullable<MatrixOneCluster['status']> = {}) {
  const conditions: Record<string, string> = {};
  const writer = {
    set: (type: string, value: string, reason: string, message = '') => {
      conditions[type] = `${value} ${reason}: ${message}`;
    },
  };
  const draft = { ...status };
  reportCluster({ status: draft, conditions: writer } as unknown as ActorContext<MatrixOneCluster>, sets);
  return { status: draft, conditions };
}

test('groups are told in the order they are declared, and clients go to the first that has nodes', () => {
  const groups = [group('zeta', 0), group('alpha', 2), group('beta', 1)];
  const { status } = report({ log, dn, groups });
  expect(status.cnGroups?.groups?.map(({ name }) => name)).toEqual(['mo-zeta', 'mo-alpha', 'mo-beta']);
  expect(status).toMatchObject({ host: 'mo-alpha-cn.ns', port: 6001, phase: 'Ready' });
  const spec = { cnGroups: [{ name: 'z' }, { name: 'a' }], ap: {}, tp: {} } as unknown as MatrixOneCluster['spec'];
  expect(cnGroupsOf(spec).map(({ name }) => name)).toEqual(['z', 'a', 'tp', 'ap']);
});

test('where clients connect stays while something is not ready', () => {
  const groups = [group('a', 1, 'False'), group('b', 1)];
  const { status, conditions } = report({ log, dn, groups }, { host: 'mo-a-cn.ns', port: 6001 });
  expect(status).toMatchObject({ host: 'mo-a-cn.ns', phase: 'NotReady' });
  expect(conditions['Ready']).toBe('False SomeCNSetsAreNotReady: CNSet mo-a: not there');
  expect(conditions['Synced']).toBe('True AllSetsSynced: the object is synced');
});

test('a set that is not synced is not synced for its cluster either, and the proxies are the last to be told [case 32]', () => {
  const proxy = set<ProxySet>('ProxySet', 'mo', { status: { host: 'mo-proxy.ns', port: 6001 } }, 'True', 'False');
  const { status, conditions } = report({ log, dn, groups: [group('a', 1)], proxy });
  expect(conditions['Synced']).toBe('False ProxyNotSynced: ProxySet mo: on its way');
  expect(status).toMatchObject({ phase: 'Ready', host: 'mo-proxy.ns' });
  const both = report({ log: set<LogSet>('LogSet', 'mo', {}, 'False'), dn, groups: [group('a', 1, 'False')], proxy });
  expect(both.conditions['Ready']).toContain('LogServiceNotReady');
});

test('a set that has not yet been looked at since it changed says so, not what it said of the one before', () => {
  const changed = group('a', 1);
  const late = { ...changed, metadata: { ...changed.metadata, generation: generation + 1 } };
  const { conditions } = report({ log, dn, groups: [late] });
  expect(conditions['Synced']).toBe('False SomeCNSetsAreNotSynced: CNSet mo-a: its newest spec is not worked on yet');
});
