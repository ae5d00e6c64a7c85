import { ConfigMap, Pod } from '@coxswain/k8s';
import { CNClaim, CNSet, podOf } from '../api/index.ts';
import { directPod } from '../pools/test-direct-pod.ts';
import type { FaultWorld } from './test-fault-world.ts';
import { bound, createPool, endOfPool } from './test-pool-steps.ts';
import { at, create, gone, type Life, namespace, remove } from './test-steps.ts';

const mine = { made: 'elsewhere' };
const agent = { metadata: { name: 'agent' } };

/** What makes pods of its own for claims that wait: a pod that says whose it is from the start, and is no business of OpenKruise's. */
async function bringPod(world: FaultWorld): Promise<void> {
  const [set] = (await world.drive(world.client.of(CNSet).list({ namespace }))).items;
  const maker = await world.drive(world.client.of(ConfigMap).get(at('agent')));
  await create(Pod, directPod(set?.metadata.name ?? '', maker, mine))(world);
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
