import { Service } from '@coxswain/k8s';
import { CloneSet } from '@coxswain/k8s/kruise';
import { type Action, type Actor, type ActorContext, type Dependency, Resync } from '@coxswain/runtime/actor';
import { PORT_SQL, type ProxySet, type ProxySetSpec, proxySetNames } from '../api/index.ts';
import { type DefaultServiceArgs, defaultProxySet } from '../defaults/index.ts';
import { planProxySet } from '../plan/index.ts';
import { proxySetProblems } from '../validation/index.ts';
import { applyPlan, keyOfSet, liveSet, podsOf } from './children.ts';
import { dependenciesOf, logView } from './log-view.ts';
import { refuseProblems } from './refuse.ts';
import { reportTrouble, watchTrouble } from './report-trouble.ts';
import { pendingRollout } from './rollout.ts';
import { pendingRemoval } from './surplus.ts';
import { tooFew } from './too-few.ts';
import { ensureWorkloadGone } from './workload-gone.ts';

type Context = ActorContext<ProxySet>;

/** The life of the proxies (`spec/matrixone.md` §2.15). */
export class ProxySetActor implements Actor<ProxySet> {
  readonly #args: DefaultServiceArgs;

  constructor(options: { readonly serviceArgs: DefaultServiceArgs }) {
    this.#args = options.serviceArgs;
  }

  dependencies(object: ProxySet): readonly Dependency[] {
    return dependenciesOf(object);
  }

  async observe(context: Context): Promise<Action<ProxySet> | undefined> {
    const spec = defaultProxySet(context.object.spec, this.#args);
    refuseProblems(context, proxySetProblems({ spec, deps: context.object.deps }));
    const set = keyOfSet(context.object);
    const names = proxySetNames(set.name);
    const { storage, service } = logView(context);
    const workload = context.store(CloneSet).get({ namespace: set.namespace, name: names.workload });
    const live = liveSet(context, 'ProxySet', spec, workload, names.config);
    const applied = await applyPlan(context, CloneSet, planProxySet(set, spec, storage, service, live));
    report(context, spec, applied);
    const trouble = await reportTrouble(context, 'ProxySet', applied);
    const pending = pendingRollout(applied) ?? pendingRemoval(applied, podsOf(context, 'ProxySet'), trouble.ofPods);
    if (pending !== undefined) throw new Resync(pending, Math.min(lookAgain, trouble.after ?? lookAgain));
    if (trouble.message !== undefined) watchTrouble(context, trouble.message);
    return undefined;
  }

  async finalize(context: Context): Promise<boolean> {
    const { namespace = '', name } = context.object.metadata;
    const names = proxySetNames(name);
    const workload = { namespace, name: names.workload };
    const gone = [
      await ensureWorkloadGone(context, CloneSet, workload, podsOf(context, 'ProxySet')),
      await context.ensureGone(Service, { namespace, name: names.service }),
    ];
    return gone.every(Boolean) && podsOf(context, 'ProxySet').length === 0;
  }
}

const nodes = { one: 'proxy', many: 'proxies' };

/** Milliseconds between looks while the rollout goes on; changes of its objects wake the controller before. */
const lookAgain = 10_000;

function report({ status, conditions, object }: Context, spec: ProxySetSpec, workload: CloneSet): void {
  const { namespace = '', name } = object.metadata;
  const ready = workload.status?.readyReplicas ?? 0;
  if (ready < spec.replicas) {
    conditions.set('Ready', 'False', 'NoEnoughReadyStores', tooFew(spec.replicas, nodes, 'ready'));
    return;
  }
  conditions.set('Ready', 'True', 'AllProxiesReady', 'all proxies are ready');
  status.host = `${proxySetNames(name).service}.${namespace}`;
  status.port = PORT_SQL;
}
