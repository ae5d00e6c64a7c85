import { fileURLToPath } from 'node:url';
import { sameResource } from '@coxswain/k8s';
import { matrixoneOperator } from '@coxswain/operator-matrixone';
import { createCache } from '@coxswain/runtime/cache';
import { type Logger, systemClock, systemRandom } from '@coxswain/runtime/core';
import { createManager, type Operator } from '@coxswain/runtime/manager';
import { messageOf, UnmetError } from '../errors.ts';
import { type Applied, applyManifests, displayName } from '../manifests/apply.ts';
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
async function startOperators(served: ServedCluster, log: Logger, stack: AsyncDisposableStack): Promise<void> {
  for (const operator of operators) {
    await installCrds(served.cluster.client, operator.crds());
    const manager = createManager({
      client: served.cluster.client,
      name: operator.name,
      log: log.child({ operator: operator.name }),
    });
    stack.use(manager);
    operator.setup(manager);
    await manager.start();
  }
}

function nextThings(served: ServedCluster, [first = 'all']: readonly string[]): string {
  const kubectl = `kubectl --kubeconfig ${served.kubeconfig}`;
  return [
    '',
    `The cluster is at ${served.url}. Try:`,
    `  ${kubectl} get mo,logset,dnset,cnset,proxyset,pods`,
    `  ${kubectl} describe ${first}`,
    `  ${kubectl} explain mo.spec.logService`,
    `  ${kubectl} patch ${first} --type json -p '[{"op":"replace","path":"/spec/cnGroups/0/replicas","value":4}]'`,
    `  ${kubectl} delete ${first} --wait`,
    '',
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}

/** What the user waits for: the objects of our operators; without any, all that was applied. */
function goals(applied: readonly Applied[]): string[] {
  const own = applied.filter(({ kind }) =>
    operators.some((operator) => operator.kinds.some((other) => sameResource(kind, other))),
  );
  return (own.length > 0 ? own : applied).map(({ kind, key }) => displayName(kind, key.name));
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

/** Shows the applied objects until they are ready (and, unless `once`, until Ctrl-C). */
async function show(
  flags: UpFlags,
  served: ServedCluster,
  applied: readonly Applied[],
  view: View,
  stop: AbortSignal,
): Promise<void> {
  const { screen, elapsed, log } = view;
  await using stack = new AsyncDisposableStack();
  const cache = createCache({ client: served.cluster.client, clock: systemClock, random: systemRandom, log });
  stack.defer(() => cache.stop());
  const operatorKinds = operators.flatMap((operator) => operator.kinds);
  const watch = watchCluster({
    cache,
    clock: systemClock,
    view: liveView(screen, elapsed),
    applied,
    operatorKinds,
    kruise: true,
    signal: stop,
  });
  stack.defer(() => watch.release());
  try {
    await within(watch, flags.timeout, stop);
    const names = goals(applied);
    if (!flags.once) screen.write(nextThings(served, names));
    screen.write(`ready: ${names.join(', ')} in ${elapsed()}\n`);
  } catch (error) {
    if (flags.once || flags.wait || stop.aborted) throw error;
    screen.write(`${messageOf(error)}\n`);
  }
  if (!flags.once) await untilAborted(stop);
}

/** Where things are shown. */
interface View {
  readonly screen: Screen;
  readonly log: Logger;
  /** Time since the start, as text. */
  elapsed(): string;
}

/**
 * `cox up`: cluster, operators, manifests, and a picture of it all until everything is ready.
 * @throws UsageError (exit 2) for input that cannot be used, UnmetError (exit 1) when it is not ready in time
 */
export async function up(flags: UpFlags, screen: Screen, log: Logger): Promise<void> {
  const manifests = await loadManifests(flags.file ?? [exampleFile]);
  const started = systemClock.monotonic();
  const elapsed = () => `${((systemClock.monotonic() - started) / 1000).toFixed(1)}s`;
  await using stack = new AsyncDisposableStack();
  const stop = stopSignal();
  stack.defer(() => stop.release());
  try {
    const served = await serveCluster(flags, log);
    stack.use(served);
    await startOperators(served, log, stack);
    const applied = await applyManifests(served.cluster.client, manifests);
    if (flags.once && !flags.wait)
      screen.write(
        `applied: ${applied.map(({ kind, key }) => displayName(kind, key.name)).join(', ')} in ${elapsed()}\n`,
      );
    else await show(flags, served, applied, { screen, log, elapsed }, stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
}
