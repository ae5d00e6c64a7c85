import { Service } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { type Action, type Actor, type ActorContext, type Dependency, Resync } from '@coxswain/runtime/actor';
import { type DNSet, type DNSetSpec, dnSetNames } from '../api/index.ts';
import { leaveBucket, useBucket } from '../buckets/index.ts';
import { type DefaultServiceArgs, defaultDNSet } from '../defaults/index.ts';
import { planDNSet } from '../plan/index.ts';
import { volumeChange } from '../pods/index.ts';
import { dnSetProblems } from '../validation/index.ts';
import { applyPlan, keyOfSet, liveSet, podsOf, podsThere } from './children.ts';
import { dependenciesOf, logView } from './log-view.ts';
import { refuse, refuseProblems } from './refuse.ts';
import { reportTrouble, watchTrouble } from './report-trouble.ts';
import { pendingRollout } from './rollout.ts';
import { updateStores } from './store-status.ts';
import { tooFew } from './too-few.ts';
import { growClaims } from './volumes.ts';
import { ensureWorkloadGone } from './workload-gone.ts';

type Context = ActorContext<DNSet>;

/** The life of the transaction nodes (`spec/matrixone.md` §2.11). */
export class DNSetActor implements Actor<DNSet> {
  readonly #args: DefaultServiceArgs;
  readonly #buckets: boolean;

  /** @param options `buckets`: whether S3 paths have owners, who must know who uses them */
  constructor(options: { readonly serviceArgs: DefaultServiceArgs; readonly buckets: boolean }) {
    this.#args = options.serviceArgs;
    this.#buckets = options.buckets;
  }

  dependencies(object: DNSet): readonly Dependency[] {
    return dependenciesOf(object);
  }

  async observe(context: Context): Promise<Action<DNSet> | undefined> {
    const spec = defaultDNSet(context.object.spec, this.#args);
    refuseProblems(context, dnSetProblems({ spec, deps: context.object.deps }));
    const change = volumeChange(spec.cacheVolume, liveWorkload(context)?.spec.volumeClaimTemplates);
    if (change.kind === 'grow') return growVolumes(spec, change.to);

    if (this.#buckets) await useBucket(context, 'DN');
    const workload = await sync(context, spec);
    report(context, spec, workload);
    const trouble = await reportTrouble(context, 'DNSet', workload);
    if (change.kind === 'refuse') {
      refuse(context, 'VolumeShrinks', `volume size cannot be decreased from ${change.from} to ${change.to}`);
    }
    const pending = pendingRollout(workload);
    if (pending !== undefined) throw new Resync(pending, Math.min(lookAgain, trouble.after ?? lookAgain));
    if (trouble.message !== undefined) watchTrouble(context, trouble.message);
    return undefined;
  }

  async finalize(context: Context): Promise<boolean> {
    const { namespace = '', name } = context.object.metadata;
    const names = dnSetNames(name);
    const gone = [
      await ensureWorkloadGone(
        context,
        KruiseStatefulSet,
        { namespace, name: names.workload },
        podsOf(context, 'DNSet'),
      ),
      await context.ensureGone(Service, { namespace, name: names.headless }),
    ];
    if (!gone.every(Boolean) || podsOf(context, 'DNSet').length > 0) return false;
    if ((await podsThere(context, 'DNSet')).length > 0) return false;
    if (this.#buckets) await leaveBucket(context, 'DN');
    return true;
  }
}

const nodes = { one: 'transaction node', many: 'transaction nodes' };

/** Milliseconds between looks while the rollout goes on; changes of its objects wake the controller before. */
const lookAgain = 10_000;

function liveWorkload(context: Context): KruiseStatefulSet | undefined {
  const { namespace, name } = keyOfSet(context.object);
  return context.store(KruiseStatefulSet).get({ namespace, name: dnSetNames(name).workload });
}

function sync(context: Context, spec: DNSetSpec): Promise<KruiseStatefulSet> {
  const set = keyOfSet(context.object);
  const { storage, service } = logView(context);
  const live = liveSet(context, 'DNSet', spec, liveWorkload(context), dnSetNames(set.name).config);
  return applyPlan(context, KruiseStatefulSet, planDNSet(set, spec, storage, service, live));
}

function growVolumes(spec: DNSetSpec, size: string): Action<DNSet> {
  return {
    name: 'GrowVolumes',
    async run(context) {
      await growClaims(context, 'DNSet', size);
      await sync(context, spec);
    },
  };
}

function report(context: Context, spec: DNSetSpec, workload: KruiseStatefulSet): void {
  const { conditions } = context;
  const { availableStores } = updateStores(context, podsOf(context, 'DNSet'), workload);
  if (availableStores.length >= spec.replicas)
    conditions.set('Ready', 'True', 'AllStoresUp', 'all transaction nodes are up');
  else conditions.set('Ready', 'False', 'NoEnoughReadyStores', tooFew(spec.replicas, nodes, 'up'));
}
