import { fileURLToPath } from 'node:url';
import { matrixoneOperator } from '@coxswain/operator-matrixone';
import { createCache } from '@coxswain/runtime/cache';
import { type Logger, systemClock, systemRandom } from '@coxswain/runtime/core';
import { createManager, type Manager, type Operator } from '@coxswain/runtime/manager';
import { UnmetError } from '../errors.ts';
import { applyManifests, displayName } from '../manifests/apply.ts';
import { installCrds } from '../manifests/crds.ts';
import { loadManifests } from '../manifests/load.ts';
import { liveView, type Screen } from '../view/live.ts';
import { type ClusterWatch, watchCluster } from '../view/watch.ts';
import type { ClusterFlags } from './options.ts';
import { type ServedCluster, serveCluster } from './serve.ts';
import { stopSignal, untilAborted } from './signals.ts';

export interface UpFlags extends ClusterFlags {
  readonly file?: readonly string[];
  readonly wait?: boolean;
  readonly once?: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

const operators: readonly Operator[] = [matrixoneOperator];
const exampleFile = fileURLToPath(new URL('../../../../examples/matrixone/cluster.yaml', import.meta.url));

/** Runs all operators in this process, as the embedded cluster's administrator. */
async function startOperators(served: ServedCluster, log: Logger): Promise<Manager[]> {
  const managers: Manager[] = [];
  for (const operator of operators) {
    await installCrds(served.cluster.client, operator.crds());
    const manager = createManager({
      client: served.cluster.client,
      name: operator.name,
      log: log.child({ operator: operator.name }),
    });
    operator.setup(manager);
    await manager.start();
    managers.push(manager);
  }
  return managers;
}

function nextThings(served: ServedCluster, names: readonly string[]): string {
  const kubectl = `kubectl --kubeconfig ${served.kubeconfig}`;
  const first = names[0] ?? 'all';
  return [
    '',
    `The cluster is at ${served.url}. Try:`,
    `  ${kubectl} get mo,logset,dnset,cnset,proxyset,pods`,
    `  ${kubectl} describe ${first}`,
    `  ${kubectl} scale cnset/mo-tp --replicas 4     # the MatrixOneCluster takes it back: it owns the number`,
    `  ${kubectl} patch mo mo --type merge -p '{"spec":{"logService":{"replicas":5}}}'`,
    `  ${kubectl} delete ${first} --wait`,
    '',
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}

function within(watch: ClusterWatch, timeout: number, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const seconds = Math.round(timeout / 1000);
  const timer = setTimeout(
    () => reject(new UnmetError(`not ready after ${seconds}s:\n${watch.unmet().join('\n')}`)),
    timeout,
  );
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([watch.ready, promise]).finally(() => clearTimeout(timer));
}

/**
 * `cox up`: cluster, operators, manifests, and a picture of it all until everything is ready.
 * @throws UsageError (exit 2) for input that cannot be used, UnmetError (exit 1) when it is not ready in time
 */
export async function up(flags: UpFlags, screen: Screen, log: Logger): Promise<void> {
  const manifests = await loadManifests(flags.file ?? [exampleFile]);
  const started = systemClock.monotonic();
  const elapsed = () => `${((systemClock.monotonic() - started) / 1000).toFixed(1)}s`;
  const stop = stopSignal();
  const served = await serveCluster(flags, log);
  const managers: Manager[] = [];
  try {
    managers.push(...(await startOperators(served, log)));
    const applied = await applyManifests(served.cluster.client, manifests);
    const names = applied.map(({ kind, key }) => displayName(kind, key.name));
    if (flags.once && !flags.wait) return void screen.write(`applied: ${names.join(', ')} in ${elapsed()}\n`);
    const cache = createCache({ client: served.cluster.client, clock: systemClock, random: systemRandom, log });
    const view = liveView(screen, elapsed);
    const operatorKinds = operators.flatMap((operator) => operator.kinds);
    const watch = watchCluster({
      cache,
      clock: systemClock,
      view,
      applied,
      operatorKinds,
      kruise: true,
      signal: stop.signal,
    });
    try {
      await within(watch, flags.timeout, stop.signal);
      if (!flags.once) screen.write(nextThings(served, names));
      screen.write(`ready: ${names.join(', ')} in ${elapsed()}\n`);
    } catch (error) {
      if (flags.once || flags.wait || stop.signal.aborted) throw error;
      screen.write(`${error instanceof Error ? error.message : String(error)}\n`);
    }
    if (!flags.once) await untilAborted(stop.signal);
    watch.release();
    await cache.stop();
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    for (const manager of managers) await manager.stop();
    await served.cluster.stop();
    stop.release();
  }
}
