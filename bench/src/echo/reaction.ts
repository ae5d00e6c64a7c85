import { merge } from '@coxswain/runtime/client';
import { percentile } from '../stats.ts';
import type { Candidate } from './candidates.ts';
import { isDone } from './converge.ts';
import { EchoProcess } from './echo-process.ts';
import { followEchoes } from './follow.ts';
import { Echo } from './kind.ts';
import { echoOf, fill, keyOf, nameOf, type Plane, startPlane } from './plane.ts';
import type { Figures } from './result.ts';

export interface ReactionOptions {
  /** Updates of one object, one after the other. */
  readonly updates: number;
  /** Objects that are there when an operator starts. */
  readonly present: number;
  /** New objects that come meanwhile. */
  readonly fresh: number;
  /** Milliseconds for each of the three. */
  readonly limit: number;
}

/** When each generation of each Echo was asked for, and when its status followed. */
class Latencies {
  readonly #asked = new Map<string, number>();
  readonly #found: number[] = [];

  /** From now on the object's newest generation is waited for. */
  asked(name: string): void {
    if (!this.#asked.has(name)) this.#asked.set(name, performance.now());
  }

  seen(echo: Echo): void {
    const { name } = echo.metadata;
    const since = this.#asked.get(name);
    if (since === undefined || !isDone(echo)) return;
    this.#asked.delete(name);
    this.#found.push(performance.now() - since);
  }

  get waiting(): number {
    return this.#asked.size;
  }

  /** In milliseconds; the count begins anew. */
  take(): readonly number[] {
    return this.#found.splice(0);
  }
}

/**
 * B5: from the server's answer to a change until the status says that it was followed: of one object on an idle operator; of new objects
 * while thousands wait since the start; of calm objects beside one that changes all the time.
 */
export async function reaction(candidate: Candidate, figures: Figures, options: ReactionOptions): Promise<void> {
  const { updates, present, fresh } = options;
  await using plane = await startPlane();
  await fill(plane, 0, present);
  const latencies = new Latencies();
  await using follower = await followEchoes(plane.client, (echo) => latencies.seen(echo));
  let end = performance.now() + options.limit;
  const done = () => follower.until(() => latencies.waiting === 0, Math.max(1, end - performance.now()));
  const add = (what: string, found: readonly number[]) => {
    for (const [measure, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const)
      figures.add({ scenario: 'B5', what, candidate: candidate.name, measure, unit: 'ms' }, percentile(found, share));
  };
  const operator = new EchoProcess(candidate, { kubeconfig: plane.kubeconfig, expect: present });
  try {
    await operator.until('synced', options.limit);
    await createFresh(plane, latencies, { from: present, count: fresh });
    await done();
    add(`${fresh} new objects while ${present} wait since the start`, latencies.take());
    await operator.until('all', options.limit);
    end = performance.now() + options.limit;
    for (let n = 0; n < updates; n++) {
      await change(plane, latencies, 0, n + 2);
      await done();
    }
    add(`${updates} changes of one object, idle`, latencies.take());
    const reconciles = await operator.reconciles();
    end = performance.now() + options.limit;
    const changes = await hotAndCalm(plane, latencies, present);
    await done();
    add('200 calm objects beside one that changes all the time', latencies.take());
    const what = '200 calm objects beside one that changes all the time';
    const spent = ((await operator.reconciles()) - reconciles) / (changes + 200);
    figures.add(
      { scenario: 'B5', what, candidate: candidate.name, measure: 'reconciles for each change', unit: '' },
      spent,
    );
  } catch (error) {
    figures.missing({ scenario: 'B5', what: 'reaction', candidate: candidate.name }, error);
  } finally {
    await operator.stop();
  }
}

async function change(plane: Plane, latencies: Latencies, index: number, n: number): Promise<void> {
  await plane.client.of(Echo).patch(keyOf(index), merge({ spec: { n } }));
  latencies.asked(nameOf(index));
}

async function createFresh(plane: Plane, latencies: Latencies, { from, count }: { from: number; count: number }) {
  for (let index = from; index < from + count; index++) {
    await plane.client.of(Echo).create(echoOf(index));
    latencies.asked(nameOf(index));
  }
}

/** One object changes as fast as the server takes it, while 200 others change once each. @returns changes of the hot one */
async function hotAndCalm(plane: Plane, latencies: Latencies, present: number): Promise<number> {
  let changes = 0;
  let over = false;
  const hot = async () => {
    while (!over) await plane.client.of(Echo).patch(keyOf(0), merge({ spec: { n: 10_000 + changes++ } }));
  };
  const running = [hot(), hot()];
  // Never the hot one, and never what an object says already, which nobody would follow.
  for (let i = 0; i < 200; i++) await change(plane, latencies, 1 + (i % (present - 1)), 1_000 + i);
  over = true;
  await Promise.all(running);
  return changes;
}
