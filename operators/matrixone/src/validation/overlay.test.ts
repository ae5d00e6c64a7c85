import { expect, test } from 'vitest';
import type { CNSetSpec, MatrixOneCluster, MatrixOneClusterSpec, Overlay } from '../api/index.ts';
import { cnGroupsOf, cnSetOf, logSetOf } from '../children/index.ts';
import { chooseBootstrapMembers } from '../config/index.ts';
import { chartServiceArgs as args, defaultCluster, defaultCNSet, defaultLogSet } from '../defaults/index.ts';
import { planCNSet, planLogSet } from '../plan/index.ts';
import { clusterProblems, proxySetProblems } from './index.ts';

const metadata = { name: 'mo', namespace: 'default', uid: 'u' };

function clusterOf(change: object, log: object = {}): MatrixOneCluster {
  const logService = { replicas: 3, sharedStorage: { s3: { path: 'bucket/x' } }, volume: { size: '1Gi' }, ...log };
  const group = { name: 'tp', replicas: 1, serviceType: 'ClusterIP', ...change };
  const spec = { version: '2.1.0', logService, tn: { replicas: 1 }, cnGroups: [group] };
  return { metadata, spec: defaultCluster(spec as unknown as MatrixOneClusterSpec, args) };
}

/** The problems; where there are none, everything is planned, which may not throw. */
function judge(cluster: MatrixOneCluster): readonly string[] {
  const problems = clusterProblems(cluster);
  if (problems.length > 0) return problems.map(({ field }) => field);
  const { name, namespace } = metadata;
  const log = defaultLogSet(logSetOf(cluster, args, undefined).spec, args);
  planLogSet({ name, namespace }, log, chooseBootstrapMembers(log), [], {});
  for (const group of cnGroupsOf(cluster.spec)) {
    const spec: CNSetSpec = defaultCNSet(cnSetOf(cluster, group, args, undefined).spec, args);
    planCNSet({ name: `mo-${group.name}`, namespace }, spec, log.sharedStorage, { name, namespace, replicas: 3 }, {});
  }
  return [];
}

const overlay = (value: unknown) => judge(clusterOf({ overlay: value as Overlay }));

const lists = [
  'env',
  'envFrom',
  'volumeMounts',
  'volumes',
  'volumeClaims',
  'initContainers',
  'sidecarContainers',
  'imagePullSecrets',
  'tolerations',
  'hostAliases',
  'topologySpreadConstraints',
];

test.each(lists)('overlay.%s that is no list of objects is a problem at its place; nothing is thrown', (name) => {
  const field = `spec.cnGroups[0].overlay.${name}`;
  for (const value of ['x', 7, {}, true]) expect(overlay({ [name]: value })).toEqual([field]);
  for (const value of [[null], ['x'], [[]]]) expect(overlay({ [name]: value })[0]).toMatch(`${field}[0]`);
  expect(overlay({ [name]: null })).toEqual([]);
});

test.each<[string, unknown, string]>([
  ['env', [{ value: 'x' }], 'env[0].name'],
  ['volumes', [{ name: 7 }], 'volumes[0].name'],
  ['volumeClaims', [{ spec: {} }], 'volumeClaims[0].metadata'],
  ['command', 'sh', 'command'],
  ['args', [1], 'args[0]'],
  ['podLabels', { a: 1 }, 'podLabels[a]'],
  ['podLabels', { 'ä ö': 'x' }, 'podLabels[ä ö]'],
  ['podLabels', { a: 'x'.repeat(64) }, 'podLabels[a]'],
  ['podLabels', { 'matrixorigin.io/instance': 'other' }, 'podLabels[matrixorigin.io/instance]'],
  ['podAnnotations', { a: true }, 'podAnnotations[a]'],
  ['podAnnotations', { 'matrixorigin.io/config-suffix': 'a' }, 'podAnnotations[matrixorigin.io/config-suffix]'],
  ['affinity', [], 'affinity'],
  ['livenessProbe', 'no', 'livenessProbe'],
  ['terminationGracePeriodSeconds', '30', 'terminationGracePeriodSeconds'],
  ['shareProcessNamespace', 'yes', 'shareProcessNamespace'],
  ['serviceAccountName', 1, 'serviceAccountName'],
])('overlay.%s: %j is told at its place', (name, value, place) => {
  expect(overlay({ [name]: value })).toEqual([`spec.cnGroups[0].overlay.${place}`]);
});

test('an overlay that is none is told, and not taken apart', () => {
  for (const value of ['abc', ['x'], 5, true]) {
    expect(overlay(value)).toEqual(['spec.cnGroups[0].overlay']);
    const spec = { replicas: 1, image: 'mo:2.1.0', serviceType: 'ClusterIP', overlay: value as Overlay } as const;
    const deps = { logSet: { metadata: { name: 'mo' } } };
    expect(proxySetProblems({ spec, deps }).map(({ field }) => field)).toEqual(['spec.overlay']);
    expect(defaultCNSet(spec, args).overlay).toEqual(value);
  }
  expect(overlay(null)).toEqual([]);
});

test('an amount that has the form of one, and is none, is told at its place', () => {
  const group = 'spec.cnGroups[0]';
  for (const amount of ['1e1.5', '1e1000']) {
    expect(judge(clusterOf({ resources: { requests: { memory: amount } } }))).toEqual([`${group}.resources`]);
    expect(judge(clusterOf({ cacheVolume: { size: amount } }))).toEqual([`${group}.cacheVolume.size`]);
    expect(judge(clusterOf({}, { volume: { size: amount } }))).toEqual(['spec.logService.volume.size']);
  }
});

test('amounts below nothing are refused', () => {
  const group = 'spec.cnGroups[0]';
  expect(judge(clusterOf({ resources: { requests: { memory: '-1Gi' } } }))).toContain(`${group}.resources`);
  expect(judge(clusterOf({ memoryFsSize: '-1' }))).toEqual([`${group}.memoryFsSize`]);
  expect(judge(clusterOf({ sharedStorageCache: { diskCacheSize: '-1Gi' } }))).toEqual([
    `${group}.sharedStorageCache.diskCacheSize`,
  ]);
});

test('a number of log stores that no list of addresses holds is refused, not planned', () => {
  expect(judge(clusterOf({}, { replicas: 1_000_000_000 }))).toEqual(['spec.logService.replicas']);
});

test.each([
  ['logService', 1_000],
  ['cnGroups[0]', 5_000],
])('more pods than an object can list are refused: %s', (place, most) => {
  const of = (replicas: number) => (place === 'logService' ? clusterOf({}, { replicas }) : clusterOf({ replicas }));
  expect(clusterProblems(of(most))).toEqual([]);
  const [problem, ...more] = clusterProblems(of(1_000_000_000));
  expect([problem, more]).toEqual([{ field: `spec.${place}.replicas`, message: `must be no more than ${most}` }, []]);
});

test('nothing lasts less than no time', () => {
  const scalingConfig = { storeDrainEnabled: true, storeDrainTimeout: '-5m' };
  expect(judge(clusterOf({ scalingConfig }))).toEqual(['spec.cnGroups[0].scalingConfig.storeDrainTimeout']);
  expect(judge(clusterOf({}, { storeFailureTimeout: '-1s' }))).toEqual(['spec.logService.storeFailureTimeout']);
});

test('a group may be named so long as its Services can be', () => {
  const field = 'spec.cnGroups[0].name';
  expect(judge(clusterOf({ name: 'g'.repeat(48) }))).toEqual([]);
  expect(judge(clusterOf({ name: 'g'.repeat(49) }))).toEqual([field]);
  const longest = { ...clusterOf({}), metadata: { ...metadata, name: 'm'.repeat(46) } };
  expect(judge(longest)).toEqual([]);
});
