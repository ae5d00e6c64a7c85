import { PersistentVolumeClaim, Pod, Secret } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { CNClaim, LogSet, MatrixOneCluster, podOf } from '../api/index.ts';
import { cluster, exampleSecret, logSet, s3, upgrade } from './test-fault-objects.ts';
import type { FaultWorld } from './test-fault-world.ts';
import { bound, createPool, endOfPool, selector } from './test-pool-steps.ts';
import { at, breakPod, change, create, gone, type Life, namespace, remove, type Step, settled } from './test-steps.ts';

/** The step is over before the user goes on. */
const awaited = (step: Step): Step => ({ ...step, first: true });

const goes = { sharedStorage: { s3: { ...s3, s3RetentionPolicy: 'Delete' as const } } };
const logs = {
  create: { run: create(LogSet, logSet('l', goes)), reached: settled(LogSet, 'l') },
  remove: { run: remove(LogSet, 'l'), reached: gone(LogSet, 'l') },
};

/** A log service is made again under its name and at its path, as soon as it is gone: what was its predecessor's end is not its own. */
const logSetAgain: Life = {
  kind: 'LogSet again',
  steps: [
    awaited({ name: 'create', ...logs.create }),
    awaited({ name: 'delete', ...logs.remove }),
    awaited({ name: 'make again', ...logs.create }),
    { name: 'upgrade', run: change(LogSet, 'l', upgrade), reached: settled(LogSet, 'l') },
    { name: 'delete again', ...logs.remove },
  ],
};

/** A store that fails is kept for a post-mortem, and another takes its place. */
const orphanedStore: Life = {
  kind: 'Orphaned store',
  steps: [
    awaited({
      name: 'create',
      run: create(LogSet, logSet('l', { replicas: 3, storeFailureTimeout: '20s', failedPodStrategy: 'Orphan' })),
      reached: settled(LogSet, 'l'),
    }),
    awaited({
      name: 'break a store',
      run: breakPod('l-log-1'),
      async reached(world) {
        const pods = (await world.client.of(Pod).list({ namespace })).items.map(({ metadata }) => metadata.name);
        return ['l-log-1', 'l-log-3'].every((name) => pods.includes(name)) && settled(LogSet, 'l')(world);
      },
    }),
    { name: 'delete', ...logs.remove },
  ],
};

const clusters = {
  create: { run: create(MatrixOneCluster, cluster({ cnGroups: [] })), reached: settled(MatrixOneCluster, 'mo') },
  remove: { run: remove(MatrixOneCluster, 'mo'), reached: gone(MatrixOneCluster, 'mo') },
};
const createCluster: Step = awaited({
  name: 'create',
  async run(world) {
    await create(Secret, exampleSecret)(world);
    await clusters.create.run(world);
  },
  reached: clusters.create.reached,
});

/** What holds the data of a log service, by UID. */
async function stores({ client }: FaultWorld): Promise<string> {
  const volumes = (await client.of(PersistentVolumeClaim).list({ namespace })).items;
  const workloads = (await client.of(KruiseStatefulSet).list({ namespace })).items;
  const names = [...volumes, ...workloads].map(({ metadata }) => `${metadata.name} ${metadata.uid}`);
  return names
    .filter((name) => name.includes('-log'))
    .sort()
    .join();
}

const before = new WeakMap<FaultWorld, readonly [stores: string, logSet: string | undefined]>();
const uidOfLogSet = async ({ client }: FaultWorld) => (await client.of(LogSet).find(at('mo')))?.metadata.uid;

/** A log service that is deleted by hand runs on, with its data, for the one that its cluster makes next. */
const logSetByHand: Life = {
  kind: 'LogSet by hand',
  steps: [
    createCluster,
    awaited({
      name: 'delete the LogSet by hand',
      async run(world) {
        before.set(world, [await world.drive(stores(world)), await world.drive(uidOfLogSet(world))]);
        await remove(LogSet, 'mo')(world);
      },
      async reached(world) {
        const [kept, gone] = before.get(world) ?? ['', undefined];
        const now = await uidOfLogSet(world);
        const isNext = now !== undefined && now !== gone && (await settled(LogSet, 'mo')(world));
        return isNext && (await settled(MatrixOneCluster, 'mo')(world)) && (await stores(world)) === kept;
      },
    }),
    { name: 'delete', ...clusters.remove },
  ],
};

/** A cluster is made again as soon as it is gone. */
const clusterAgain: Life = {
  kind: 'MatrixOneCluster again',
  steps: [
    createCluster,
    awaited({ name: 'delete', ...clusters.remove }),
    awaited({ name: 'make again', ...clusters.create }),
    { name: 'delete again', ...clusters.remove },
  ],
};

const claim = {
  remove: { run: remove(CNClaim, 'one'), reached: gone(CNClaim, 'one') },
  create: create(CNClaim, { metadata: { name: 'one' }, spec: { selector } }),
  held: async (world: FaultWorld) => {
    const found = await world.client.of(CNClaim).find(at('one'));
    return found !== undefined && podOf(found) !== undefined && bound(1, 1)(world);
  },
};

/** A claim is made again under its name as soon as it is gone; it gets a pod, and that one only. */
const claimAgain: Life = {
  kind: 'CNClaim again',
  steps: [
    createPool,
    awaited({ name: 'claim', run: claim.create, reached: claim.held }),
    awaited({ name: 'give it back', ...claim.remove }),
    awaited({ name: 'claim again', run: claim.create, reached: claim.held }),
    awaited({ name: 'give it back again', run: claim.remove.run, reached: bound(0, 1) }),
    endOfPool,
  ],
};

/** Lives in which a name comes back, or something goes that others need. */
export const livesAgain: readonly Life[] = [logSetAgain, orphanedStore, logSetByHand, clusterAgain, claimAgain];
