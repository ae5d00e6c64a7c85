import { CNClaim, CNClaimSet, CNPool } from '../api/index.ts';
import { image, scale } from './test-fault-objects.ts';
import { directPods } from './test-life-of-direct-pods.ts';
import { bound, createPool, endOfPool, selector } from './test-pool-steps.ts';
import { change, create, type Life, remove } from './test-steps.ts';

const claim = (name: string): CNClaim => ({ metadata: { name }, spec: { selector } });
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
export const livesOfPools: readonly Life[] = [pools, nodeClaims, claimSets, directPods];
