import { Pod } from '@coxswain/k8s';
import { CNPool } from '../api/index.ts';
import { config, deps, draining, oldImage } from './test-fault-objects.ts';
import type { FaultWorld } from './test-fault-world.ts';
import { cnPods, create, gone, namespace, remove, type Step } from './test-steps.ts';

/** What claims of these lives ask for. */
export const selector = { matchLabels: { pool: 'p' } };
const pool: CNPool = {
  metadata: { name: 'p' },
  spec: {
    template: { image: oldImage, config, scalingConfig: draining } as CNPool['spec']['template'],
    podLabels: { pool: 'p' },
    deps,
    strategy: { updateStrategy: {}, scaleStrategy: { maxIdle: 1 } },
  },
};
/** Whether there are so many nodes that are claimed, so many that are ready for a claim, and no others. */
export const bound =
  (count: number, idle: number) =>
  async ({ client }: FaultWorld) => {
    const { items } = await client.of(Pod).list({ namespace, labels: cnPods });
    const inPhase = (wanted: string) =>
      items.filter(({ metadata }) => metadata.labels?.['pool.matrixorigin.io/phase'] === wanted);
    return items.length === count + idle && inPhase('Bound').length === count && inPhase('Idle').length === idle;
  };
const noPods = bound(0, 0);
/** Takes the pool away with its nodes. */
export const endOfPool: Step = {
  name: 'delete the pool',
  run: remove(CNPool, 'p'),
  reached: async (world) => (await gone(CNPool, 'p')(world)) && (await noPods(world)),
};
/** A pool `p` that keeps one node ready. */
export const createPool: Step = { name: 'create a pool', run: create(CNPool, pool), reached: bound(0, 1) };
