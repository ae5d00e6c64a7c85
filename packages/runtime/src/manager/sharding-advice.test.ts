import { afterEach, expect, it } from 'vitest';
import { type Logger, seededRandom, silentLogger, VirtualClock } from '../core/index.ts';
import { createManager, type Manager, type ManagerOptions } from './index.ts';
import { TestApi } from './test-api.ts';
import { Part, Widget } from './test-kinds.ts';

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

function world(options: Partial<ManagerOptions>) {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const log: Logger = { ...silentLogger, child: () => log, warn: (_, message) => void warnings.push(message) };
  const client = new TestApi(clock).client();
  const manager = createManager({ client, clock, random: seededRandom(1), name: 'op', log, ...options });
  managers.push(manager);
  const reconciler = { reconcile: async () => {} };
  const sharding = { shards: 2, namespace: 'system', lease: 'op' };
  return {
    manager,
    warnings,
    shards: () => manager.controller(Widget).options({ sharding }).run(reconciler),
    whole: (leaderOnly = true) => manager.controller(Part, 'parts').options({ leaderOnly }).run(reconciler),
  };
}

const election = { namespace: 'system', lease: 'op' };

it('an election that nothing waits for is told', async () => {
  const t = world({ election });
  t.shards();
  t.whole(false);
  await t.manager.start();
  expect(t.warnings).toEqual([
    expect.stringMatching(/^all controllers are sharded, so nothing waits for the election.*leave it out$/),
  ]);
});

it('so are controllers and runnables that every replica would run whole beside its shards', async () => {
  const t = world({});
  t.shards();
  t.whole();
  t.manager.add({ name: 'backup', leaderOnly: true, start: async () => {} });
  await t.manager.start();
  expect(t.warnings).toEqual([
    expect.stringContaining('each replica that shares in the shards also runs parts, backup whole'),
  ]);
});

it('nothing else is: shards alone, an election for what is whole, no shards', async () => {
  const worlds = [world({}), world({ election }), world({}), world({ election })];
  worlds[0]?.shards();
  worlds[1]?.shards();
  worlds[1]?.whole();
  worlds[2]?.whole();
  worlds[3]?.whole(false);
  for (const { manager, warnings } of worlds) {
    await manager.start();
    expect(warnings).toEqual([]);
  }
});
