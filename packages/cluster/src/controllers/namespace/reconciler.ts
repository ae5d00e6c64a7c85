import { Namespace, pathOf } from '@coxswain/k8s';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { formatTime } from '@coxswain/runtime/core';
import type { KindMonitors } from '../kinds/index.ts';
import { deletionConditions, failureText } from './conditions.ts';
import { anythingLeft, type Contents, contentsOf, deleteContents, remaining } from './contents.ts';

/** The finalizer in `spec` that is this controller's own. */
const kubernetes = 'kubernetes';

/** Seconds that pods have to end when they do not say otherwise. */
const defaultGrace = 30;

/** Milliseconds until a namespace is looked at again that the server says is not empty and the stores say is. */
const recheckAfter = 1_000;

function isPods({ kind }: Contents): boolean {
  return kind.group === '' && kind.plural === 'pods';
}

/**
 * Milliseconds until pods that nobody holds should be gone: their grace period after the namespace was deleted; 0 when that is over. `undefined`
 * when there are none, or somebody holds some of them.
 */
function stuckAfter({ metadata }: Namespace, pods: readonly Contents[], now: number): number | undefined {
  const all = pods.flatMap(({ objects }) => objects);
  if (all.length === 0 || all.some((pod) => (pod.metadata.finalizers ?? []).length > 0)) return undefined;
  const grace = Math.max(...all.map((pod) => pod.metadata.deletionGracePeriodSeconds ?? defaultGrace));
  return Math.max(0, Date.parse(metadata.deletionTimestamp ?? '') + grace * 1000 - now);
}

/** Empties a terminating namespace. Each pass does what can be done now; changes of the contents bring the next. */
export class NamespaceReconciler implements Reconciler {
  readonly #monitors: KindMonitors;

  constructor(monitors: KindMonitors) {
    this.#monitors = monitors;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const { cache, client, key } = context;
    const namespace = cache.store(Namespace).get(key);
    if (namespace?.metadata.deletionTimestamp === undefined) return undefined;
    if (!namespace.spec?.finalizers?.includes(kubernetes)) return undefined;
    await this.#monitors.start();
    const { failures, pods, left } = await this.#empty(context);
    const stuck = stuckAfter(namespace, pods, context.clock.now());
    const unexpected =
      stuck === 0 ? [`unexpected items still remain in namespace: ${key.name} for gvr: /v1, Resource=pods`] : [];
    // while there are pods, the others are not looked at
    const current = await this.#report(context, namespace, left, [...failures, ...unexpected]);
    if (failures.length > 0) throw new Error(`namespace ${key.name} could not be emptied: ${failures.join('; ')}`);
    if (stuck) return { requeueAfter: stuck };
    if (pods.length + left.length > 0) return undefined;
    if (await anythingLeft(client, this.#monitors, key.name)) return { requeueAfter: recheckAfter };
    await finalize(context, current);
    return undefined;
  }

  /** Pods go first: what they use must outlive them. Answers what failed, and what is left: pods, or else others. */
  async #empty({ client, key }: ReconcileContext): Promise<{
    readonly failures: readonly string[];
    readonly pods: readonly Contents[];
    readonly left: readonly Contents[];
  }> {
    const contents = contentsOf(this.#monitors, key.name);
    const failures: string[] = [];
    const remove = async (one: Contents) => {
      try {
        await deleteContents(client, key.name, one);
      } catch (error) {
        failures.push(failureText(one.kind, error));
      }
    };
    const first = contents.filter(isPods);
    await Promise.all(first.map(remove));
    const pods = await remaining(client, key.name, first);
    if (pods.length > 0) return { failures, pods, left: [] };
    const others = contents.filter((one) => !isPods(one));
    await Promise.all(others.map(remove));
    return { failures, pods, left: await remaining(client, key.name, others) };
  }

  async #report(
    { client, clock }: ReconcileContext,
    namespace: Namespace,
    left: readonly Contents[],
    failures: readonly string[],
  ): Promise<Namespace> {
    const before = namespace.status?.conditions ?? [];
    const conditions = deletionConditions(before, left, failures, formatTime(clock.now()));
    if (conditions === before) return namespace;
    return client.of(Namespace).updateStatus({ ...namespace, status: { ...namespace.status, conditions } });
  }
}

/** Takes our finalizer off; the server removes the namespace with its last one. */
async function finalize({ client }: ReconcileContext, namespace: Namespace): Promise<void> {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== kubernetes);
  const path = pathOf(Namespace, undefined, namespace.metadata.name, 'finalize');
  await client.raw({ method: 'PUT', path, body: { ...namespace, spec: { ...namespace.spec, finalizers } } });
}
