import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { type Durable, Replica } from './replica.ts';
import { type Command, newKeeperState, type Outcome } from './state.ts';

const uuids = ['log-0', 'log-1', 'log-2'];
const members = uuids.map((uuid, at) => ({ replicaId: 131072 + at, uuid }));
const expiry = { log: 3000, tn: 100, cn: 300, proxy: 300 };
const proxy = (uuid: string): Command => ({ kind: 'proxy', uuid, store: { listenAddress: '' } });

/** Three replicas in virtual time, and who is cut off from the others. */
class World {
  readonly clock = new VirtualClock();
  readonly cut = new Set<string>();
  readonly disks = new Map<string, Durable>();
  readonly replicas = new Map<string, Replica>();

  start(uuid: string, seed: number): void {
    const saved = this.disks.get(uuid) ?? { term: 0, version: { term: 0, index: 0 }, value: newKeeperState(members) };
    const replica = new Replica({
      uuid,
      clock: this.clock,
      random: seededRandom(seed),
      logger: silentLogger,
      expiry,
      ticksPerSecond: 10,
      saved,
      isMember: () => true,
      save: async (durable) => {
        this.disks.set(uuid, durable);
      },
      ask: async (to, question) => {
        const other = this.replicas.get(to);
        if (!other || this.cut.has(uuid) || this.cut.has(to)) throw new Error(`${to} does not answer`);
        return other.answer(question);
      },
    });
    this.replicas.set(uuid, replica);
    replica.run();
  }

  leaders(): string[] {
    return uuids.filter((uuid) => this.replicas.get(uuid)?.leader === uuid);
  }

  async propose(uuid: string, command?: Command): Promise<Outcome | undefined> {
    const outcome = this.replicas.get(uuid)?.propose(command);
    await this.clock.advance(10);
    return outcome;
  }

  stop(): void {
    for (const replica of this.replicas.values()) replica.stop();
  }
}

const proxiesOf = (outcome: Outcome | undefined) =>
  outcome && 'state' in outcome ? Object.keys(outcome.state.proxy).sort() : undefined;

test.each([1, 2, 3, 4, 5, 6])(
  'what was kept stays, whoever leads; what was not is not said to be (seed %i)',
  async (seed) => {
    const world = new World();
    for (const [at, uuid] of uuids.entries()) world.start(uuid, seed * 100 + at);
    await world.clock.advance(10_000);
    const [first = ''] = world.leaders();
    expect(world.leaders()).toEqual([first]);
    expect(proxiesOf(await world.propose(first, proxy('kept')))).toEqual(['kept']);

    world.cut.add(first);
    expect(await world.propose(first, proxy('lost'))).toBeUndefined();
    await world.clock.advance(10_000);
    const [second = ''] = world.leaders();
    expect([world.leaders().length, second === first]).toEqual([1, false]);
    expect(proxiesOf(await world.propose(second, proxy('new')))).toEqual(['kept', 'new']);

    world.cut.delete(first);
    await world.clock.advance(10_000);
    const [third = ''] = world.leaders();
    expect(world.leaders()).toHaveLength(1);
    expect(proxiesOf(await world.propose(third))).toEqual(['kept', 'new']);

    // All of them stop and start again with what they have on their disks.
    world.stop();
    for (const [at, uuid] of uuids.entries()) world.start(uuid, seed * 100 + at);
    await world.clock.advance(10_000);
    expect(proxiesOf(await world.propose(world.leaders()[0] ?? ''))).toEqual(['kept', 'new']);
    world.stop();
  },
);

test('without a majority nobody leads, and nothing is answered', async () => {
  const world = new World();
  world.start('log-0', 1);
  await world.clock.advance(10_000);
  expect([world.leaders(), await world.propose('log-0')]).toEqual([[], undefined]);
  world.stop();
});
