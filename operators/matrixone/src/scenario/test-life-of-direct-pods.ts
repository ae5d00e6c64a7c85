import { ConfigMap, Pod } from '@coxswain/k8s';
import {
  ANNOTATION_POOL_MANAGEMENT_POLICY,
  CNClaim,
  CNSet,
  CONDITION_CN_STORE,
  LABEL_CLAIMED_BY,
  LABEL_DIRECT_POD,
  LABEL_PHASE,
  podOf,
  setLabels,
} from '../api/index.ts';
import { oldImage } from './test-fault-objects.ts';
import type { FaultWorld } from './test-fault-world.ts';
import { bound, createPool, endOfPool } from './test-pool-steps.ts';
import { at, create, gone, type Life, namespace, remove } from './test-steps.ts';

const mine = { made: 'elsewhere' };
const agent = { metadata: { name: 'agent' } };

/** What makes pods of its own for claims that wait: a pod that says whose it is from the start, and is no business of OpenKruise's. */
async function bringPod(world: FaultWorld): Promise<void> {
  const [set] = (await world.drive(world.client.of(CNSet).list({ namespace }))).items;
  const { uid = '', name } = await world.drive(world.client.of(ConfigMap).get(at('agent'))).then((map) => map.metadata);
  await create(Pod, {
    metadata: {
      name: 'own',
      labels: {
        ...setLabels('CNSet', namespace, set?.metadata.name ?? ''),
        ...mine,
        [LABEL_DIRECT_POD]: 'y',
        [LABEL_PHASE]: 'Bound',
        [LABEL_CLAIMED_BY]: 'one',
      },
      annotations: { [ANNOTATION_POOL_MANAGEMENT_POLICY]: 'Pooling' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true }],
    },
    spec: {
      containers: [{ name: 'main', image: oldImage }],
      readinessGates: [{ conditionType: CONDITION_CN_STORE }],
    },
  })(world);
}

const claimOf = ({ client }: FaultWorld) => client.of(CNClaim).find(at('one'));

/** A pod that somebody else makes for a claim serves it, and is emptied and deleted when the claim gives it back. */
export const directPods: Life = {
  kind: 'Direct pod',
  steps: [
    createPool,
    {
      name: 'claim',
      async run(world) {
        await create(ConfigMap, agent)(world);
        await create(CNClaim, { metadata: { name: 'one' }, spec: { selector: { matchLabels: mine } } })(world);
      },
      reached: async (world) => (await claimOf(world))?.status?.phase === 'Pending' && (await bound(0, 1)(world)),
      first: true,
    },
    {
      name: 'bring a pod',
      run: bringPod,
      reached: async (world) => {
        const claim = await claimOf(world);
        return claim !== undefined && podOf(claim) === 'own' && world.sessions.serving('own') && bound(1, 1)(world);
      },
      first: true,
    },
    {
      name: 'give it back',
      run: remove(CNClaim, 'one'),
      reached: async (world) => (await gone(Pod, 'own')(world)) && (await bound(0, 1)(world)),
    },
    endOfPool,
  ],
};
