import { expect, test } from 'vitest';
import type { CNSetSpec, DNSetSpec, LogSetSpec } from '../api/index.ts';
import {
  chartServiceArgs as args,
  defaultCluster,
  defaultCNSet,
  defaultDNSet,
  defaultLogSet,
  defaultProxySet,
  initialOperatorVersion,
} from './index.ts';

const goDebug = { name: 'GODEBUG', value: 'madvdontneed=1,gctrace=2' };
const log: LogSetSpec = { replicas: 3, volume: { size: '10Gi' }, sharedStorage: { s3: { path: 'lake/x' } } };
const dn: DNSetSpec = { replicas: 1 };
const cn: CNSetSpec = { replicas: 1, serviceType: 'ClusterIP' };
const memory = { requests: { memory: '8Gi' } };

test('log, transaction and compute nodes get GODEBUG unless they have one; proxies do not', () => {
  for (const spec of [defaultLogSet(log, args), defaultDNSet(dn, args), defaultCNSet(cn, args)]) {
    expect(spec.overlay?.env).toEqual([goDebug]);
  }
  const own = [{ name: 'GODEBUG', value: 'x' }];
  expect(defaultDNSet({ ...dn, overlay: { env: own } }, args).overlay?.env).toEqual(own);
  expect(defaultProxySet({ replicas: 1, serviceType: 'ClusterIP' }, args).overlay).toBeUndefined();
});

test('metrics are found by Service when they are exported', () => {
  expect(defaultDNSet({ ...dn, exportToPrometheus: true }, args).promDiscoveryScheme).toBe('Service');
  expect(defaultDNSet({ ...dn, exportToPrometheus: true, promDiscoveryScheme: 'Pod' }, args).promDiscoveryScheme).toBe(
    'Pod',
  );
  expect(defaultDNSet(dn, args).promDiscoveryScheme).toBeUndefined();
});

test('services get the arguments of the operator when they have none [case 47]', () => {
  const named = { logService: ['l'], dn: ['d'], cn: ['c'], proxy: ['p'] };
  expect(defaultLogSet(log, named).serviceArgs).toEqual(['l']);
  expect(defaultDNSet({ ...dn, serviceArgs: [] }, named).serviceArgs).toEqual(['d']);
  expect(defaultCNSet({ ...cn, serviceArgs: ['own'] }, named).serviceArgs).toEqual(['own']);
  expect(defaultProxySet({ replicas: 1, serviceType: 'ClusterIP' }, named).serviceArgs).toEqual(['p']);
});

test.each([
  [1, 1],
  [2, 1],
  [3, 3],
  [5, 3],
])('%i log stores start with %i replicas of a shard', (replicas, logShardReplicas) => {
  const spec = defaultLogSet({ ...log, replicas }, args);
  expect(spec.initialConfig).toEqual({ logShards: 1, dnShards: 1, logShardReplicas });
  expect(spec.storeFailureTimeout).toBe('10m0s');
});

test.each<[string | undefined, 'Delete' | 'Retain' | undefined, string, string]>([
  [undefined, undefined, 'Delete', 'Delete'],
  ['Delete', undefined, 'Delete', 'Delete'],
  ['Retain', undefined, 'Retain', 'Retain'],
  [undefined, 'Delete', 'Delete', 'Delete'],
  [undefined, 'Retain', 'Retain', 'Retain'],
  ['Delete', 'Retain', 'Delete', 'Retain'],
  ['Retain', 'Delete', 'Retain', 'Delete'],
  ['Retain', 'Retain', 'Retain', 'Retain'],
])('volumes %s and S3 %s are kept as %s and %s [case 3, 57]', (pvc, s3, volumes, data) => {
  const spec = defaultLogSet(
    {
      ...log,
      ...(pvc ? { pvcRetentionPolicy: pvc } : {}),
      sharedStorage: { s3: { path: 'lake/x', ...(s3 ? { s3RetentionPolicy: s3 } : {}) } },
    },
    args,
  );
  expect([spec.pvcRetentionPolicy, spec.sharedStorage.s3?.s3RetentionPolicy]).toEqual([volumes, data]);
});

test('without S3 only the volumes have a policy [case 3, 57]', () => {
  const shared = { ...log, sharedStorage: { fileSystem: { path: '/x' } } };
  const spec = defaultLogSet(shared, args);
  expect([spec.pvcRetentionPolicy, spec.sharedStorage]).toEqual(['Delete', { fileSystem: { path: '/x' } }]);
  expect(defaultLogSet({ ...shared, pvcRetentionPolicy: 'Retain' }, args).pvcRetentionPolicy).toBe('Retain');
});

test('caches have half the memory and nine tenths of the volume; a transaction node without a request says 0 [case 37]', () => {
  const cacheVolume = { size: '100Gi' };
  expect(defaultDNSet({ ...dn, resources: memory, cacheVolume }, args).sharedStorageCache).toEqual({
    memoryCacheSize: '4Gi',
    diskCacheSize: '90Gi',
  });
  expect(defaultDNSet(dn, args).sharedStorageCache).toEqual({ memoryCacheSize: '0' });
  expect(defaultCNSet(cn, args).sharedStorageCache).toBeUndefined();
  expect(defaultCNSet({ ...cn, cacheVolume }, args).sharedStorageCache).toEqual({ diskCacheSize: '90Gi' });
  const own = { memoryCacheSize: '1Gi', diskCacheSize: '2Gi' };
  expect(defaultCNSet({ ...cn, cacheVolume, sharedStorageCache: own }, args).sharedStorageCache).toEqual(own);
});

test('compute nodes: the drain has an end, the update a pace, the node a role', () => {
  expect(defaultCNSet(cn, args)).toMatchObject({
    serviceType: 'ClusterIP',
    updateStrategy: { maxSurge: 1, maxUnavailable: 0 },
    role: 'TP',
  });
  expect(defaultCNSet(cn, args).scalingConfig).toBeUndefined();
  const scalingConfig = { storeDrainEnabled: true };
  expect(defaultCNSet({ ...cn, scalingConfig }, args).scalingConfig?.storeDrainTimeout).toBe('5m0s');
  expect(defaultCNSet({ ...cn, updateStrategy: { maxSurge: '50%' } }, args).updateStrategy).toEqual({
    maxSurge: '50%',
    maxUnavailable: 0,
  });
});

test('a cluster fills in its sets, groups without a role, and to fill in twice changes nothing [case 43, 44]', () => {
  const spec = defaultCluster(
    {
      version: '2.1.0',
      logService: log,
      tn: dn,
      tp: cn,
      cnGroups: [{ ...cn, name: 'a' }],
      proxy: { replicas: 1, serviceType: 'ClusterIP' },
    },
    args,
  );
  expect(spec.logService).toEqual(defaultLogSet(log, args));
  expect(spec.tn).toEqual(defaultDNSet(dn, args));
  const { role: _, ...groupSpec } = defaultCNSet(cn, args);
  expect(spec.tp).toEqual(groupSpec);
  expect(spec.cnGroups).toEqual([{ ...groupSpec, name: 'a' }]);
  expect(spec.proxy?.serviceArgs).toBeUndefined();
  expect(spec.operatorVersion).toBeUndefined();
  expect(defaultCluster(spec, args)).toEqual(spec);
  expect([initialOperatorVersion({}), initialOperatorVersion({ operatorVersion: '1.2.0' })]).toEqual([
    '1.3.0',
    '1.2.0',
  ]);
});

test('a policy that is neither is handed on to the S3 storage, whose schema refuses it', () => {
  const spec = defaultLogSet({ ...log, pvcRetentionPolicy: 'retain' }, args);
  expect(spec.sharedStorage.s3?.s3RetentionPolicy).toBe('retain');
});
