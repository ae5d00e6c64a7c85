import { expect, test } from 'vitest';
import { namespacesAllowed, whyNot } from '../node/network/namespaces/test-allowed.ts';
import { type Belongings, belongings, comeAndGo, leftOvers } from './test-come-and-go.ts';
import { ServerWorld } from './test-world.ts';

/** `./cox test nemesis` asks for many more. */
const rounds = Number(process.env['COX_NEMESIS_ROUNDS'] ?? 10);
const atATime = 5;
/** Descriptors that may come late: connections that are kept for the next request, a file that is being read. */
const allowance = 4;

/** What the machine holds for pods and claims, once there are none any more. */
const settled = (world: ServerWorld): Promise<Belongings> =>
  world.until('the end of all pods and volumes', async () => {
    const now = await belongings();
    if (now.loops + now.pods + now.volumes > 0)
      throw new Error(`there are ${JSON.stringify(now)}, among them ${JSON.stringify(await leftOvers())}`);
    return now;
  });

const networks = ['loopback', 'namespaces'] as const;
const timeout = 60_000 + rounds * 5_000;

test.for(networks)(
  `${rounds} pods that come and go leave nothing behind: %s`,
  { timeout },
  async (podNetwork, { skip }) => {
    skip(podNetwork === 'namespaces' && !namespacesAllowed, whyNot);
    await using world = await ServerWorld.start({ podNetwork });
    // what is made once and stays is there after the first ones
    await comeAndGo(world, { rounds: atATime, atATime });
    const before = await settled(world);
    await comeAndGo(world, { rounds, atATime });
    await world.until('everything to be as before', async () => {
      const now = await settled(world);
      for (const [what, count] of Object.entries(now) as [keyof Belongings, number][])
        expect(count, what).toBeLessThanOrEqual(before[what] + (what === 'descriptors' ? allowance : 0));
      if (process.env['COX_NEMESIS_ROUNDS']) process.stdout.write(`${JSON.stringify({ before, now })}\n`);
      return true;
    });
  },
);
