import { type Actor, type ActorContext, Resync } from '@coxswain/runtime/actor';
import { keyOf } from '@coxswain/runtime/core';
import { CNClaim, type CNPool, CNSet, isLeaving, LABEL_POOL, podOf } from '../api/index.ts';
import type { DefaultServiceArgs } from '../defaults/index.ts';
import { emptyLegacySet, markOutdated, podsOfSet, retire, stayingPods } from './legacy-set.ts';
import { poolSet, poolSetLabels, poolSetName } from './pool-set.ts';
import { census, desiredPods, replicasFor, surplus } from './pool-size.ts';
import { compareScaleIn } from './scale-in-order.ts';

type Context = ActorContext<CNPool>;

/** Milliseconds before pods are looked at again that others changed meanwhile. */
const lookAgain = 1_000;

/** The life of a pool (`spec/matrixone.md` §3.3): as many nodes as are in use and waited for, and some more. */
export class CNPoolActor implements Actor<CNPool> {
  readonly #args: DefaultServiceArgs;

  constructor(options: { readonly serviceArgs: DefaultServiceArgs }) {
    this.#args = options.serviceArgs;
  }

  async observe(context: Context): Promise<undefined> {
    const { object } = context;
    const sets = setsOf(context);
    const name = poolSetName(object, sets, this.#args);
    let legacy = 0;
    let legacyFree = 0;
    for (const set of sets.filter(({ metadata }) => metadata.name !== name)) {
      const { inUse, free } = await emptyLegacySet(context, set);
      legacy += inUse.length + free.length;
      legacyFree += free.length;
    }
    const pending = pendingClaims(context);
    const { maxIdle, maxPods } = object.spec.strategy.scaleStrategy;
    const before = census(podsOfSet(context, name));
    await markOutdated(context, stayingPods(context, name), false);
    const demand = { inUse: before.inUse.length, pending, maxIdle, maxPods, legacy };
    const desired = desiredPods(demand);
    // What is chosen to go is marked first, under the eyes of those who may claim it; only then is it named to OpenKruise.
    const chosen = census(podsOfSet(context, name)).free.toSorted(compareScaleIn);
    const isRetired = await retire(context, chosen.slice(0, surplus(before, desired, pending)));
    const after = census(podsOfSet(context, name));
    const podsToDelete = after.terminating.map(({ metadata }) => metadata.name).sort();
    const known = sets.find(({ metadata }) => metadata.name === name);
    const size = { replicas: replicasFor(after, desired), podsToDelete, isListed: !!known?.spec.podsToDelete?.length };
    await context.apply(CNSet, poolSet(object, name, size));
    // What changed the pod may have been no label, and such changes wake nobody here. A set of before has free pods left then, too.
    if (!isRetired || legacyFree > 0) throw new Resync('a pod was changed while it was chosen to go', lookAgain);
    return undefined;
  }

  async finalize(context: Context): Promise<boolean> {
    let gone = true;
    for (const set of setsOf(context)) gone = (await context.ensureGone(CNSet, keyOf(set))) && gone;
    return gone;
  }
}

function setsOf({ object, store }: Context): readonly CNSet[] {
  const namespace = object.metadata.namespace ?? '';
  return [...store(CNSet).list({ namespace, labels: poolSetLabels(object) })];
}

/** Claims that wait for a pod of this pool. */
function pendingClaims({ object, store }: Context): number {
  const { namespace = '', name } = object.metadata;
  const claims = [...store(CNClaim).list({ namespace, labels: { [LABEL_POOL]: name } })];
  return claims.filter((claim) => claim.status?.phase === 'Pending' && podOf(claim) === undefined && !isLeaving(claim))
    .length;
}
