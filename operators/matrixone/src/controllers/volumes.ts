import { type KubeObject, PersistentVolumeClaim } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { merge } from '@coxswain/runtime/client';
import { compareQuantities, keyOf, parseQuantity } from '@coxswain/runtime/core';
import { type SetKind, setLabels, VOLUME_DATA } from '../api/index.ts';
import { keyOfSet } from './children.ts';

/**
 * Makes every claim of a set's data volumes ask for `size`, where it asks for less. The workload's template comes
 * after: a template that grew first would hide claims that did not.
 */
export async function growClaims<T extends KubeObject>(
  context: ActorContext<T>,
  kind: SetKind,
  size: string,
): Promise<void> {
  const { namespace, name } = keyOfSet(context.object);
  const claims = context.client.of(PersistentVolumeClaim);
  const { signal } = context;
  for await (const claim of claims.listAll({ namespace, labels: setLabels(kind, namespace, name), signal })) {
    const present = claim.spec?.resources?.requests?.storage;
    if (!claim.metadata.name.startsWith(`${VOLUME_DATA}-`) || present === undefined) continue;
    if (compareQuantities(parseQuantity(present), parseQuantity(size)) >= 0) continue;
    const body = { spec: { resources: { requests: { storage: size } } } };
    await claims.patch(keyOf(claim), merge(body), { signal });
    const message = `volume ${claim.metadata.name} grows from ${present} to ${size}`;
    context.event({ reason: 'VolumeGrows', message, action: 'GrowVolumes' });
  }
}
