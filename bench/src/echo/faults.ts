import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { merge } from '@coxswain/runtime/client';
import { type FaultProxy, type NetworkFault, startFaultProxy } from '@coxswain/testing';
import type { Candidate } from './candidates.ts';
import { isDone } from './converge.ts';
import { EchoProcess } from './echo-process.ts';
import { followEchoes } from './follow.ts';
import { Echo } from './kind.ts';
import { each, fill, keyOf, type Plane, startPlane } from './plane.ts';
import type { Figures } from './result.ts';

const faults: Readonly<Record<string, readonly NetworkFault[]>> = {
  'all connections reset': [{ fault: 'reset' }],
  '410 for watches': [{ fault: 'answer', status: 410, match: { verb: 'watch' }, lasts: 500 }, { fault: 'reset' }],
  '429 with Retry-After for 30 s': [{ fault: 'answer', status: 429, retryAfter: 1, lasts: 30_000 }, { fault: 'reset' }],
  'lines cut in the middle': [{ fault: 'truncate', times: 2 }],
  'half-open for 60 s': [{ fault: 'halfOpen', ms: 60_000 }],
};

/** Milliseconds all have at least to notice a connection that is dead and looks alive: a server says something once a minute. */
const noticing = 200_000;

/** Objects there are, and those that change while something is wrong. */
const [count, changing] = [1_000, 100];

/** B6: something happens to the network, objects change, and it passes: from the change until all are followed. */
export async function underFaults(
  candidate: Candidate,
  figures: Figures,
  { limit }: { readonly limit: number },
): Promise<void> {
  await using plane = await startPlane();
  await fill(plane, 0, count);
  await using proxy = await startFaultProxy({ kubeconfig: plane.kubeconfigText });
  const kubeconfig = join(dirname(plane.kubeconfig), 'through-proxy');
  await writeFile(kubeconfig, proxy.kubeconfig(), { mode: 0o600 });
  const operator = new EchoProcess(candidate, { kubeconfig, expect: count });
  try {
    await operator.until('all', limit);
    for (const [what, script] of Object.entries(faults)) {
      await playOne(plane, proxy, operator, { what, script, figures, limit });
    }
  } catch (error) {
    figures.missing({ scenario: 'B6', what: 'faults', candidate: candidate.name }, error);
  } finally {
    await operator.stop('SIGKILL');
  }
}

interface Case {
  readonly what: string;
  readonly script: readonly NetworkFault[];
  readonly figures: Figures;
  readonly limit: number;
}

let round = 1;

async function playOne(
  plane: Plane,
  proxy: FaultProxy,
  operator: EchoProcess,
  { what, script, figures, limit }: Case,
): Promise<void> {
  const n = ++round;
  const followed = new Set<string>();
  await using follower = await followEchoes(plane.client, (echo) => {
    if (echo.spec.n === n && isDone(echo)) followed.add(echo.metadata.name);
  });
  const { lists } = proxy.counts;
  const reconciles = await operator.reconciles();
  const add = (measure: string, unit: 's' | '', value: number) =>
    figures.add({ scenario: 'B6', what, candidate: operator.candidate.name, measure, unit }, value);
  for (const fault of script) proxy.inject(fault);
  const since = performance.now();
  await each(changing, (index) => plane.client.of(Echo).patch(keyOf(index), merge({ spec: { n } })));
  const all = follower.until(() => followed.size >= changing, Math.max(limit, noticing));
  await all.then(
    () => add('all followed', 's', (performance.now() - since) / 1000),
    (error: Error) => {
      const note = `${changing - followed.size} of ${changing} objects were not followed: ${error.message}`;
      figures.missing({ scenario: 'B6', what, candidate: operator.candidate.name }, note);
    },
  );
  add('lists', '', proxy.counts.lists - lists);
  add('reconciles for each change', '', ((await operator.reconciles()) - reconciles) / changing);
  proxy.calm();
}
