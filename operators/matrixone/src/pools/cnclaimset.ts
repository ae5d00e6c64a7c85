import { Pod } from '@coxswain/k8s';
import type { Actor, ActorContext } from '@coxswain/runtime/actor';
import { controllerReference } from '@coxswain/runtime/apply';
import { keyOf, matchesLabels, type Random, randomSuffix, selectorFromField } from '@coxswain/runtime/core';
import {
  CNClaim,
  CNClaimSet,
  isLeaving,
  LABEL_CLAIM_SET,
  LABEL_INSTANCE_ID,
  LABEL_PHASE,
  podOf,
} from '../api/index.ts';
import type { ClaimedPod } from './claim-deletion-order.ts';
import { planClaimSet } from './claim-set-plan.ts';

type Context = ActorContext<CNClaimSet>;

/** The life of a number of equal claims (`spec/matrixone.md` §3.5). */
export class CNClaimSetActor implements Actor<CNClaimSet> {
  readonly #random: Random;

  constructor(options: { readonly random: Random }) {
    this.#random = options.random;
  }

  async observe(context: Context): Promise<undefined> {
    const { client, object, signal } = context;
    const all = claimsOf(context);
    // Only claims of the set's own making go: others may carry the same labels.
    for (const claim of all.filter(isSpent)) await context.ensureGone(CNClaim, keyOf(claim));
    const owned = all.filter((claim) => !isSpent(claim) && !isLeaving(claim));
    const plan = planClaimSet(
      object.spec?.replicas ?? 0,
      owned.map((claim) => withPod(context, claim)),
    );
    for (const claim of plan.remove) await context.ensureGone(CNClaim, keyOf(claim));
    for (let i = 0; i < plan.create; i++) {
      await client.of(CNClaim).create(newClaim(object, randomSuffix(this.#random)), { signal });
    }
    report(context);
    return undefined;
  }

  async finalize(context: Context): Promise<boolean> {
    let gone = true;
    for (const claim of context.owned(CNClaim)) gone = (await context.ensureGone(CNClaim, keyOf(claim))) && gone;
    return gone;
  }
}

const isSpent = (claim: CNClaim) => claim.status?.phase === 'Lost';

/** The claims that the set made. Without a selector: all of them, as upstream's would select none and make more for ever. */
function claimsOf({ object, owned }: Context): readonly CNClaim[] {
  const selector = object.spec?.selector && selectorFromField(object.spec.selector);
  return owned(CNClaim).filter(
    ({ metadata: { labels } }) =>
      labels?.[LABEL_INSTANCE_ID] !== undefined && (!selector || matchesLabels(selector, labels)),
  );
}

function withPod({ store, object }: Context, claim: CNClaim): ClaimedPod {
  const name = podOf(claim);
  const pod = name === undefined ? undefined : store(Pod).get({ namespace: object.metadata.namespace ?? '', name });
  return { claim, pod };
}

/** A claim after a set's template. */
export function newClaim(set: CNClaimSet, id: string): CNClaim {
  const { metadata, spec } = set.spec?.template ?? {};
  const { name, namespace } = set.metadata;
  return {
    apiVersion: 'core.matrixorigin.io/v1alpha1',
    kind: 'CNClaim',
    metadata: {
      name: `${name}-${id}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        ...set.spec?.selector?.matchLabels,
        ...metadata?.labels,
        [LABEL_CLAIM_SET]: name,
        [LABEL_INSTANCE_ID]: id,
      },
      ...(metadata?.annotations ? { annotations: metadata.annotations } : {}),
      ownerReferences: [controllerReference(CNClaimSet, set)],
    },
    spec: { ...spec, selector: spec?.selector ?? {}, ownerName: spec?.ownerName || name },
  };
}

function report(context: Context): void {
  const { object, status } = context;
  const live = claimsOf(context).filter((claim) => !isSpent(claim) && !isLeaving(claim));
  const claims = live.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  status.replicas = claims.length;
  status.readyReplicas = claims.filter(({ status: is }) => is?.phase === 'Bound' || is?.phase === 'Outdated').length;
  status.claims = claims.map((claim) => claim.status ?? {});
  status.labelSelector = `${LABEL_CLAIM_SET}=${object.metadata.name},${LABEL_PHASE}=Bound`;
}
