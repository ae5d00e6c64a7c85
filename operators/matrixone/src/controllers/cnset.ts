import { Pod, Service } from '@coxswain/k8s';
import { CloneSet } from '@coxswain/k8s/kruise';
import { type Action, type Actor, type ActorContext, type Dependency, Resync } from '@coxswain/runtime/actor';
import { merge } from '@coxswain/runtime/client';
import { keyOf } from '@coxswain/runtime/core';
import { type CNSet, type CNSetSpec, cnSetNames, PORT_SQL, setLabels } from '../api/index.ts';
import { leaveBucket, useBucket } from '../buckets/index.ts';
import { drainsOf, storeState } from '../cnstore/index.ts';
import { type DefaultServiceArgs, defaultCNSet } from '../defaults/index.ts';
import { cnStoreUuid } from '../identity/index.ts';
import { planCNSet } from '../plan/index.ts';
import { volumeChange } from '../pods/index.ts';
import { cnSetProblems } from '../validation/index.ts';
import { applyPlan, keyOfSet, liveSet, podsOf, podsThere } from './children.ts';
import { dependenciesOf, logView } from './log-view.ts';
import { refuse, refuseProblems } from './refuse.ts';
import { reportTrouble, watchTrouble } from './report-trouble.ts';
import { pendingRollout } from './rollout.ts';
import { pendingRemoval } from './surplus.ts';
import { tooFew } from './too-few.ts';
import { growClaims } from './volumes.ts';
import { ensureWorkloadGone } from './workload-gone.ts';

type Context = ActorContext<CNSet>;

/** The life of a group of compute nodes (`spec/matrixone.md` §2.12). Its pods are the CN store controller's. */
export class CNSetActor implements Actor<CNSet> {
  readonly #args: DefaultServiceArgs;
  readonly #buckets: boolean;
  readonly #drains: boolean;

  constructor(options: {
    readonly serviceArgs: DefaultServiceArgs;
    /** Whether S3 paths have owners, who must know who uses them. */
    readonly buckets: boolean;
    /** Whether somebody puts nodes into service, so that they may begin out of it. */
    readonly drains: boolean;
  }) {
    this.#args = options.serviceArgs;
    this.#drains = options.drains;
    this.#buckets = options.buckets;
  }

  dependencies(object: CNSet): readonly Dependency[] {
    return dependenciesOf(object);
  }

  async observe(context: Context): Promise<Action<CNSet> | undefined> {
    const asked = defaultCNSet(context.object.spec, this.#args);
    const spec = this.#drains ? asked : withoutDrain(asked);
    refuseProblems(context, cnSetProblems({ spec, deps: context.object.deps }));
    const change = volumeChange(spec.cacheVolume, liveWorkload(context)?.spec.volumeClaimTemplates);
    if (change.kind === 'grow') return growVolumes(spec, change.to);

    if (this.#buckets) await useBucket(context, 'CN');
    const workload = await sync(context, spec);
    report(context, spec, workload);
    const trouble = await reportTrouble(context, 'CNSet', workload);
    if (change.kind === 'refuse') {
      refuse(context, 'VolumeShrinks', `volume size cannot be decreased from ${change.from} to ${change.to}`);
    }
    const pending = pendingRollout(workload) ?? pendingRemoval(workload, podsOf(context, 'CNSet'), trouble.ofPods);
    if (pending !== undefined) throw new Resync(pending, Math.min(lookAgain, trouble.after ?? lookAgain));
    if (trouble.message !== undefined) watchTrouble(context, trouble.message);
    return undefined;
  }

  async finalize(context: Context): Promise<boolean> {
    if (context.object.spec.terminationPolicy === 'Drain' && !(await drain(context))) return false;
    const { namespace = '', name } = context.object.metadata;
    const names = cnSetNames(name);
    const gone = [
      await ensureWorkloadGone(context, CloneSet, { namespace, name: names.workload }, podsOf(context, 'CNSet')),
      await context.ensureGone(Service, { namespace, name: names.service }),
    ];
    if (!gone.every(Boolean) || podsOf(context, 'CNSet').length > 0) return false;
    if ((await podsThere(context, 'CNSet')).length > 0) return false;
    // Last: until the nodes are gone they are known by their names in it.
    if (!(await context.ensureGone(Service, { namespace, name: names.headless }))) return false;
    if (this.#buckets) await leaveBucket(context, 'CN');
    return true;
  }
}

/** Nodes that drain begin as such, and nobody would ever tell them to serve. */
function withoutDrain({ scalingConfig, ...spec }: CNSetSpec): CNSetSpec {
  return scalingConfig ? { ...spec, scalingConfig: { ...scalingConfig, storeDrainEnabled: false } } : spec;
}

const nodes = { one: 'compute node', many: 'compute nodes' };

/** Milliseconds between looks while the rollout goes on; changes of its objects wake the controller before. */
const lookAgain = 10_000;

function liveWorkload(context: Context): CloneSet | undefined {
  const { namespace, name } = keyOfSet(context.object);
  return context.store(CloneSet).get({ namespace, name: cnSetNames(name).workload });
}

function sync(context: Context, spec: CNSetSpec): Promise<CloneSet> {
  const set = keyOfSet(context.object);
  const { storage, service } = logView(context);
  const plan = () => {
    const workload = liveWorkload(context);
    const asked = { ...spec, podsToDelete: leavingPods(context, spec, workload) };
    const live = liveSet(context, 'CNSet', asked, workload, cnSetNames(set.name).config);
    return planCNSet(set, asked, storage, service, live);
  };
  return applyPlan(context, CloneSet, plan(), () => plan().workload);
}

/**
 * The pods that are to go, without those that went: OpenKruise takes their names off its list, and would do so again
 * each time they are put back. Until then a name stays on it, or another pod might go instead.
 */
function leavingPods(context: Context, { podsToDelete = [] }: CNSetSpec, workload: CloneSet | undefined): string[] {
  const listed = workload?.spec.scaleStrategy?.podsToDelete ?? [];
  const live = podsOf(context, 'CNSet').filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return podsToDelete.filter((name) => listed.includes(name) || live.some(({ metadata }) => metadata.name === name));
}

function growVolumes(spec: CNSetSpec, size: string): Action<CNSet> {
  return {
    name: 'GrowVolumes',
    async run(context) {
      await growClaims(context, 'CNSet', size);
      await sync(context, spec);
    },
  };
}

function report(context: Context, spec: CNSetSpec, workload: CloneSet): void {
  const { status, conditions, object } = context;
  const { namespace, name } = keyOfSet(object);
  const { headless, service } = cnSetNames(name);
  status.stores = podsOf(context, 'CNSet')
    .map((pod) => ({
      uuid: cnStoreUuid(pod.metadata.name, headless, namespace),
      podName: pod.metadata.name,
      state: storeState(pod),
    }))
    .sort((a, b) => (a.podName < b.podName ? -1 : 1));
  reportDrains(context);
  const ready = workload.status?.readyReplicas ?? 0;
  status.replicas = workload.status?.replicas ?? 0;
  status.readyReplicas = ready;
  if (workload.status?.labelSelector) status.labelSelector = workload.status.labelSelector;
  if (ready < spec.replicas) {
    conditions.set('Ready', 'False', 'NoEnoughReadyStores', tooFew(spec.replicas, nodes, 'ready'));
    return;
  }
  conditions.set('Ready', 'True', 'AllNodesReady', 'all compute nodes are ready');
  status.host = `${service}.${namespace}`;
  status.port = PORT_SQL;
}

/** Says which nodes are on their way out, and what they wait for. */
function reportDrains(context: Context): void {
  const draining = drainsOf(podsOf(context, 'CNSet'));
  if (draining.length === 0) context.conditions.remove('Draining');
  else context.conditions.set('Draining', 'True', 'NodesDraining', draining.join('; '));
}

/** Scales to nothing, so that every node hands its sessions over before it goes. `true` when none is left. */
async function drain(context: Context): Promise<boolean> {
  reportDrains(context);
  const { client, object, signal } = context;
  const { namespace, name } = keyOfSet(object);
  const workload = { namespace, name: cnSetNames(name).workload };
  const live = liveWorkload(context) ?? (await client.of(CloneSet).find(workload, { signal }));
  if (!live || live.metadata.deletionTimestamp) return true;
  if (live.spec.replicas !== 0) {
    await client.of(CloneSet).patch(keyOf(live), merge({ spec: { replicas: 0 } }), { signal });
    return false;
  }
  // Asked of the server: a node that the cache does not show yet would be stopped with its sessions.
  return podsOf(context, 'CNSet').length === 0 && (await isEmpty(context));
}

async function isEmpty({ client, object, signal }: Context): Promise<boolean> {
  const { namespace, name } = keyOfSet(object);
  const { items } = await client
    .of(Pod)
    .list({ namespace, labels: setLabels('CNSet', namespace, name), limit: 1, signal });
  return items.length === 0;
}
