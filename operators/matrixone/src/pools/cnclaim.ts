import { Pod } from '@coxswain/k8s';
import { type Action, type Actor, type ActorContext, Resync } from '@coxswain/runtime/actor';
import { merge } from '@coxswain/runtime/client';
import { formatTime, keyOf, parseTime } from '@coxswain/runtime/core';
import { CNClaim, claimantOf, isLeaving, LABEL_CLAIMED_BY, LABEL_COMPONENT, phaseOf, podOf } from '../api/index.ts';
import { type CnStoreService, changeMetadata } from '../cnstore/index.ts';
import { bind, isNormal, serveClaim } from './cnclaim-bind.ts';
import { giveBack, reclaim, storeOf } from './give-back.ts';
import { migrationStep } from './migration.ts';
import { hasEnded } from './pod-health.ts';
import { boundMarks } from './pod-marks.ts';

type Context = ActorContext<CNClaim>;

/** Milliseconds that a pod may be unseen after it was claimed. */
const cacheDelay = 10_000;
/** Milliseconds between looks at something that others have to end. */
const lookAgain = 10_000;

/** The life of a claim (`spec/matrixone.md` §3.4): it takes a pod of a pool, keeps it in service, and gives it back. */
export class CNClaimActor implements Actor<CNClaim> {
  readonly #service: CnStoreService;

  constructor(options: { readonly cnStores: CnStoreService }) {
    this.#service = options.cnStores;
  }

  async observe(context: Context): Promise<Action<CNClaim> | undefined> {
    const { object, status } = context;
    // For good: whoever made the claim makes another.
    if (status.phase === 'Lost') return podOf(object) === undefined ? undefined : lose;
    const podName = podOf(object);
    if (podName === undefined) return bind(context, this.#service);
    const pod = context.store(Pod).get({ namespace: object.metadata.namespace ?? '', name: podName });
    if (!pod) return this.#missing(context, podName);
    if (hasEnded(pod)) return lose;
    return this.#keep(context, pod);
  }

  #missing({ clock, status }: Context, podName: string): Action<CNClaim> {
    const known = status.store?.string === podName ? status.store.boundTime : undefined;
    const since = known ?? status.boundTime;
    // Cut off before it could be said when: from now on, then.
    if (since === undefined) status.boundTime = formatTime(clock.now());
    const left = cacheDelay - (clock.now() - parseTime(since ?? formatTime(clock.now())));
    if (left > 0) throw new Resync(`pod ${podName} is not seen`, left);
    return lose;
  }

  async #keep(context: Context, pod: Pod): Promise<Action<CNClaim> | undefined> {
    if (isTakenByOther(context, pod)) {
      if (context.status.store?.string === pod.metadata.name) return lose;
      throw new Resync(`pod ${pod.metadata.name} belongs to claim ${claimantOf(pod)}`, lookAgain);
    }
    if (isLeaving(pod) || phaseOf(pod) === 'Terminating' || !isNormal(pod)) {
      throw new Resync(`pod ${pod.metadata.name} is being updated or removed`, lookAgain);
    }
    const { client, object, signal } = context;
    const marked = await changeMetadata(client, pod, boundMarks(object), signal);
    await serveClaim(context, this.#service, marked);
    await this.#report(context, marked);
    return object.spec?.sourcePod?.podName ? this.#migrate(context, object.spec.sourcePod.podName) : undefined;
  }

  async #report(context: Context, pod: Pod): Promise<void> {
    const { clock, object, status, signal } = context;
    const store = storeOf(context, pod);
    const record = await this.#service.describe?.(store, signal);
    const isNew = status.store?.string !== pod.metadata.name;
    const boundTime = (isNew ? undefined : status.store?.boundTime) ?? formatTime(clock.now());
    if (isNew || !status.phase || status.phase === 'Pending') status.phase = 'Bound';
    status.boundTime ??= boundTime;
    status.store = {
      ...record,
      serviceID: store.uuid,
      ...(object.spec?.cnLabels ? { labels: [...object.spec.cnLabels] } : {}),
      string: pod.metadata.name,
      boundTime,
    };
  }

  async #migrate(context: Context, sourceName: string): Promise<Action<CNClaim> | undefined> {
    const { clock, object, status, signal } = context;
    if (sourceName === podOf(object)) return finishMigration;
    const source = context.store(Pod).get({ namespace: object.metadata.namespace ?? '', name: sourceName });
    const boundFor = clock.now() - parseTime(status.store?.boundTime ?? formatTime(clock.now()));
    const step = migrationStep({ claim: object.metadata.name, source, boundFor });
    if (step.kind === 'finish' || !source) return finishMigration;
    if (step.kind === 'wait') throw new Resync(`proxies learn of pod ${podOf(object)}`, step.after);
    if (step.kind === 'reclaim') await reclaim(context, this.#service, source, object);
    const load = await this.#service.load(storeOf(context, source), signal);
    if (load) {
      const { sessions: connections, pipelines, replicas } = load;
      status.migrate = { source: { connections, pipelines, replicas } };
    }
    throw new Resync(`sessions move away from pod ${sourceName}`, lookAgain);
  }

  async finalize(context: Context): Promise<boolean> {
    const { client, object, signal } = context;
    const { namespace, name } = object.metadata;
    // From the server: what was marked last may not have come here, and nobody will ask for this claim's pods again.
    const selected = { ...(namespace === undefined ? {} : { namespace }), labels: `${LABEL_CLAIMED_BY}=${name}` };
    const { items } = await client.of(Pod).list({ ...selected, signal });
    for (const pod of items.filter((one) => phaseOf(one) === 'Bound'))
      await giveBack(context, this.#service, pod, object);
    return true;
  }
}

/** Whether another claim has marked a pod as its own, and is there to keep it. */
function isTakenByOther({ object, store }: Context, pod: Pod): boolean {
  const claimant = claimantOf(pod);
  if (claimant === undefined || claimant === object.metadata.name || phaseOf(pod) !== 'Bound') return false;
  return store(CNClaim).get({ namespace: object.metadata.namespace ?? '', name: claimant }) !== undefined;
}

/** Whether the server knows of the claim's pod as of one that serves it. */
async function isThere({ client, object, signal }: Context): Promise<boolean> {
  const { namespace, name } = object.metadata;
  const pod = await client.of(Pod).find({ ...(namespace ? { namespace } : {}), name: podOf(object) ?? '' }, { signal });
  const isOurs = pod?.metadata.labels?.[LABEL_COMPONENT] !== undefined && (claimantOf(pod) ?? name) === name;
  return isOurs && !hasEnded(pod);
}

/**
 * The pod is gone; for good, so the server is asked, as what is known of it may be old, and nothing is said of a claim that has changed meanwhile.
 * First the phase: a claim without a pod that is not lost would look for another.
 */
const lose: Action<CNClaim> = {
  name: 'Lose',
  async run(context) {
    const { client, object, signal, status } = context;
    const key = keyOf(object);
    if (object.status?.phase !== 'Lost' && (await isThere(context)))
      throw new Resync(`pod ${podOf(object)} is there, and not seen yet`, lookAgain);
    const { resourceVersion } = object.metadata;
    const said = { metadata: { resourceVersion }, status: { phase: 'Lost' } };
    const lost = await client.of(CNClaim).patchStatus(key, merge(said), { signal });
    // The rest of this pass, too, is about a claim that is lost.
    status.phase = 'Lost';
    const body = {
      metadata: { resourceVersion: lost.metadata.resourceVersion },
      spec: { podName: null, nodeName: null },
    };
    await client.of(CNClaim).patch(key, merge(body), { signal });
  },
};

const finishMigration: Action<CNClaim> = {
  name: 'FinishMigration',
  async run({ client, object, status, signal }) {
    delete status.migrate;
    const { resourceVersion } = object.metadata;
    const body = { metadata: { resourceVersion }, spec: { sourcePod: null } };
    await client.of(CNClaim).patch(keyOf(object), merge(body), { signal });
  },
};
