import type { ActorContext } from '@coxswain/runtime/actor';
import { apply } from '@coxswain/runtime/client';
import { keyOf } from '@coxswain/runtime/core';
import { ANNOTATION_SCALED_GROUPS, CNSet, GROUP, type MatrixOneCluster, VERSION } from '../api/index.ts';

/** In whose name a group's number of nodes is held until a scaler has changed it. */
const fieldManager = 'matrixone-operator-replicas';

/**
 * Whether a group's number of nodes is the business of its scale subresource: of a HorizontalPodAutoscaler, or of `kubectl scale`. The
 * annotation of the cluster names such groups, `*` all of them.
 */
export function isScaledElsewhere({ metadata }: MatrixOneCluster, group: string): boolean {
  const names = metadata.annotations?.[ANNOTATION_SCALED_GROUPS]?.split(',').map((name) => name.trim());
  return names?.some((name) => name === group || name === '*') ?? false;
}

/**
 * The CNSet to apply for a group that is scaled elsewhere: without its number of nodes, once that is held by another name. Left out while we
 * were its only holder, the field would be removed.
 * @returns the set as it is wanted while there is none yet
 * @throws ApiError Conflict when the set has changed since it was read
 */
export async function withoutReplicas(
  { client, signal }: ActorContext<MatrixOneCluster>,
  wanted: CNSet,
  live: CNSet | undefined,
): Promise<CNSet> {
  if (!live) return wanted;
  if (live.metadata.annotations?.[ANNOTATION_SCALED_GROUPS] === undefined) {
    // With the version: a number that a scaler has given since would be written over.
    const { name, namespace, resourceVersion } = live.metadata;
    const annotations = { [ANNOTATION_SCALED_GROUPS]: '' };
    const held = {
      apiVersion: `${GROUP}/${VERSION}`,
      kind: 'CNSet',
      metadata: { name, namespace, resourceVersion, annotations },
      spec: { replicas: live.spec.replicas },
    };
    await client.of(CNSet).patch(keyOf(live), apply(held), { fieldManager, force: true, signal });
  }
  const { replicas: _, ...spec } = wanted.spec;
  return { ...wanted, spec: spec as CNSet['spec'] };
}

/** Lets go of the number of nodes of a group that is ours again: it has been applied with the rest. */
export async function takeReplicasBack({ client, signal }: ActorContext<MatrixOneCluster>, live: CNSet): Promise<void> {
  if (live.metadata.annotations?.[ANNOTATION_SCALED_GROUPS] === undefined) return;
  const { name, namespace } = live.metadata;
  const nothing = { apiVersion: `${GROUP}/${VERSION}`, kind: 'CNSet', metadata: { name, namespace } };
  await client.of(CNSet).patch(keyOf(live), apply(nothing), { fieldManager, force: true, signal });
}
