import { Pod } from '@coxswain/k8s';
import { CNClaim, CNClaimSet, CNPool } from '../api/index.ts';
import { config, deps, draining, image, oldImage, scale } from './test-fault-objects.ts';
import type { FaultWorld } from './test-fault-world.ts';
import { change, cnPods, create, gone, type Life, namespace, remove, type Step } from './test-steps.ts';

const selector = { matchLabels: { pool: 'p' } };
const pool: CNPool = {
  metadata: { name: 'p' },
  spec: {
    template: { image: oldImage, config, scalingConfig: draining } as CNPool['spec']['template'],
    podLabels: { pool: 'p' },
    deps,
    strategy: { updateStrategy: {}, scaleStrategy: { maxIdle: 1 } },
  },
};
const claim = (name: string): CNClaim => ({ metadata: { name }, spec: { selector } });
const bound =
  (count: number, idle: number) =>
  async ({ client }: FaultWorld) => {
    const { items } = await client.of(Pod).list({ namespace, labels: cnPods });
    const inPhase = (wanted: string) =>
      items.filter(({ metadata }) => metadata.labels?.['pool.matrixorigin.io/phase'] === wanted);
    return items.length === count + idle && inPhase('Bound').length === count && inPhase('Idle').length === idle;
  };
const noPods = bound(0, 0);
const endOfPool: Step = {
  name: 'delete the pool',
  run: remove(CNPool, 'p'),
  reached: async (world) => (await gone(CNPool, 'p')(world)) && (await noPods(world)),
};
const createPool: Step = { name: 'create a pool', run: create(CNPool, pool), reached: bound(0, 1) };
const idle = (maxIdle: number) => ({ spec: { strategy: { scaleStrategy: { maxIdle } } } });

const pools: Life = {
  kind: 'CNPool',
  steps: [
    createPool,
    { name: 'more', run: change(CNPool, 'p', idle(3)), reached: bound(0, 3) },
    { name: 'upgrade', run: change(CNPool, 'p', { spec: { template: { image } } }), reached: bound(0, 3) },
    { name: 'fewer', run: change(CNPool, 'p', idle(1)), reached: bound(0, 1) },
    endOfPool,
  ],
};

const nodeClaims: Life = {
  kind: 'CNClaim',
  steps: [
    createPool,
    { name: 'claim', run: create(CNClaim, claim('one')), reached: bound(1, 1) },
    { name: 'claim another', run: create(CNClaim, claim('two')), reached: bound(2, 1) },
    { name: 'give one back', run: remove(CNClaim, 'one'), reached: bound(1, 1) },
    { name: 'give the other back', run: remove(CNClaim, 'two'), reached: bound(0, 1), first: true },
    endOfPool,
  ],
};

const claimSets: Life = {
  kind: 'CNClaimSet',
  steps: [
    createPool,
    {
      name: 'create',
      run: create(CNClaimSet, { metadata: { name: 's' }, spec: { replicas: 1, template: { spec: { selector } } } }),
      reached: bound(1, 1),
    },
    { name: 'scale out', run: change(CNClaimSet, 's', scale(3)), reached: bound(3, 1) },
    { name: 'scale in', run: change(CNClaimSet, 's', scale(1)), reached: bound(1, 1) },
    { name: 'delete', run: remove(CNClaimSet, 's'), reached: bound(0, 1), first: true },
    endOfPool,
  ],
};

/** Lives of compute nodes that are kept ready. */
export const livesOfPools: readonly Life[] = [pools, nodeClaims, claimSets];
