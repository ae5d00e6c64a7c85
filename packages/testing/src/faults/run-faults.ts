import { randomUuid, sleep, systemClock, systemRandom } from '@coxswain/runtime/core';
import { type FaultProxy, startFaultProxy } from '../fault-proxy/index.ts';
import { type EchoWorld, openEchoWorld } from './echo-world.ts';
import { type HeapSample, heapMarks } from './heap.ts';
import type { Program } from './process.ts';
import { type Subject, startSubject } from './subject.ts';
import type { EchoReport, FaultResult, FaultRunOptions } from './types.ts';

interface Scene {
  readonly proxy: FaultProxy;
  readonly subject: Subject;
  readonly lasts: number;
}

/** What is done to the operator: begins a fault, and resolves when the objects are to be changed. */
const faults = {
  reset: async ({ proxy }: Scene) => proxy.inject({ fault: 'reset' }),
  'half-open': async ({ proxy, lasts }: Scene) => proxy.inject({ fault: 'halfOpen', ms: lasts }),
  'compaction, 410': (scene: Scene) => forget(scene, false),
  'compaction, 410 in the stream': (scene: Scene) => forget(scene, true),
  'server killed': ({ subject }: Scene) => subject.crash(),
  '429, Retry-After': async ({ proxy, lasts }: Scene) => {
    proxy.inject({ fault: 'answer', status: 429, retryAfter: 1, lasts });
    proxy.inject({ fault: 'reset' });
  },
  'line cut': async ({ proxy }: Scene) => proxy.inject({ fault: 'truncate', times: 2 }),
} as const;

/** What the operator watches, each with an informer. */
const watched = ['echoes', 'configmaps'] as const;

/** Cut off, and what it missed is forgotten before it is back: each watch that resumes is told so once. */
async function forget({ proxy, subject }: Scene, inStream: boolean): Promise<void> {
  for (const resource of watched) {
    const match = { resource, resumes: true };
    proxy.inject({ fault: 'answer', status: 410, match, times: 1, inStream, lasts: Number.POSITIVE_INFINITY });
  }
  proxy.inject({ fault: 'reset' });
  await subject.compact();
}

/** Lists that a fault must lead to, each time. */
const listsAfter = (name: FaultName) => (name.startsWith('compaction') ? watched.length : 0);

/** A fault that the suite knows. */
export type FaultName = keyof typeof faults;
/** All faults that the suite knows, in the order they are run. */
export const faultNames = Object.keys(faults) as readonly FaultName[];

/** Runs the operator behind the proxy, and each fault in each cycle; tells of a fault as soon as it is through. */
export async function* runFaults(names: readonly FaultName[], options: FaultRunOptions): AsyncGenerator<FaultResult> {
  const { server, objects, lasts, callTimeout, watchIdle, patience, say = () => {} } = options;
  await using subject = await startSubject(server);
  await using proxy = await startFaultProxy({ kubeconfig: subject.kubeconfig() });
  const all = Array.from({ length: objects }, (_, i) => `echo-${i}`);
  await using world = await openEchoWorld(subject.kubeconfig(), all);
  const operator = await world.operator(proxy.kubeconfig(), {
    identity: 'echo',
    ...(callTimeout === undefined ? {} : { callTimeout }),
    ...(watchIdle === undefined ? {} : { watchIdle }),
  });
  await operator.said(({ report }) => report === 'leads' || undefined);
  const behind = await world.right(all, 'first', patience);
  if (behind.length > 0) throw new Error(`${behind.length} of ${objects} objects were never right, before any fault`);
  for (const name of names) {
    say(`${name}, ${options.cycles} times`);
    yield await runFault(name, { proxy, subject, lasts }, world, operator, all, options);
  }
}

async function runFault(
  name: FaultName,
  scene: Scene,
  world: EchoWorld,
  operator: Program,
  all: readonly string[],
  { cycles, patience }: FaultRunOptions,
): Promise<FaultResult> {
  const times: number[] = [];
  const heap: HeapSample[] = [];
  const marks = heapMarks(cycles);
  let [changed, missed] = [0, 0];
  const lists = scene.proxy.counts.lists;
  const { passes } = await statsOf(operator);
  for (let cycle = 0; cycle < cycles; cycle++) {
    const text = `${name} ${cycle}`;
    const share = all.filter((_, i) => i % 10 === cycle % 10);
    const listsNow = scene.proxy.counts.lists;
    const started = performance.now();
    await faults[name](scene);
    await world.say(share, text);
    missed += (await world.right(share, text, patience)).length;
    await listed(scene.proxy, listsNow + listsAfter(name), patience);
    times.push(performance.now() - started);
    changed += share.length;
    scene.proxy.calm();
    if (marks.includes(cycle + 1)) heap.push({ cycle: cycle + 1, bytes: (await statsOf(operator)).heap });
  }
  times.sort((a, b) => a - b);
  const after = await statsOf(operator);
  return {
    fault: name,
    cycles,
    changed,
    missed,
    median: times[times.length >> 1] ?? 0,
    longest: times.at(-1) ?? 0,
    lists: scene.proxy.counts.lists - lists,
    listsWanted: cycles * listsAfter(name),
    repeats: after.passes - passes - changed,
    heap,
  };
}

/** Resolves when the operator has listed so often, or the time is up: the result tells. */
async function listed(proxy: FaultProxy, lists: number, limit: number): Promise<void> {
  const end = systemClock.monotonic() + limit;
  while (proxy.counts.lists < lists && systemClock.monotonic() < end) await sleep(systemClock, 20);
}

type Stats = Extract<EchoReport, { report: 'stats' }>;
const isStats = (report: { readonly report: string }): report is Stats => report.report === 'stats';

async function statsOf(operator: Program): Promise<Stats> {
  const id = randomUuid(systemRandom);
  const answer = operator.said((report) => (isStats(report) && report.id === id ? report : undefined));
  operator.ask(id);
  return answer;
}
