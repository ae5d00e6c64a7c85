import { Pod, Secret } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import {
  ANNOTATION_STORE_CORDON,
  BucketClaim,
  CNSet,
  DNSet,
  LogSet,
  MatrixOneCluster,
  ProxySet,
  WebUI,
} from '../api/index.ts';
import {
  cluster,
  config,
  deps,
  draining,
  exampleSecret,
  group,
  logSet,
  oldImage,
  s3,
  scale,
  upgrade,
} from './test-fault-objects.ts';
import type { FaultWorld } from './test-fault-world.ts';
import {
  at,
  breakPod,
  change,
  cnPods,
  create,
  gone,
  type Life,
  namespace,
  remove,
  settled,
  simple,
} from './test-steps.ts';

const logs: Life = {
  kind: 'LogSet',
  steps: [
    {
      name: 'create',
      run: create(LogSet, logSet('l', { replicas: 3, storeFailureTimeout: '20s' })),
      reached: settled(LogSet, 'l'),
      first: true,
    },
    {
      name: 'break a store',
      run: breakPod('l-log-1'),
      async reached(world) {
        const pods = (await world.client.of(Pod).list({ namespace })).items.map(({ metadata }) => metadata.name);
        return pods.includes('l-log-3') && !pods.includes('l-log-1') && settled(LogSet, 'l')(world);
      },
      first: true,
    },
    { name: 'upgrade', run: change(LogSet, 'l', upgrade), reached: settled(LogSet, 'l') },
    { name: 'scale', run: change(LogSet, 'l', scale(4)), reached: settled(LogSet, 'l') },
    { name: 'delete', run: remove(LogSet, 'l'), reached: gone(LogSet, 'l') },
  ],
};

const transactions = simple(
  DNSet,
  { metadata: { name: 'd' }, deps, spec: { replicas: 1, image: oldImage, config, cacheVolume: { size: '1Gi' } } },
  { upgrade, 'change the configuration': { spec: { config: `${config}\n[other]\nx = 1\n` } } },
);

const nodes: CNSet = {
  metadata: { name: 'c' },
  deps,
  spec: {
    replicas: 2,
    image: oldImage,
    serviceType: 'ClusterIP',
    config,
    scalingConfig: draining,
    terminationPolicy: 'Drain',
  },
};
const computes = simple(CNSet, nodes, { upgrade, 'scale in': scale(1), 'scale out': scale(3) });

/** Cordons the first node of the set, or lets it go on. */
const cordon = (value: string | null) => async (world: FaultWorld) => {
  const { items } = await world.drive(world.client.of(Pod).list({ namespace, labels: cnPods }));
  const metadata = { annotations: { [ANNOTATION_STORE_CORDON]: value } };
  for (const pod of items.slice(0, 1))
    await world.drive(world.client.of(Pod).patch(at(pod.metadata.name), merge({ metadata })));
};

const stores: Life = {
  kind: 'CN store',
  steps: [
    { name: 'create', run: create(CNSet, nodes), reached: settled(CNSet, 'c'), first: true },
    {
      name: 'cordon',
      run: cordon(''),
      reached: async ({ client, sessions }) =>
        (await client.of(Pod).list({ namespace, labels: cnPods })).items.filter(({ metadata }) =>
          sessions.serving(metadata.name),
        ).length === 1,
    },
    { name: 'uncordon', run: cordon(null), reached: settled(CNSet, 'c'), first: true },
    { name: 'scale in', run: change(CNSet, 'c', scale(1)), reached: settled(CNSet, 'c') },
    { name: 'change of mind', run: change(CNSet, 'c', scale(2)), reached: settled(CNSet, 'c') },
    { name: 'delete', run: remove(CNSet, 'c'), reached: gone(CNSet, 'c') },
  ],
};

const proxies = simple(
  ProxySet,
  { metadata: { name: 'p' }, deps, spec: { replicas: 1, image: oldImage, config, serviceType: 'ClusterIP' } },
  { 'scale out': scale(3), upgrade, 'scale in': scale(2) },
);

const dashboards = simple(
  WebUI,
  {
    metadata: { name: 'w' },
    deps: { cnset: { metadata: { name: 'c', namespace } } },
    spec: { replicas: 1, image: 'matrixorigin/dashboard:2.1.0', serviceType: 'ClusterIP' },
  },
  {
    'scale out': scale(2),
    upgrade: { spec: { image: 'matrixorigin/dashboard:2.1.1' } },
    'change the configuration': { spec: { config: '[extra]\nx = 1\n' } },
  },
);

const clusters: Life = {
  kind: 'MatrixOneCluster',
  steps: [
    {
      name: 'create',
      async run(world) {
        await create(Secret, exampleSecret)(world);
        await create(MatrixOneCluster, cluster({}))(world);
      },
      reached: settled(MatrixOneCluster, 'mo'),
    },
    {
      name: 'scale',
      run: change(MatrixOneCluster, 'mo', { spec: { cnGroups: [{ ...group, replicas: 2 }], proxy: { replicas: 2 } } }),
      reached: settled(MatrixOneCluster, 'mo'),
    },
    {
      name: 'upgrade',
      run: change(MatrixOneCluster, 'mo', { spec: { version: 'v2.1.1' } }),
      reached: settled(MatrixOneCluster, 'mo'),
    },
    {
      name: 'another group',
      run: change(MatrixOneCluster, 'mo', { spec: { cnGroups: [{ ...group, name: 'ap', replicas: 1 }], proxy: null } }),
      reached: settled(MatrixOneCluster, 'mo'),
    },
    { name: 'delete', run: remove(MatrixOneCluster, 'mo'), reached: gone(MatrixOneCluster, 'mo') },
  ],
};

const claims = async ({ client }: FaultWorld) => (await client.of(BucketClaim).list({ namespace })).items;

const paths: Life = {
  kind: 'BucketClaim',
  steps: [
    {
      name: 'create the first',
      run: create(LogSet, logSet('a', { sharedStorage: { s3: { ...s3, s3RetentionPolicy: 'Retain' } } })),
      reached: settled(LogSet, 'a'),
      first: true,
    },
    {
      name: 'a second at its path',
      run: create(
        LogSet,
        logSet('b', { sharedStorage: { s3: { ...s3, path: '/lake/prod/', s3RetentionPolicy: 'Delete' } } }),
      ),
      reached: async ({ client }) =>
        (await client.of(LogSet).find(at('b')))?.status?.conditions?.some(({ type }) => type === 'BucketBlocked') ??
        false,
    },
    { name: 'delete the first', run: remove(LogSet, 'a'), reached: settled(LogSet, 'b'), first: true },
    {
      name: 'delete the second',
      run: remove(LogSet, 'b'),
      reached: async (world) => (await gone(LogSet, 'b')(world)) && (await claims(world)).length === 0,
    },
  ],
};

/** Lives of what a cluster consists of, and of the paths of its data. */
export const livesOfSets: readonly Life[] = [
  logs,
  transactions,
  computes,
  stores,
  proxies,
  dashboards,
  clusters,
  paths,
];
