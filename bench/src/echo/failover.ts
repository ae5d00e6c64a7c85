import type { Candidate } from './candidates.ts';
import { isDone } from './converge.ts';
import { EchoProcess } from './echo-process.ts';
import { followEchoes } from './follow.ts';
import { Echo } from './kind.ts';
import { echoOf, fill, startPlane } from './plane.ts';
import type { Figures } from './result.ts';

export interface FailoverOptions {
  /** Objects that are there, which a standby has to know. */
  readonly present: number;
  readonly limit: number;
}

/**
 * B7: two replicas with one lease; objects are created all the time, and the leader ends, by SIGTERM or by SIGKILL: how long nobody follows.
 * That two never write at once is shown by `./cox test faults` and `./cox test models`.
 */
export async function failover(
  candidate: Candidate,
  figures: Figures,
  { present, limit }: FailoverOptions,
): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const what = `leader ends by ${signal}, ${present} objects`;
    try {
      const gap = await gapAfter(candidate, signal, { present, limit });
      figures.add({ scenario: 'B7', what, candidate: candidate.name, measure: 'nobody follows', unit: 's' }, gap);
    } catch (error) {
      figures.missing({ scenario: 'B7', what, candidate: candidate.name }, error);
    }
  }
}

async function gapAfter(candidate: Candidate, signal: NodeJS.Signals, options: FailoverOptions): Promise<number> {
  await using plane = await startPlane();
  await fill(plane, 0, options.present);
  let followed = performance.now();
  let longest = 0;
  await using follower = await followEchoes(plane.client, (echo) => {
    if (!isDone(echo)) return;
    longest = Math.max(longest, performance.now() - followed);
    followed = performance.now();
  });
  const lease = 'default/echo';
  const start = () => new EchoProcess(candidate, { kubeconfig: plane.kubeconfig, lease });
  const first = start();
  await first.until('all', options.limit);
  const second = start();
  let next = options.present;
  let over = false;
  const load = async () => {
    while (!over) {
      await plane.client.of(Echo).create(echoOf(next++));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  // A server that is gone is seen by the waits below.
  const loading = load().catch(() => {});
  try {
    // Time for the standby to fill its caches.
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    longest = 0;
    followed = performance.now();
    const since = performance.now();
    await first.stop(signal);
    await follower.until(() => longest > 0 && followed - since > longest + 3_000, options.limit);
    return longest / 1000;
  } finally {
    over = true;
    await Promise.all([first.stop('SIGKILL'), second.stop('SIGKILL')]);
    await loading;
  }
}
