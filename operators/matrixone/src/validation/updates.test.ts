import { expect, test } from 'vitest';
import type { CNSetSpec, DNSetSpec, LogSetSpec, MatrixOneClusterSpec } from '../api/index.ts';
import { chartServiceArgs as args, defaultCluster, defaultLogSet } from '../defaults/index.ts';
import { clusterUpdateProblems, cnSetUpdateProblems, dnSetUpdateProblems, logSetUpdateProblems } from './index.ts';

const log: LogSetSpec = {
  replicas: 3,
  image: 'mo:2.1.0',
  volume: { size: '10Gi', storageClassName: 'fast' },
  sharedStorage: { s3: { path: 'lake/x', s3RetentionPolicy: 'Retain' } },
};
const cn: CNSetSpec = { replicas: 1, image: 'mo:2.1.0', serviceType: 'ClusterIP', operatorVersion: '1.3.0' };
const ofLog = (change: Partial<LogSetSpec>) =>
  logSetUpdateProblems(defaultLogSet(log, args), defaultLogSet({ ...log, ...change }, args));

test('a LogSet may become larger, and may spell out its defaults [case 43]', () => {
  expect(ofLog({ volume: { size: '11Gi', storageClassName: 'fast' }, replicas: 5 })).toEqual([]);
  expect(ofLog({ volume: { size: '10240Mi' } })).toEqual([]);
  expect(ofLog({ initialConfig: { logShards: 1, dnShards: 1, logShardReplicas: 3 } })).toEqual([]);
});

test.each<[string, Partial<LogSetSpec>, string, string]>([
  ['initialConfig', { initialConfig: { logShardReplicas: 1 } }, 'spec.initialConfig', 'initialConfig is immutable'],
  [
    'the S3 path',
    { sharedStorage: { s3: { path: 'lake/y', s3RetentionPolicy: 'Retain' } } },
    'spec.sharedStorage.s3',
    'sharedStorage.s3 is immutable',
  ],
  [
    'the S3 retention',
    { sharedStorage: { s3: { path: 'lake/x' } }, pvcRetentionPolicy: 'Delete' },
    'spec.sharedStorage.s3',
    'sharedStorage.s3 is immutable',
  ],
  [
    'S3 itself',
    { sharedStorage: { fileSystem: { path: '/x' } } },
    'spec.sharedStorage.s3',
    'sharedStorage.s3 is immutable',
  ],
  [
    'the storage class',
    { volume: { size: '10Gi', storageClassName: 'slow' } },
    'spec.volume.storageClassName',
    'storageClassName is immutable',
  ],
  ['the size, to less', { volume: { size: '9Gi' } }, 'spec.volume.size', 'volume size cannot be decreased'],
])('a LogSet cannot change %s [case 41, 43]', (_, change, field, message) => {
  expect(ofLog(change)).toEqual([{ field, message }]);
});

test('the cache volume of a DNSet grows where it is, and may come and go', () => {
  const dn: DNSetSpec = { replicas: 1, image: 'mo:2.1.0', cacheVolume: { size: '2Gi', storageClassName: 'fast' } };
  expect(dnSetUpdateProblems(dn, { ...dn, cacheVolume: { size: '1Gi', storageClassName: 'slow' } })).toEqual([
    { field: 'spec.cacheVolume.storageClassName', message: 'storageClassName is immutable' },
    { field: 'spec.cacheVolume.size', message: 'volume size cannot be decreased' },
  ]);
  const { cacheVolume: _, ...without } = dn;
  expect([...dnSetUpdateProblems(dn, without), ...dnSetUpdateProblems(without, dn)]).toEqual([]);
});

test('a CNSet keeps a readable version and the behaviours of newer operators', () => {
  expect(cnSetUpdateProblems(cn, { ...cn, image: 'mo:nightly' })).toEqual([
    { field: 'spec.semanticVersion', message: 'new version must also be semantic' },
  ]);
  expect(cnSetUpdateProblems({ ...cn, image: 'mo:nightly' }, { ...cn, image: 'mo:other' })).toEqual([]);
  const lowered = 'new operatorVersion must be greater than or equal to the oldVersion';
  expect(cnSetUpdateProblems(cn, { ...cn, operatorVersion: '1.2.9' })).toEqual([
    { field: 'spec.operatorVersion', message: lowered },
  ]);
  const { operatorVersion: _, ...unpinned } = cn;
  expect(cnSetUpdateProblems(cn, unpinned)).toEqual([{ field: 'spec.operatorVersion', message: lowered }]);
  expect(cnSetUpdateProblems(unpinned, cn)).toEqual([]);
  const cacheVolume = { size: '2Gi' };
  expect(cnSetUpdateProblems({ ...cn, cacheVolume }, { ...cn, cacheVolume: { size: '1Gi' } })).toEqual([
    { field: 'spec.cacheVolume.size', message: 'volume size cannot be decreased' },
  ]);
});

test('a cluster is held to the rules of its sets, each under its path and by the name of its group [case 41, 43]', () => {
  const group = (name: string, size: string) => ({ ...cn, name, cacheVolume: { size } });
  const before: MatrixOneClusterSpec = {
    version: '2.1.0',
    logService: log,
    dn: { replicas: 1, cacheVolume: { size: '2Gi' } },
    cnGroups: [group('a', '2Gi'), group('b', '1Gi')],
  };
  const { dn: _, ...rest } = before;
  const after = {
    ...rest,
    logService: { ...log, sharedStorage: { s3: { path: 'lake/y' } } },
    tn: { replicas: 1, cacheVolume: { size: '1Gi' } },
    cnGroups: [group('b', '2Gi'), group('a', '1Gi')],
  };
  const problems = clusterUpdateProblems(defaultCluster(before, args), defaultCluster(after, args));
  expect(problems.map(({ field }) => field)).toEqual([
    'spec.logService.sharedStorage.s3',
    'spec.tn.cacheVolume.size',
    'spec.cnGroups[1].cacheVolume.size',
  ]);
  const grown = {
    ...before,
    logService: { ...log, replicas: 5 },
    ap: { replicas: 1, serviceType: 'ClusterIP' as const },
  };
  expect(clusterUpdateProblems(defaultCluster(before, args), defaultCluster(grown, args))).toEqual([]);
  const fewer = { ...before, logService: { ...log, replicas: 2, initialConfig: { logShardReplicas: 2 } } };
  expect(clusterUpdateProblems(defaultCluster(before, args), defaultCluster(fewer, args))).toMatchObject([
    { field: 'spec.logService.initialConfig' },
  ]);
});

test('a cluster is not taken to where its groups cannot follow: their CNSets would refuse what its other sets had done by then', () => {
  const lowered = 'new operatorVersion must be greater than or equal to the oldVersion';
  const { operatorVersion: _, ...group } = cn;
  const before: MatrixOneClusterSpec = {
    version: '2.1.0',
    operatorVersion: '1.3.0',
    logService: log,
    tn: { replicas: 1 },
    cnGroups: [
      { ...group, name: 'a' },
      { ...group, name: 'b' },
      { ...cn, name: 'c' },
    ],
  };
  const problems = (change: Partial<MatrixOneClusterSpec>) => clusterUpdateProblems(before, { ...before, ...change });
  const { operatorVersion: __, ...unpinned } = before;
  expect(problems({ operatorVersion: '1.2.0' })).toEqual([{ field: 'spec.operatorVersion', message: lowered }]);
  expect(clusterUpdateProblems(before, unpinned)).toEqual([{ field: 'spec.operatorVersion', message: lowered }]);
  const own = [
    { ...group, name: 'a', operatorVersion: '1.2.0' },
    { ...group, name: 'new', operatorVersion: '1.2.0' },
  ];
  expect(problems({ cnGroups: own })).toEqual([{ field: 'spec.cnGroups[0].operatorVersion', message: lowered }]);
  expect(problems({ cnGroups: [], operatorVersion: '1.2.0' })).toEqual([]);
  expect(clusterUpdateProblems(unpinned, before)).toEqual([]);
});
