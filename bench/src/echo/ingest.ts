import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Candidate } from './candidates.ts';
import { EchoProcess } from './echo-process.ts';
import { ReplayServer } from './replay-server.ts';
import type { Figures } from './result.ts';

/** B3: how many events a second an operator takes when the server is no limit. */
export async function ingest(
  candidate: Candidate,
  figures: Figures,
  { events, limit }: { readonly events: number; readonly limit: number },
): Promise<void> {
  const what = `${events} events of 1000 objects, replayed`;
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-replay-'));
  await using replay = await ReplayServer.start(1_000);
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, replay.kubeconfig());
  const operator = new EchoProcess(candidate, { kubeconfig, expect: 1_000 });
  try {
    await operator.until('all', limit);
    await replay.calm(AbortSignal.timeout(limit));
    const cpu = await operator.cpu();
    const late = AbortSignal.timeout(limit);
    const why = new Error(`${events} events took over ${limit / 1000} s`);
    const tooLate = new Promise<never>((_, reject) => late.addEventListener('abort', () => reject(why)));
    const seconds = await Promise.race([replay.play(events), tooLate]);
    const add = (measure: string, unit: '/s' | 's', value: number) =>
      figures.add({ scenario: 'B3', what, candidate: candidate.name, measure, unit }, value);
    add('events', '/s', events / seconds);
    add('CPU for 100,000', 's', (((await operator.cpu()) - cpu) / 1000 / events) * 100_000);
  } catch (error) {
    figures.missing({ scenario: 'B3', what, candidate: candidate.name }, error);
  } finally {
    await operator.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
