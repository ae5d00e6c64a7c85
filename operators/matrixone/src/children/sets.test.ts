import { expect, test } from 'vitest';
import type { MatrixOneCluster } from '../api/index.ts';
import { chartServiceArgs as args } from '../defaults/index.ts';
import { cnGroupsOf, cnSetOf, dnSetOf, logSetOf, proxySetOf } from './index.ts';

type Change = Partial<MatrixOneCluster['spec']>;
const group = { name: 'tp', replicas: 1, serviceType: 'ClusterIP' as const };

function clusterWith(change: Change): MatrixOneCluster {
  return {
    metadata: { name: 'mo', namespace: 'ns' },
    spec: {
      version: '2.1.0',
      logService: { replicas: 3, volume: { size: '10Gi' }, sharedStorage: { s3: { path: 'lake/x' } } },
      tn: { replicas: 1 },
      cnGroups: [group],
      proxy: { replicas: 1, serviceType: 'ClusterIP' },
      ...change,
    },
  };
}

/** All sets of a cluster, but for the dashboard. */
function setsOf(change: Change) {
  const cluster = clusterWith(change);
  const sets = [
    logSetOf(cluster, args),
    dnSetOf(cluster, args),
    ...cnGroupsOf(cluster.spec).map((of) => cnSetOf(cluster, of, args)),
    proxySetOf(cluster, args),
  ];
  return sets.filter((set) => set !== undefined);
}

test('sets take the node selector of their cluster, unless they have one [case 32]', () => {
  const nodeSelector = { zone: 'a' };
  for (const { spec } of setsOf({ nodeSelector })) expect(spec.nodeSelector).toEqual(nodeSelector);
  const own = { disk: 'ssd' };
  const selectors = setsOf({
    nodeSelector,
    tn: { replicas: 1, nodeSelector: own },
    cnGroups: [{ ...group, nodeSelector: own }],
  }).map(({ kind, spec }) => [kind, spec.nodeSelector]);
  expect(selectors).toEqual([
    ['LogSet', nodeSelector],
    ['DNSet', own],
    ['CNSet', own],
    ['ProxySet', nodeSelector],
  ]);
});

test('sets take the pull policy of their cluster, unless they have one [case 32]', () => {
  const policies = setsOf({
    imagePullPolicy: 'Always',
    tn: { replicas: 1, overlay: { imagePullPolicy: 'Never' } },
  }).map(({ spec }) => spec.overlay?.imagePullPolicy);
  expect(policies).toEqual(['Always', 'Never', 'Always', 'Always']);
});

test('how long the data is kept comes to the log service, whichever of the two says so [case 32]', () => {
  const { logService } = clusterWith({}).spec;
  const kept = (change: object) => {
    const { spec } = logSetOf(clusterWith({ logService: { ...logService, ...change } }), args);
    return [spec.pvcRetentionPolicy, spec.sharedStorage.s3?.s3RetentionPolicy];
  };
  expect(kept({})).toEqual(['Delete', 'Delete']);
  expect(kept({ pvcRetentionPolicy: 'Retain' })).toEqual(['Retain', 'Retain']);
  const s3 = { path: 'lake/x', s3RetentionPolicy: 'Retain' };
  expect(kept({ sharedStorage: { s3 } })).toEqual(['Retain', 'Retain']);
  expect(kept({ sharedStorage: { s3 }, pvcRetentionPolicy: 'Delete' })).toEqual(['Delete', 'Retain']);
});

test('sets run the version of their cluster, from the repository it names or that of MatrixOne', () => {
  const images = (change: Change) => new Set(setsOf(change).map(({ spec }) => spec.image));
  expect(images({})).toEqual(new Set(['matrixorigin/matrixone:2.1.0']));
  expect(images({ imageRepository: 'registry:5000/mo' })).toEqual(new Set(['registry:5000/mo:2.1.0']));
});

test('an empty version is one that cannot be read, and an empty configuration stays one', () => {
  const change = { operatorVersion: '1.3.0', cnGroups: [{ ...group, operatorVersion: '', config: '# nothing\n' }] };
  const specs = setsOf({ ...change, proxy: undefined }).map(({ kind, spec }) => [
    kind,
    spec.operatorVersion,
    spec.config,
  ]);
  expect(specs).toEqual([
    ['LogSet', '1.3.0', undefined],
    ['DNSet', '1.3.0', undefined],
    ['CNSet', '', ''],
  ]);
});

test('the password of the first user stands where the user of the cluster put a variable of its name', () => {
  const own = [
    { name: 'DEFAULT_PASSWORD', value: 'own' },
    { name: 'Z', value: '1' },
  ];
  const set = setsOf({ cnGroups: [{ ...group, overlay: { env: own } }] }).find(({ kind }) => kind === 'CNSet');
  const env = set?.spec.overlay?.env;
  expect(env?.map(({ name }) => name)).toEqual(['DEFAULT_PASSWORD', 'Z', 'GODEBUG']);
  expect(env?.[0]?.valueFrom?.secretKeyRef?.key).toBe('password');
});

test('where webhooks are off now, sets keep what those gave them', () => {
  const cluster = clusterWith({});
  const named = { name: 'a', spec: group };
  const [cn, proxy] = [cnSetOf(cluster, named, args), proxySetOf(cluster, args)];
  const bare = { ...args, bare: true };
  expect(cnSetOf(cluster, named, bare).spec.role).toBeUndefined();
  expect(cnSetOf(cluster, named, bare, cn).spec.role).toBe('TP');
  expect(proxySetOf(cluster, bare)?.spec.serviceArgs).toBeUndefined();
  expect(proxySetOf(cluster, bare, proxy)?.spec.serviceArgs).toEqual(['-debug-http=:6060']);
});
