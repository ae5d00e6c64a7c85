import { expect, test } from 'vitest';
import { chartServiceArgs } from '../defaults/index.ts';
import { recordings } from '../golden/test-recording.ts';
import { TestStores } from '../pools/test-pools.ts';
import { World } from '../scenario/test-world.ts';
import { restarts, unexpected, written } from './test-changes.ts';
import { Upstream } from './test-upstream.ts';

/** Milliseconds until an operator has looked at everything, and longer than any pause between two looks. */
const settled = 30_000;
/** Longer than any delay after which OpenKruise takes a pod for available. */
const longestDelay = 60_000;
const longEnough = 330_000;
/** Milliseconds of the machine that a test may take. */
const patience = 120_000;

/** A third of the recordings, or all of them for `./cox test matrixone`: each costs seconds. */
const tried = recordings().filter((_, index) => process.env['COX_MATRIXONE'] === 'long' || index % 3 === 0);

test.each(tried)(
  '$name: taken over, all is as it was, and no pod restarts',
  { timeout: patience },
  async (recording) => {
    await using world = await World.start();
    await world.stopOperator();
    const upstream = await Upstream.load(world, recording);
    await world.clock.advance(longestDelay);
    const pods = await world.drive(upstream.pods());
    const before = await world.drive(upstream.objects());
    const logStores = () => Promise.reject(new Error('nobody is to be asked: no log store is restarted'));
    // Like the operator before it.
    const serviceArgs = { ...chartServiceArgs, bare: recording.name.startsWith('nowh') };
    const cnStores = Object.assign(new TestStores(), { logStores });
    await world.startOperator({ buckets: {}, cnStores, serviceArgs });
    await world.clock.advance(settled);
    expect(restarts(await world.drive(upstream.pods()))).toEqual(restarts(pods));
    const after = await world.drive(upstream.objects());
    expect(unexpected(before, after)).toEqual([]);
    await world.clock.advance(longEnough);
    expect([...written(after, await world.drive(upstream.objects()))], 'written later').toEqual([]);
    expect([...world.refusals]).toEqual([]);
  },
);
