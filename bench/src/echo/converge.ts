import type { Condition } from '@coxswain/k8s';
import type { Candidate } from './candidates.ts';
import { EchoProcess } from './echo-process.ts';
import { followEchoes } from './follow.ts';
import { Echo } from './kind.ts';
import { difference, each, echoOf, startPlane } from './plane.ts';
import type { Figures } from './result.ts';

/** Whether the status speaks of the newest generation. */
export function isDone(echo: Echo): boolean {
  const { status, metadata } = echo;
  const ready = (status?.conditions as readonly Condition[] | undefined)?.find(({ type }) => type === 'Ready');
  return status?.observedGeneration === metadata.generation && ready?.status === 'True';
}

/** B4: objects are created as fast as the server takes them; until all are Ready. Each candidate has a server of its own. */
export async function converge(
  candidate: Candidate,
  figures: Figures,
  { count, limit }: { readonly count: number; readonly limit: number },
): Promise<void> {
  const what = `${count} objects created`;
  const add = (measure: string, unit: 's' | '' | 'MiB', value: number) =>
    figures.add({ scenario: 'B4', what, candidate: candidate.name, measure, unit }, value);
  await using plane = await startPlane();
  const operator = new EchoProcess(candidate, { kubeconfig: plane.kubeconfig });
  try {
    await operator.until('all', 60_000);
    const [requests, serverCpu, cpu] = [await plane.requests(), await plane.cpu(), await operator.cpu()];
    const done = new Set<string>();
    await using follower = await followEchoes(plane.client, (echo) => {
      if (isDone(echo)) done.add(echo.metadata.name);
    });
    const since = performance.now();
    const ready = follower.until(() => done.size >= count, limit);
    await Promise.all([each(count, (index) => plane.client.of(Echo).create(echoOf(index))), ready]);
    add('all Ready', 's', (performance.now() - since) / 1000);
    add('CPU', 's', ((await operator.cpu()) - cpu) / 1000);
    add('CPU of the servers', 's', ((await plane.cpu()) - serverCpu) / 1000);
    const asked = difference(requests, await plane.requests(), (key) => key.startsWith('POST echoes'));
    const sum = (matches: RegExp) => [...asked].reduce((all, [key, n]) => all + (matches.test(key) ? n : 0), 0);
    add('requests for each object', '', sum(/./) / count);
    add('conflicts', '', sum(/ 409$/));
    add('reconciles for each object', '', (await operator.reconciles()) / count);
    add('peak memory', 'MiB', (await operator.memory()).peak);
  } catch (error) {
    figures.missing({ scenario: 'B4', what, candidate: candidate.name }, error);
  } finally {
    await operator.stop();
  }
}
