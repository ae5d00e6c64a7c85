/**
 * `./cox bench start [--runs N] [--writes N]`: how fast an embedded cluster starts, what it weighs empty, how long the MatrixOne example
 * takes from apply to Ready, and whether `kill -9` loses an acknowledged write. An empty Node program and, when built, etcd +
 * kube-apiserver run beside it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { killTest } from './kill.ts';
import { controlPlanePeer } from './peers/control-plane.ts';
import { cpuMs, emptyNode, end, freePort, type Memory, memoryOf, startCox, untilAnswer } from './process.ts';
import { applyToReady } from './ready.ts';
import { ratio, spread } from './stats.ts';

interface Start extends Memory {
  /** Until `/livez` answers: the server is there. */
  readonly ms: number;
  /** Until `/readyz` does: the control plane works. */
  readonly readyMs: number;
  /** CPU until ready. */
  readonly cpu: number;
  readonly empty: { readonly ms: number; readonly cpu: number };
}

/** One start of an empty cluster: first answer, CPU until then, memory when it has settled; beside an empty program of the same moment. */
async function startOnce(home: string): Promise<Start> {
  const port = await freePort();
  const empty = await emptyNode();
  const since = performance.now();
  const child = startCox(['cluster', 'start', '--port', String(port), '--nodes', '1', '--name', `bench-${port}`], home);
  try {
    const ms = await untilAnswer(`https://127.0.0.1:${port}/livez`, since);
    const readyMs = await untilAnswer(`https://127.0.0.1:${port}/readyz`, since);
    const cpu = await cpuMs(child.pid ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    return { ms, readyMs, cpu, empty, ...(await memoryOf(child.pid ?? 0)) };
  } finally {
    await end(child);
  }
}

async function repeat<T>(times: number, run: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let i = 0; i < times; i++) results.push(await run());
  return results;
}

function print(what: string, value: string, target = ''): void {
  process.stdout.write(`${what.padEnd(52)} ${value.padEnd(28)} ${target}`.trimEnd());
  process.stdout.write('\n');
}

async function starting(home: string, runs: number): Promise<void> {
  await startOnce(home); // bundles and fills the compile cache, as a user's second start has it
  const starts = await repeat(runs, () => startOnce(home));
  const of = (value: (start: Start) => number) => starts.map(value);
  const [ms, cpu] = [of((start) => start.ms), of((start) => start.cpu)];
  print('process start to first HTTPS answer', spread(ms, 'ms'), 'target 300 ms');
  const readyMs = of((start) => start.readyMs);
  print('  to ready, control plane included', spread(readyMs, 'ms'));
  const emptyMs = of(({ empty }) => empty.ms);
  print('  of an empty Node program, to its end', spread(emptyMs, 'ms'), ratio(ms, emptyMs));
  const emptyCpu = of(({ empty }) => empty.cpu);
  print('CPU until ready', spread(cpu, 'ms'), 'target 250 ms');
  print('  of an empty Node program', spread(emptyCpu, 'ms'), ratio(cpu, emptyCpu));
  const resident = of((start) => start.resident);
  print('resident memory, empty', spread(resident, 'MiB'), 'target 120 MiB');
  const own = of((start) => start.own);
  print('  of it its own (the rest: pages of the Node binary)', spread(own, 'MiB'));
  const peer = await controlPlanePeer(Math.min(runs, 3));
  if (!peer) return print('peer: etcd + kube-apiserver', 'not built on this machine');
  const peerMs = peer.map((start) => start.ms);
  print('peer: etcd + kube-apiserver, to ready', spread(peerMs, 'ms'), `${ratio(peerMs, readyMs)} ours`);
  const peerCpu = peer.map((start) => start.cpu);
  print('peer: CPU of both until then', spread(peerCpu, 'ms'), `${ratio(peerCpu, cpu)} ours`);
  const peerMib = peer.map((start) => start.mib);
  print('peer: resident memory of both', spread(peerMib, 'MiB'), `${ratio(peerMib, resident)} ours`);
}

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '5' }, writes: { type: 'string', default: '10000' } },
});
const runs = Number(values.runs);
const home = await mkdtemp(join(tmpdir(), 'coxswain-bench-'));
try {
  await starting(home, runs);
  const ready = await repeat(runs, applyToReady);
  print('MatrixOne example, apply to Ready', spread(ready, 'ms'), 'target 2000 ms');
  print('  the first in its process', spread(ready.slice(0, 1), 'ms'));
  const kill = await killTest({ home, writes: Number(values.writes) });
  print(
    `kill -9 within ${values.writes} writes, --fsync always`,
    `${kill.lost} of ${kill.acknowledged} lost`,
    'target 0',
  );
  if (kill.lost > 0) process.exitCode = 1;
} finally {
  await rm(home, { recursive: true, force: true });
}
