import { apiVersionOf, ConfigMap, type Kind, type KubeObject, PodDisruptionBudget, Service } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import type { ActorContext } from '@coxswain/runtime/actor';
import { merge } from '@coxswain/runtime/client';
import { controllerOf } from '@coxswain/runtime/controller';
import { keyOf } from '@coxswain/runtime/core';
import { ANNOTATION_BOOTSTRAP, isLeftAlone, type LogSet, MatrixOneCluster } from '../api/index.ts';

type Context = ActorContext<LogSet>;

/** Milliseconds within which its cluster is deleted too, when it is: with its namespace, or by one command for both. */
const together = 10_000;

/**
 * The cluster that needs a LogSet which is being deleted; `undefined` when it goes as well, or has let go of it. Asked of the server: by what is
 * known late the data would go with the LogSet, or its stores would stay behind for a cluster that is gone.
 */
export async function clusterInNeed({ client, object, signal }: Context): Promise<MatrixOneCluster | undefined> {
  const owner = controllerOf(object);
  if (owner?.kind !== MatrixOneCluster.kind) return undefined;
  const { namespace = '' } = object.metadata;
  const cluster = await client.of(MatrixOneCluster).find({ namespace, name: owner.name }, { signal });
  if (cluster?.metadata.uid !== owner.uid) return undefined;
  return isLeftAlone(cluster) ? undefined : cluster;
}

/**
 * Lets a LogSet go that was deleted by hand, and not what is below it: its stores run on with their data, and the LogSet that its cluster
 * makes next finds them, with the choice of members that HAKeeper was started with.
 * @param waited milliseconds since it was deleted
 * @returns whether it may go
 */
export async function handOver(context: Context, cluster: MatrixOneCluster, waited: number): Promise<boolean> {
  const { conditions, event, object } = context;
  const message = `it is being deleted while MatrixOneCluster ${cluster.metadata.name} needs it: its stores and volumes stay, for the LogSet that comes next`;
  if (conditions.get('Synced')?.message !== message) {
    event({ type: 'Warning', reason: 'StillNeeded', message, action: 'Finalize' });
  }
  conditions.set('Synced', 'False', 'StillNeeded', message);
  if (waited < together) return false;
  const bootstrap = object.metadata.annotations?.[ANNOTATION_BOOTSTRAP];
  const annotations = bootstrap === undefined ? {} : { [ANNOTATION_BOOTSTRAP]: bootstrap };
  await leaveTo(context, cluster, KruiseStatefulSet, { annotations });
  for (const kind of [Service, ConfigMap, PodDisruptionBudget] as const) await leaveTo<Kind>(context, cluster, kind);
  return true;
}

/** What else remains of a LogSet that goes: what it has from one before it, which let go of it, is the cluster's as well, and would stay with that. */
export async function removeShared(context: Context): Promise<void> {
  for (const kind of [Service, ConfigMap, PodDisruptionBudget] as const)
    for (const child of context.owned<KubeObject>(kind as Kind))
      if ((child.metadata.ownerReferences?.length ?? 0) > 1) await context.ensureGone(kind, keyOf(child));
}

/** Leaves the children of a kind to the cluster, with which they go should no LogSet come, and which controls none of them. */
async function leaveTo<K extends Kind>(
  { client, object, owned, signal }: Context,
  cluster: MatrixOneCluster,
  kind: K,
  metadata: object = {},
): Promise<void> {
  const { name, uid = '' } = cluster.metadata;
  const heir = { apiVersion: apiVersionOf(MatrixOneCluster), kind: MatrixOneCluster.kind, name, uid };
  for (const child of owned(kind)) {
    const { resourceVersion, ownerReferences = [] } = child.metadata;
    const others = ownerReferences.filter((owner) => owner.uid !== object.metadata.uid && owner.uid !== uid);
    const body = { metadata: { ...metadata, resourceVersion, ownerReferences: [...others, heir] } };
    await client.of(kind as Kind).patch(keyOf(child), merge(body), { signal });
  }
}
