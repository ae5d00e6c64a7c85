import { EndpointSlice, Endpoints, type Kind, type KubeObject, Pod, Service } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { deepEqual, isAlreadyExists, keyOf } from '@coxswain/runtime/core';
import { Pace } from '../workload/pace.ts';
import { ignoreRace } from '../workload/tolerant.ts';
import { desiredEndpoints, endpointsManagedBy, endpointsManager } from './endpoints.ts';
import { desiredSlices, managedBy, managedByLabel } from './slices.ts';

/** Index of slices by `namespace/service`. */
export const slicesByService = 'kubernetes.io/service-name';

/** Keeps the EndpointSlices and the Endpoints of a service equal to the pods it selects. */
export class EndpointsReconciler implements Reconciler {
  readonly #pace = new Pace();

  async reconcile({ cache, client, clock, key }: ReconcileContext): Promise<Result> {
    const service = cache.store(Service).get(key);
    const selector = service?.spec?.selector;
    const name = `${key.namespace}/${key.name}`;
    // a service without a selector has its endpoints from elsewhere; a deleted one's are garbage
    if (!service || !selector || service.metadata.deletionTimestamp || service.spec?.type === 'ExternalName') {
      this.#pace.forget(name);
      if (!service) await removeEndpoints(client, cache.store(Endpoints).get(key));
      return undefined;
    }
    const pods = [...cache.store(Pod).list({ namespace: key.namespace ?? '', labels: selector })];
    const rest = this.#pace.rest(name, pods.length, clock.monotonic());
    if (rest > 0) return { requeueAfter: rest };
    const wanted = desiredSlices(service, pods);
    const existing = [...cache.store(EndpointSlice).by(slicesByService, name)];
    const own = existing.filter((slice) => slice.metadata.labels?.[managedByLabel] === managedBy);
    for (const slice of wanted) {
      const before = own.find((candidate) => candidate.metadata.name === slice.metadata.name);
      await write(client, EndpointSlice, slice, before, (object) => [
        object.metadata.labels,
        object.endpoints ?? [],
        object.ports ?? [],
      ]);
    }
    for (const slice of own)
      if (!wanted.some(({ metadata }) => metadata.name === slice.metadata.name)) await remove(client, slice);
    const endpoints = desiredEndpoints(service, wanted);
    await write(client, Endpoints, endpoints, cache.store(Endpoints).get(key), (object) => [
      object.metadata.labels,
      object.subsets ?? [],
    ]);
    return undefined;
  }
}

/** Creates, or updates when what `facts` picks differs. A concurrent change brings an event, and with it another pass. */
async function write<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  wanted: T,
  before: T | undefined,
  facts: (object: T) => unknown,
): Promise<void> {
  if (before && deepEqual(facts(before), facts(wanted))) return;
  const { resourceVersion } = before?.metadata ?? {};
  const call = resourceVersion
    ? client.of(kind).update({ ...wanted, metadata: { ...wanted.metadata, resourceVersion } })
    : client.of(kind).create(wanted);
  await call.catch((error: unknown) => {
    if (!isAlreadyExists(error)) ignoreRace(error);
  });
}

async function remove(client: Client, slice: EndpointSlice): Promise<void> {
  await client.of(EndpointSlice).delete(keyOf(slice)).catch(ignoreRace);
}

/** The slices of a service that is gone have an owner, and are collected; the older form has none. */
async function removeEndpoints(client: Client, endpoints: Endpoints | undefined): Promise<void> {
  const { labels, uid } = endpoints?.metadata ?? {};
  if (!endpoints || labels?.[endpointsManagedBy] !== endpointsManager) return;
  const preconditions = uid ? { preconditions: { uid } } : {};
  await client.of(Endpoints).delete(keyOf(endpoints), preconditions).catch(ignoreRace);
}
