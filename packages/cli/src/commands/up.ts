import { fileURLToPath } from 'node:url';
import { sameResource } from '@coxswain/k8s';
import { MatrixOneCluster } from '@coxswain/operator-matrixone';
import { installCrds } from '@coxswain/runtime/apply';
import { createCache } from '@coxswain/runtime/cache';
import { type Logger, systemClock, systemRandom } from '@coxswain/runtime/core';
import { createManager } from '@coxswain/runtime/manager';
import { messageOf, UnmetError } from '../errors.ts';
import { type Applied, applyManifests, displayName } from '../manifests/apply.ts';
import { loadManifests } from '../manifests/load.ts';
import { type LiveView, liveView, type Screen } from '../view/live.ts';
import { readinessOf } from '../view/readiness.ts';
import { type ClusterWatch, watchCluster } from '../view/watch.ts';
import { operatorClient } from './operator-client.ts';
import { operators } from './operators.ts';
import { type ClusterFlags, formatDuration } from './options.ts';
import { type ServedCluster, serveCluster } from './serve.ts';
import { stopSignal, untilAborted } from './signals.ts';

export interface UpFlags extends ClusterFlags {
  readonly file?: readonly string[];
  readonly wait?: boolean;
  readonly once?: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

const exampleFile = fileURLToPath(new URL('../../../../examples/matrixone/cluster.yaml', import.meta.url));

/** Runs all operators in this process, each as a user who may do what it declares. */
async function startOperators(served: ServedCluster, log: Logger, stack: AsyncDisposableStack): Promise<void> {
  for (const operator of operators) {
    await installCrds(served.cluster.client, operator.crds(), { fieldManager: 'cox' });
    const manager = createManager({
      client: await operatorClient(served.cluster, operator),
      name: operator.name,
      log: log.child({ operator: operator.name }),
    });
    stack.use(manager);
    operator.setup(manager);
    await manager.start();
  }
}

/** What to try on a MatrixOne cluster: all that an operator makes of it. */
const databaseThings = (name: string) => [
  'get mo,logset,dnset,cnset,proxyset,pods',
  `describe ${name}`,
  'explain mo.spec.logService',
  `patch ${name} --type json -p '[{"op":"replace","path":"/spec/cnGroups/0/replicas","value":4}]'`,
  `delete ${name} --wait`,
];

const anyThings = (name: string) => ['get all', `describe ${name}`, 'get events', `delete ${name} --wait`];

function nextThings({ running }: ServedCluster, applied: readonly Applied[]): string {
  const own = applied.filter(isOperators);
  const database = own.find(({ kind }) => sameResource(kind, MatrixOneCluster));
  const [first = 'all'] = namesOf(own.length > 0 ? own : applied);
  const things = database ? databaseThings(namesOf([database])[0] ?? first) : anyThings(first);
  return [
    '',
    `The cluster is at ${running.url}. Try:`,
    ...things.map((thing) => `  kubectl --kubeconfig ${running.kubeconfig} ${thing}`),
    '',
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}

const isOperators = ({ kind }: Applied) =>
  operators.some((operator) => operator.kinds.some((own) => sameResource(kind, own)));

function namesOf(applied: readonly Applied[]): string[] {
  return applied.map(({ kind, key }) => displayName(kind, key.name));
}

/** The last word when all that is waited for is there: the objects of our operators; without any, all that was applied. */
function readyText(applied: readonly Applied[], elapsed: string): string {
  const unknown = applied.filter(({ object }) => readinessOf(object).unknown);
  const known = applied.filter((item) => !unknown.includes(item));
  const own = known.filter(isOperators);
  const notSimulated = unknown.length > 0 ? `not simulated here: ${namesOf(unknown).join(', ')}\n` : '';
  if (known.length === 0) return `${notSimulated}applied: ${namesOf(unknown).join(', ')} in ${elapsed}\n`;
  return `${notSimulated}ready: ${namesOf(own.length > 0 ? own : known).join(', ')} in ${elapsed}\n`;
}

function within(watch: ClusterWatch, timeout: number, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new UnmetError(`not ready after ${formatDuration(timeout)}:\n${watch.unmet().join('\n')}`)),
    timeout,
  );
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([watch.ready, promise]).finally(() => clearTimeout(timer));
}

/** Waits for ready; without `wait` and `once` a cluster that is late goes on being shown. */
async function untilReady(flags: UpFlags, watch: ClusterWatch, show: Show): Promise<void> {
  const { applied, elapsed, footer, stop, view } = show;
  try {
    await within(watch, flags.timeout, stop);
    view.settle(`${flags.once ? '' : footer}${readyText(applied, elapsed())}`);
  } catch (error) {
    if (flags.once || flags.wait || stop.aborted) throw error;
    view.settle(`${footer}${messageOf(error)}\n`);
    watch.ready.then(
      () => view.settle(readyText(applied, elapsed())),
      () => {},
    );
  }
}

interface Show {
  readonly applied: readonly Applied[];
  readonly view: LiveView;
  /** What to try next. */
  readonly footer: string;
  readonly stop: AbortSignal;
  elapsed(): string;
}

/** Shows the applied objects until they are ready (and, unless `once`, until Ctrl-C). */
async function show(
  flags: UpFlags,
  served: ServedCluster,
  applied: readonly Applied[],
  { screen, elapsed, log }: View,
  stop: AbortSignal,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const cache = createCache({ client: served.cluster.client, clock: systemClock, random: systemRandom, log });
  stack.defer(() => cache.stop());
  const view = liveView(screen, elapsed);
  const operatorKinds = operators.flatMap((operator) => operator.kinds);
  const watch = watchCluster({ cache, clock: systemClock, view, applied, operatorKinds, signal: stop });
  stack.defer(() => watch.release());
  const footer = nextThings(served, applied);
  await untilReady(flags, watch, { applied, view, footer, stop, elapsed });
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
    if (flags.once && !flags.wait) screen.write(`applied: ${namesOf(applied).join(', ')} in ${elapsed()}\n`);
    else await show(flags, served, applied, { screen, log, elapsed }, stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
}
