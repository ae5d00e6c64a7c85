import type { Candidate } from './candidates.ts';
import { EchoProcess } from './echo-process.ts';
import { difference, fill, type Plane } from './plane.ts';
import type { Figures } from './result.ts';

export interface ColdStartOptions {
  readonly sizes: readonly number[];
  readonly runs: number;
  /** Milliseconds a start may take. */
  readonly limit: number;
  /** Milliseconds a started operator is left alone, for the figures at rest. */
  readonly rest: number;
  /** Tells what is being done. */
  say(text: string): void;
}

/**
 * B1 and B2: an operator starts beside objects that are all as they should be, as after an upgrade of its image: until its caches are full
 * and each object was reconciled once. Then it is left alone.
 */
export async function coldStart(
  plane: Plane,
  candidates: readonly Candidate[],
  figures: Figures,
  { sizes, runs, limit, rest, say }: ColdStartOptions,
): Promise<void> {
  let present = 0;
  for (const size of sizes) {
    say(`cold start: ${size} objects are made`);
    await fill(plane, present, size);
    await idle(plane);
    present = size;
    for (let run = 0; run < runs; run++) {
      for (const candidate of candidates) {
        if (figures.hasFailed('B1', candidate.name)) {
          notAgain(figures, size, candidate);
          continue;
        }
        say(`cold start, ${size} objects, ${candidate.name}, run ${run + 1}`);
        await startOnce(plane, candidate, figures, { size, limit, rest: run === 0 ? rest : 0 });
      }
    }
  }
}

/** What failed is told where it failed; what is larger says that it was not tried. */
function notAgain(figures: Figures, size: number, { name: candidate }: Candidate): void {
  const what = `cold start, ${size} objects`;
  const tried = figures.all.some((one) => one.scenario === 'B1' && one.what === what && one.candidate === candidate);
  if (!tried) figures.missing({ scenario: 'B1', what, candidate }, 'not tried, since it failed with fewer');
}

/** Waits until the servers have digested what was filled in, as the first to start would pay for it; a minute at most. */
async function idle(plane: Plane): Promise<void> {
  let before = await plane.cpu();
  for (let quiet = 0, seconds = 0; quiet < 3 && seconds < 60; seconds++) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const now = await plane.cpu();
    quiet = now - before < 100 ? quiet + 1 : 0;
    before = now;
  }
}

async function startOnce(
  plane: Plane,
  candidate: Candidate,
  figures: Figures,
  { size, limit, rest }: { readonly size: number; readonly limit: number; readonly rest: number },
): Promise<void> {
  const what = `cold start, ${size} objects`;
  const add = (measure: string, unit: 's' | 'MiB' | '', value: number, scenario = 'B1') =>
    figures.add({ scenario, what, candidate: candidate.name, measure, unit }, value);
  const [requests, serverCpu] = [await plane.requests(), await plane.cpu()];
  const operator = new EchoProcess(candidate, { kubeconfig: plane.kubeconfig, expect: size, metricsPort: 0 });
  try {
    const all = await operator.until('all', limit);
    const cpu = await operator.cpu();
    add('caches full', 's', (await operator.until('synced')) / 1000);
    add('all reconciled', 's', all / 1000);
    add('CPU until then', 's', cpu / 1000);
    add('CPU of the servers', 's', ((await plane.cpu()) - serverCpu) / 1000);
    add('peak memory', 'MiB', (await operator.memory()).peak);
    const asked = difference(requests, await plane.requests(), () => false);
    const writes = [...asked].filter(([key]) => /^(POST|PUT|PATCH|APPLY|DELETE) /.test(key));
    add(
      'writes',
      '',
      writes.reduce((sum, [, count]) => sum + count, 0),
    );
    if (rest > 0) await atRest(operator, rest, add);
  } catch (error) {
    figures.missing({ scenario: 'B1', what, candidate: candidate.name }, error);
  } finally {
    await operator.stop();
  }
}

async function atRest(
  operator: EchoProcess,
  rest: number,
  add: (measure: string, unit: 's' | 'MiB', value: number, scenario: string) => void,
): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const cpu = await operator.cpu();
  await new Promise((resolve) => setTimeout(resolve, rest));
  add('memory at rest', 'MiB', (await operator.memory()).now, 'B2');
  add('CPU at rest, a minute', 's', (((await operator.cpu()) - cpu) / rest) * 60, 'B2');
}
