// Replicas come, leave, are killed, stand still and lose their server, from a seed, in virtual time. At no moment do two work one key or
// write for one, and when all is calm again every key is worked by somebody. `COX_RUNS=5000 COX_SEED=7 npx vitest run sharding.model` plays longer.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createClient, type Transport } from '../client/index.ts';
import { seededRandom, sleep, VirtualClock } from '../core/index.ts';
import { createManager, type Manager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Widget, widget } from '../manager/test-kinds.ts';

const runs = Number(process.env['COX_RUNS'] ?? 12);
const keys = Array.from({ length: 12 }, (_, i) => `w${i}`);

/** A replica with a way to the server of its own, which can be cut. */
class Replica {
  readonly manager: Manager;
  cut = false;
  killed = false;

  constructor(world: World, name: string, seed: number) {
    const { api, clock } = world;
    const check = () => {
      if (this.cut || this.killed) throw new Error('no way to the server');
    };
    const transport: Transport = {
      async send(request) {
        check();
        const answer = await api.send(request);
        check();
        return answer;
      },
      async watch(request) {
        check();
        return api.watch(request);
      },
      close: () => Promise.resolve(),
    };
    const client = createClient({ transport, clock, random: seededRandom(seed) });
    this.manager = createManager({
      client,
      name: name,
      clock,
      random: seededRandom(seed + 1),
      shutdownTimeout: 5_000,
    });
    this.manager
      .controller(Widget)
      .options({ sharding: { shards: 4, namespace: 'default', lease: 'widgets' }, resync: 20_000 })
      .run({
        reconcile: async ({ key, client: writer, signal }) => {
          if (this.killed) return;
          world.began(key.name, name, signal);
          try {
            await sleep(clock, 300, signal);
            await writer
              .of(Widget)
              .patch(key, { type: 'merge', body: { status: { size: seed } } }, { subresource: 'status' });
          } finally {
            world.ended(key.name, name);
          }
        },
      });
  }
}

class World {
  readonly clock = new VirtualClock();
  readonly api = new TestApi(this.clock);
  readonly replicas: Replica[] = [];
  readonly worked = new Map<string, number>();
  /** Keys that two worked at once. */
  readonly wrong: string[] = [];
  /** Who works a key now, with the signal that ends it. */
  readonly #working = new Map<string, { readonly by: string; readonly signal: AbortSignal }>();

  began(key: string, by: string, signal: AbortSignal): void {
    const other = this.#working.get(key);
    // One that was told to stop writes no more, nor does a process that is gone.
    const gone = this.replicas.some(({ manager, killed }) => killed && manager.name === other?.by);
    if (other && other.by !== by && !other.signal.aborted && !gone) this.wrong.push(`${key}: ${by} and ${other.by}`);
    this.#working.set(key, { by, signal });
    this.worked.set(key, this.clock.now());
  }

  ended(key: string, by: string): void {
    if (this.#working.get(key)?.by === by) this.#working.delete(key);
  }

  join(seed: number): void {
    const replica = new Replica(this, `r${this.replicas.length}`, seed);
    this.replicas.push(replica);
    replica.manager.start().catch(() => {});
  }
}

type Step =
  | { readonly do: 'join'; readonly seed: number }
  | { readonly do: 'leave' | 'kill' | 'cut' | 'mend'; readonly which: number }
  | { readonly do: 'wait'; readonly ms: number };

const which = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('join' as const), seed: fc.integer({ min: 1, max: 1_000_000 }) }),
  fc.record({ do: fc.constantFrom('leave' as const, 'kill' as const, 'cut' as const, 'mend' as const), which }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 100, max: 20_000 }) }),
);

async function play(world: World, action: Step): Promise<void> {
  const { clock, replicas } = world;
  if (action.do === 'wait') return void (await clock.advance(action.ms));
  if (action.do === 'join') return world.join(action.seed);
  const replica = replicas[action.which % Math.max(1, replicas.length)];
  if (!replica || replica.killed) return;
  if (action.do === 'cut') replica.cut = true;
  if (action.do === 'mend') replica.cut = false;
  if (action.do === 'kill') replica.killed = true;
  if (action.do === 'leave') {
    replicas.splice(replicas.indexOf(replica), 1);
    const stopped = replica.manager.stop();
    await clock.advance(30_000);
    await stopped;
  }
}

it('no key is ever worked by two, and every key by one in the end', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const world = new World();
      for (const name of keys) await world.api.client().of(Widget).create(widget(name));
      world.join(1);
      for (const action of steps) {
        await play(world, action);
        // Time for what was begun to meet what follows.
        await world.clock.advance(700);
      }
      for (const replica of world.replicas) replica.cut = false;
      world.join(99);
      await world.clock.advance(120_000);
      const calm = world.clock.now();
      await world.clock.advance(45_000);
      const idle = keys.filter((key) => (world.worked.get(key) ?? 0) < calm);
      expect(world.wrong).toEqual([]);
      expect(idle).toEqual([]);
      for (const replica of world.replicas) {
        const stopped = replica.manager.stop();
        await world.clock.advance(60_000);
        await stopped;
      }
    }),
    { numRuns: runs },
  );
});
