/**
 * `./cox bench start [--runs N] [--writes N]`: how fast an embedded cluster starts, what it weighs empty, how long the MatrixOne example
 * takes from apply to Ready, and whether `kill -9` loses an acknowledged write. etcd + kube-apiserver, when built, run beside it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { killTest } from './kill.ts';
import { controlPlanePeer } from './peers/control-plane.ts';
import { cpuMs, end, freePort, residentMiB, startCox, untilAnswer } from './process.ts';
import { applyToReady } from './ready.ts';
import { spread } from './stats.ts';

interface Start {
  readonly ms: number;
  readonly cpu: number;
  readonly mib: number;
}

/** One start of an empty cluster: first answer, CPU until then, memory when it has settled. */
async function startOnce(home: string): Promise<Start> {
  const port = await freePort();
  const since = performance.now();
  const child = startCox(['cluster', 'start', '--port', String(port), '--nodes', '1', '--name', `bench-${port}`], home);
  try {
    const ms = await untilAnswer(`https://127.0.0.1:${port}/readyz`, since);
    const cpu = await cpuMs(child.pid ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    return { ms, cpu, mib: await residentMiB(child.pid ?? 0) };
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
  process.stdout.write(`${what.padEnd(52)} ${value.padEnd(28)} ${target}\n`);
}

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '5' }, writes: { type: 'string', default: '10000' } },
});
const runs = Number(values.runs);
const home = await mkdtemp(join(tmpdir(), 'coxswain-bench-'));
try {
  await startOnce(home); // fills the compile cache, as a user's second start has it
  const starts = await repeat(runs, () => startOnce(home));
  print(
    'process start to first HTTPS answer',
    spread(
      starts.map(({ ms }) => ms),
      'ms',
    ),
    'target 300 ms',
  );
  print(
    '  CPU until then',
    spread(
      starts.map(({ cpu }) => cpu),
      'ms',
    ),
  );
  print(
    'resident memory, empty',
    spread(
      starts.map(({ mib }) => mib),
      'MiB',
    ),
    'target 120 MiB',
  );
  const peer = await controlPlanePeer(Math.min(runs, 3));
  if (peer) {
    print(
      'peer: etcd + kube-apiserver, first answer',
      spread(
        peer.map(({ ms }) => ms),
        'ms',
      ),
    );
    print(
      'peer: resident memory of both',
      spread(
        peer.map(({ mib }) => mib),
        'MiB',
      ),
    );
  } else print('peer: etcd + kube-apiserver', 'not built on this machine');
  const ready = await repeat(runs, applyToReady);
  print('MatrixOne example, apply to Ready', spread(ready, 'ms'), 'target 2000 ms');
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
