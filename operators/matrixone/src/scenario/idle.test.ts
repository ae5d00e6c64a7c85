import { expect, test } from 'vitest';
import { KnownNodes } from './test-known-nodes.ts';
import { TroubleWorld } from './test-trouble.ts';

const hour = 3_600_000;
const hours = 4;

/** Milliseconds of CPU that the whole world takes for so many hours. */
async function cpuOf({ world }: TroubleWorld, count: number): Promise<number> {
  const start = process.cpuUsage();
  await world.clock.advance(count * hour);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

test('a cluster that nobody touches for hours: nothing is written, nothing is asked, and hardly any CPU is taken', async () => {
  await using world = await TroubleWorld.settled(undefined, { buckets: {} });
  // What follows from the start is over: nodes have been ready for as long as OpenKruise wants.
  await world.world.clock.advance(hour);
  const before = await world.world.versions();
  const from = world.requests.length;
  const cpu = await cpuOf(world, hours);
  expect(world.requests.slice(from).map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  expect(await world.world.versions()).toEqual(before);
  await world.world.stopOperator();
  // What nodes and the control plane do by themselves is much more.
  expect(cpu / hours).toBeLessThan((await cpuOf(world, 2)) + 100);
});

test('where nodes are looked at for what they may have forgotten, HAKeeper is asked as often as it must be, and the server not at all', async () => {
  let asked = 0;
  const cnStores = new KnownNodes();
  const serve = cnStores.serve.bind(cnStores);
  cnStores.serve = (...call) => {
    asked++;
    return serve(...call);
  };
  await using world = await TroubleWorld.settled(undefined, { cnStores });
  await world.world.clock.advance(hour);
  const from = world.requests.length;
  asked = 0;
  await world.world.clock.advance(hours * hour);
  expect(world.requests.length - from).toBe(0);
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(2 * Math.ceil((hours * hour) / cnStores.refreshAfter));
});
