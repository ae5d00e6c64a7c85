import { Pod } from '@coxswain/k8s';
import { type Action, type ActorContext, Resync } from '@coxswain/runtime/actor';
import { findSame, merge } from '@coxswain/runtime/client';
import { isConflict, isNotFound, keyOf, matchesLabels, selectorFromField } from '@coxswain/runtime/core';
import {
  ANNOTATION_POOL_CHOSEN,
  CNClaim,
  CNPool,
  claimantOf,
  KRUISE_LIFECYCLE_STATE,
  LABEL_DIRECT_POD,
  LABEL_PHASE,
  LABEL_POOL,
  phaseOf,
} from '../api/index.ts';
import { type CnStoreService, changeMetadata, takingBack } from '../cnstore/index.ts';
import { candidates, orphans } from './claim-candidates.ts';
import { storeOf } from './give-back.ts';
import { boundMarks } from './pod-marks.ts';

type Context = ActorContext<CNClaim>;

/** Milliseconds between looks for a pod that is free. */
const lookAgain = 5_000;
/** Milliseconds between looks at a pod that OpenKruise works on. */
const untilNormal = 15_000;

/** Whether OpenKruise leaves a pod alone. Pods that others made it never touches: they are left alone until they are sent away, which is for good. */
export function isNormal({ metadata: { labels } }: Pod): boolean {
  const state = labels?.[KRUISE_LIFECYCLE_STATE];
  return labels?.[LABEL_DIRECT_POD] === undefined ? state === 'Normal' : state !== 'PreparingDelete';
}

/** The next step of a claim without a pod. @throws Resync while there is none for it */
export async function bind(context: Context, service: CnStoreService): Promise<Action<CNClaim>> {
  context.status.phase = 'Pending';
  const pod = await take(context);
  if (pod && !isNormal(pod)) throw new Resync(`pod ${pod.metadata.name} is being updated`, untilNormal);
  if (pod) return bindTo(pod, service);
  const pool = nominated(context);
  if (pool !== undefined) return nominate(pool);
  throw new Resync('no pod is free', lookAgain);
}

/** Marks a pod as this claim's: whoever is first has it, all others meet a conflict. */
async function take(context: Context): Promise<Pod | undefined> {
  const { client, object, signal, store } = context;
  const { namespace } = object.metadata;
  const inNamespace = namespace === undefined ? {} : { namespace };
  const pods = [...store(Pod).list({ ...inNamespace, labels: LABEL_PHASE })];
  const claims = [...store(CNClaim).list(inNamespace)];
  const [mine] = orphans(object, pods, claims);
  if (mine) return confirmed(context, mine, claims);
  for (const pod of candidates(object, pods, claims).filter(isNormal)) {
    try {
      return await changeMetadata(client, pod, boundMarks(object), signal);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }
  return undefined;
}

/**
 * A pod that bears the claim's mark, as the server has it: by a mark that is known late it may be another claim's by now.
 * @throws Resync when it is
 */
async function confirmed({ client, object, signal }: Context, pod: Pod, claims: readonly CNClaim[]): Promise<Pod> {
  const now = await findSame(client, Pod, pod, signal);
  const [ours] = now ? orphans(object, [now], claims) : [];
  if (ours) return ours;
  throw new Resync(`pod ${pod.metadata.name} is not this claim's any more, which is not known here yet`, lookAgain);
}

/** Puts the pod of a claim into service, unless it has been given back meanwhile. */
export function serveClaim(context: Context, service: CnStoreService, pod: Pod): Promise<void> {
  const { client, object, signal } = context;
  const isOurs = (now: Pod) => phaseOf(now) === 'Bound' && claimantOf(now) === object.metadata.name;
  const before = takingBack(client, pod, signal, isOurs);
  return service.serve(storeOf(context, pod), object.spec?.cnLabels ?? [], signal, before);
}

function bindTo(pod: Pod, service: CnStoreService): Action<CNClaim> {
  return {
    name: 'Bind',
    async run(context) {
      const { client, object, signal } = context;
      await serveClaim(context, service, pod);
      const pool = pod.metadata.labels?.[LABEL_POOL];
      const body = {
        metadata: {
          resourceVersion: object.metadata.resourceVersion,
          ...(pool ? { labels: { [LABEL_POOL]: pool } } : {}),
        },
        spec: {
          podName: pod.metadata.name,
          ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
          ...(pool ? { poolName: pool } : {}),
        },
      };
      await client.of(CNClaim).patch(keyOf(object), merge(body), { signal });
    },
  };
}

/**
 * The pool that is to make a pod for the claim, when it is not noted yet: there it counts as one that waits. One that the claim names itself
 * stands; one that was chosen for it, until that is gone and there is another.
 */
function nominated({ object, store }: Context): { readonly pool: string; readonly isChosen: boolean } | undefined {
  const { spec, metadata } = object;
  const { namespace } = metadata;
  const named = spec?.poolName;
  const pools = [...store(CNPool).list(namespace === undefined ? {} : { namespace })]
    .filter((pool) => !pool.metadata.deletionTimestamp)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const isStale =
    metadata.annotations?.[ANNOTATION_POOL_CHOSEN] === named && pools.every(({ metadata: { name } }) => name !== named);
  if (named && !isStale) return metadata.labels?.[LABEL_POOL] === named ? undefined : { pool: named, isChosen: false };
  const selector = selectorFromField(spec?.selector);
  const pool = pools.find((one) => matchesLabels(selector, one.spec.podLabels))?.metadata.name;
  return pool === undefined ? undefined : { pool, isChosen: true };
}

function nominate({ pool, isChosen }: { readonly pool: string; readonly isChosen: boolean }): Action<CNClaim> {
  return {
    name: 'Nominate',
    async run({ client, object, signal }) {
      const { resourceVersion } = object.metadata;
      const annotations = isChosen ? { annotations: { [ANNOTATION_POOL_CHOSEN]: pool } } : {};
      const metadata = { resourceVersion, labels: { [LABEL_POOL]: pool }, ...annotations };
      const body = { metadata, spec: { poolName: pool } };
      await client.of(CNClaim).patch(keyOf(object), merge(body), { signal });
    },
  };
}
