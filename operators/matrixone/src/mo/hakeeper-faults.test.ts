import fc from 'fast-check';
import { expect, test } from 'vitest';
import { errorCode } from './index.ts';
import { TestLogService, watch } from './test-log-service.ts';

const addresses = ['log-0:32001', 'log-1:32001', 'log-2:32001'];
const faults = ['none', 'down', 'silent', 'blackhole', 'hang', errorCode.noHaKeeper, errorCode.timeout] as const;
type Fault = (typeof faults)[number];

/** From now on the store has this fault, and no other. */
function put(world: TestLogService, index: number, fault: Fault): void {
  const address = addresses[index] ?? '';
  world.faults.delete(address);
  world.network.blackholes.delete(address);
  world.start(address, BigInt(index + 1));
  if (fault === 'down') world.network.stop(address);
  else if (fault === 'silent') {
    for (const made of world.network.streams) if (made.address === address) made.stream.silence();
  } else if (fault === 'blackhole') world.network.blackholes.add(address);
  else if (fault !== 'none') world.faults.set(address, fault);
}

const step = fc.record({
  index: fc.nat(2),
  fault: fc.constantFrom(...faults),
  wait: fc.nat(3000),
  timeout: fc.integer({ min: 1, max: 12_000 }),
});

test('whatever fails, every call ends with its time, and the first after it all is answered', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      const world = new TestLogService();
      for (const index of [0, 1, 2]) put(world, index, 'none');
      world.leader = 2n;
      const keeper = world.haKeeper(addresses);
      const calls: { readonly until: number; readonly call: { readonly done: boolean } }[] = [];
      for (const { index, fault, wait, timeout } of steps) {
        put(world, index, fault);
        calls.push({ until: world.clock.monotonic() + timeout, call: watch(keeper.clusterDetails({ timeout })) });
        await world.clock.advance(wait);
        for (const { until, call } of calls) expect(call.done || world.clock.monotonic() < until).toBe(true);
      }
      for (const index of [0, 1, 2]) put(world, index, 'none');
      const last = watch(keeper.clusterDetails());
      await world.clock.advance(15_000);
      expect(last).toMatchObject({ done: true, value: { cnStores: [] } });
      expect(calls.every(({ call }) => call.done)).toBe(true);
      world.client.close();
      await world.clock.advance(20_000);
      expect(world.clock.untilNext).toBeUndefined();
    }),
    { numRuns: 60 },
  );
});

test.each([errorCode.internal, errorCode.rejected, errorCode.invalidRange, 20438])(
  'a replica that answers with error %i is not asked for ever: the next call goes to another',
  async (code) => {
    const world = new TestLogService();
    for (const index of [0, 1, 2]) put(world, index, 'none');
    world.leader = 1n;
    const keeper = world.haKeeper(addresses);
    world.faults.set('log-0:32001', code);
    await expect(keeper.clusterDetails()).rejects.toMatchObject({ code });
    expect(await keeper.clusterDetails()).toMatchObject({ cnStores: [] });
    world.client.close();
  },
);
