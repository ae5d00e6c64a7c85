import { sleep, systemClock } from '@coxswain/runtime/core';
import { difference, type Requests, total, writes } from './requests.ts';
import type { Trace } from './trace.ts';
import { type Wanted, World } from './world.ts';

/** What a change of all clusters at once came to. */
export interface Step {
  readonly what: string;
  /** Seconds from the order of each cluster until it was as ordered, ascending. */
  readonly seconds: readonly number[];
  /** Until the last was. */
  readonly requests: Readonly<Record<string, number>>;
  /** Writes that still came afterwards, until there were none for {@link Sizes.quiet}. */
  readonly late: Readonly<Record<string, number>>;
  /** Seconds of the operator's CPU until the last was. */
  readonly cpu: number;
  /** MiB of the operator's, afterwards. */
  readonly resident: number;
}

export interface Idle {
  readonly seconds: number;
  readonly requests: Readonly<Record<string, number>>;
  readonly writes: number;
  readonly cpu: number;
}

export interface Result {
  readonly clusters: number;
  readonly steps: readonly Step[];
  readonly idle: Idle;
  /** MiB of the operator's: before there was a cluster, and the most it ever had. */
  readonly empty: number;
  readonly peak: number;
}

export interface Sizes {
  readonly clusters: number;
  /** Seconds that nothing is done. */
  readonly idle: number;
  /** Seconds that all may take to become as ordered. */
  readonly limit: number;
  /** Gets each of the operator's requests. */
  readonly trace?: Trace | undefined;
}

/** Milliseconds without a write after which a step is over. */
const quiet = 3_000;
const old = '2.1.0';
const next = '2.1.1';

const seconds = (since: number) => (systemClock.monotonic() - since) / 1000;

async function untilQuiet(world: World): Promise<Requests> {
  const before = world.requests();
  let [last, since] = [writes(before), systemClock.monotonic()];
  while (systemClock.monotonic() - since < quiet) {
    await sleep(systemClock, 100);
    const now = writes(world.requests());
    if (now !== last) [last, since] = [now, systemClock.monotonic()];
  }
  return difference(before, world.requests());
}

async function step(world: World, what: string, wanted: Wanted, { clusters, limit }: Sizes): Promise<Step> {
  const [before, { cpu }] = [world.requests(), await world.used()];
  const began = new Map<number, number>();
  const took: number[] = [];
  const order = what === 'create' ? world.create.bind(world) : world.change.bind(world);
  for (let index = 0; index < clusters; index++) {
    began.set(index, systemClock.monotonic());
    await order(index, wanted);
  }
  await world.until(
    () =>
      `${what}: ${[...began.keys()]
        .slice(0, 3)
        .map((index) => world.describe(index))
        .join('\n')}`,
    () => {
      for (const [index, since] of began) {
        if (!world.isSettled(index, wanted)) continue;
        took.push(seconds(since));
        began.delete(index);
      }
      return began.size === 0;
    },
    limit,
  );
  const requests = difference(before, world.requests());
  const used = (await world.used()).cpu - cpu;
  const late = await untilQuiet(world);
  return {
    what,
    seconds: took.sort((a, b) => a - b),
    requests: Object.fromEntries(requests),
    late: Object.fromEntries(late),
    cpu: used / 1000,
    resident: (await world.used()).resident,
  };
}

async function rest(world: World, period: number): Promise<Idle> {
  const [before, { cpu }] = [world.requests(), await world.used()];
  await sleep(systemClock, period * 1000);
  const requests = difference(before, world.requests());
  const used = (await world.used()).cpu - cpu;
  return { seconds: period, requests: Object.fromEntries(requests), writes: writes(requests), cpu: used / 1000 };
}

/** Lets an operator make so many clusters at once, leaves them alone, and changes them. */
export async function measure(sizes: Sizes, say: (line: string) => void): Promise<Result> {
  await using world = await World.start(sizes.clusters, sizes.trace);
  await untilQuiet(world);
  const { resident: empty } = await world.used();
  const steps: Step[] = [];
  const play = async (what: string, wanted: Wanted) => {
    sizes.trace?.step(what);
    const done = await step(world, what, wanted, sizes);
    steps.push(done);
    say(
      `${sizes.clusters} clusters, ${what}: ${done.seconds.at(-1)?.toFixed(1)} s, ${total(new Map(Object.entries(done.requests)))} requests`,
    );
  };
  await play('create', { nodes: 2, version: old });
  const idle = await rest(world, sizes.idle);
  await play('scale 2 to 4', { nodes: 4, version: old });
  await play('scale 4 to 2', { nodes: 2, version: old });
  await play('new image', { nodes: 2, version: next });
  return { clusters: sizes.clusters, steps, idle, empty, peak: (await world.used()).peak };
}
