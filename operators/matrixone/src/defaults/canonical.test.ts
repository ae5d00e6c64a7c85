import { expect, test } from 'vitest';
import { chartServiceArgs as args, canonicalSpec, defaultCluster, defaultCNSet } from './index.ts';

test('amounts and durations are in one spelling, wherever they are', () => {
  expect(
    canonicalSpec({
      resources: { requests: { cpu: 2, memory: '1.5Gi' }, limits: { cpu: '2.50' } },
      memoryFsSize: '0.5Gi',
      cacheVolume: { size: '1024Mi', storageClassName: '' },
      scalingConfig: { storeDrainTimeout: '90s' },
      overlay: {
        initContainers: [{ name: 'a', resources: { requests: { cpu: '0.5' } } }],
        volumes: [{ name: 'b', emptyDir: { sizeLimit: 1073741825 } }],
        env: [{ name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }],
      },
    }),
  ).toEqual({
    resources: { requests: { cpu: '2', memory: '1536Mi' }, limits: { cpu: '2500m' } },
    memoryFsSize: '512Mi',
    cacheVolume: { size: '1Gi', storageClassName: '' },
    scalingConfig: { storeDrainTimeout: '1m30s' },
    overlay: {
      initContainers: [{ name: 'a', resources: { requests: { cpu: '500m' } } }],
      volumes: [{ name: 'b', emptyDir: { sizeLimit: '1073741825' } }],
      env: [{ name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '0' } } }],
    },
  });
});

test('what is empty is not there, but for what it may be', () => {
  expect(
    canonicalSpec({
      replicas: 0,
      config: '',
      image: '',
      operatorVersion: '',
      nodeSelector: {},
      topologySpread: [],
      cnLabels: [],
      pythonUdfSidecar: { enabled: false },
      overlay: {
        args: [],
        env: [{ name: 'A', value: '' }],
        affinity: {},
        podLabels: {},
        podAnnotations: { a: '' },
        shareProcessNamespace: false,
        terminationGracePeriodSeconds: 0,
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'b', persistentVolumeClaim: { claimName: 'c', readOnly: false } },
          { name: 'd', csi: { driver: 'x', readOnly: false } },
        ],
      },
    }),
  ).toEqual({
    replicas: 0,
    config: '',
    operatorVersion: '',
    pythonUdfSidecar: {},
    overlay: {
      env: [{ name: 'A' }],
      affinity: {},
      podAnnotations: { a: '' },
      shareProcessNamespace: false,
      terminationGracePeriodSeconds: 0,
      volumes: [
        { name: 'a', emptyDir: {} },
        { name: 'b', persistentVolumeClaim: { claimName: 'c' } },
        { name: 'd', csi: { driver: 'x', readOnly: false } },
      ],
    },
  });
});

test('what cannot be read is left for validation to tell, and lists in the place of something else', () => {
  const spec = {
    resources: { limits: { memory: 'much' }, requests: [] },
    cacheVolume: { size: { a: 1 } },
    storeFailureTimeout: 'soon',
    overlay: { affinity: [], podLabels: [] },
  };
  expect(canonicalSpec(spec)).toEqual(spec);
});

test('a spec that is filled is canonical, and filling it again changes nothing', () => {
  const cluster = defaultCluster(
    {
      version: '2.1.0',
      logService: {
        replicas: 3,
        volume: { size: '1.5Gi' },
        sharedStorage: { s3: { path: 'lake/x', region: '' } },
        storeFailureTimeout: '90s',
      },
      tn: { replicas: 1, cacheVolume: { size: '1.5Gi' } },
      cnGroups: [{ name: 'tp', replicas: 1, serviceType: 'ClusterIP', overlay: { args: [] }, cnLabels: [] }],
    },
    args,
  );
  expect(cluster.logService).toMatchObject({ volume: { size: '1536Mi' }, storeFailureTimeout: '1m30s' });
  expect(cluster.logService.sharedStorage.s3).not.toHaveProperty('region');
  expect(cluster.tn?.sharedStorageCache?.diskCacheSize).toBe('1449551462');
  expect(Object.keys(cluster.cnGroups?.[0] ?? {})).not.toContain('cnLabels');
  expect(defaultCluster(cluster, args)).toEqual(cluster);
  const set = defaultCNSet({ replicas: 1, serviceType: 'ClusterIP', role: '' }, args);
  expect(set.role).toBe('TP');
});
