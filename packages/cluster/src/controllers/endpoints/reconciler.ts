import { EndpointSlice, Endpoints, Node, Pod, Service } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { deepEqual, isAlreadyExists, keyOf } from '@coxswain/runtime/core';
import { Pace } from '../workload/pace.ts';
import { ignoreRace } from '../workload/tolerant.ts';
import { desiredEndpoints, endpointsManagedBy, endpointsManager } from './endpoints.ts';
import { planSlices } from './pack.ts';
import { addressTypesOf, groupsOf, managedBy, managedByLabel } from './slices.ts';
import { stamped, TriggerTimes } from './trigger-times.ts';

/** Index of slices by `namespace/service`. */
export const slicesByService = 'kubernetes.io/service-name';

/** Made once: each `localeCompare` with options makes its own. */
const byNumber = new Intl.Collator('en', { numeric: true });

/** Keeps the EndpointSlices and the Endpoints of a service equal to the pods it selects. */
export class EndpointsReconciler implements Reconciler {
  readonly #pace = new Pace();
  readonly #times = new TriggerTimes();

  async reconcile(context: ReconcileContext): Promise<Result> {
    const { cache, client, clock, key } = context;
    const service = cache.store(Service).get(key);
    const selector = service?.spec?.selector;
    const name = `${key.namespace}/${key.name}`;
    // a service without a selector has its endpoints from elsewhere; a deleted one's are garbage
    if (!service || !selector || service.metadata.deletionTimestamp || service.spec?.type === 'ExternalName') {
      this.#pace.forget(name);
      this.#times.forget(name);
      if (!service) await removeEndpoints(client, cache.store(Endpoints).get(key));
      return undefined;
    }
    const pods = [...cache.store(Pod).list({ namespace: key.namespace ?? '', labels: selector })];
    const rest = this.#pace.rest(name, pods.length, clock.monotonic());
    if (rest > 0) return { requeueAfter: rest };
    pods.sort((a, b) => byNumber.compare(a.metadata.name, b.metadata.name));
    const triggered = this.#times.next(name, service, pods);
    await syncSlices(context, service, pods, triggered);
    await syncEndpoints(context, service, pods, triggered);
    return undefined;
  }
}

async function syncSlices(
  { cache, client, key }: ReconcileContext,
  service: Service,
  pods: readonly Pod[],
  triggered: string | undefined,
): Promise<void> {
  const slices = client.of(EndpointSlice);
  const own = [...cache.store(EndpointSlice).by(slicesByService, `${key.namespace}/${key.name}`)].filter(
    ({ metadata }) => metadata.labels?.[managedByLabel] === managedBy && !metadata.deletionTimestamp,
  );
  const nodes = cache.store(Node);
  const types = addressTypesOf(service);
  const remove = own.filter(({ addressType }) => !types.includes(addressType));
  const withTime = (slice: EndpointSlice): EndpointSlice => {
    const annotations = stamped(slice.metadata.annotations, triggered);
    return { ...slice, metadata: { ...slice.metadata, annotations } };
  };
  for (const type of types) {
    const groups = groupsOf(service, pods, type, (name) => nodes.get({ name }));
    const existing = own.filter(({ addressType }) => addressType === type);
    const plan = planSlices(service, type, groups, existing);
    for (const slice of plan.create) await slices.create(withTime(slice));
    for (const slice of plan.update) await slices.update(withTime(slice));
    remove.push(...plan.remove);
  }
  for (const slice of remove) await slices.delete(keyOf(slice)).catch(ignoreRace);
}

/** A concurrent change brings an event, and with it another pass. */
async function syncEndpoints(
  { cache, client, key }: ReconcileContext,
  service: Service,
  pods: readonly Pod[],
  triggered: string | undefined,
): Promise<void> {
  const before = cache.store(Endpoints).get(key);
  const wanted = desiredEndpoints(service, pods, before, triggered);
  if (before && deepEqual(facts(before), facts(wanted))) return;
  const endpoints = client.of(Endpoints);
  await (before ? endpoints.update(wanted) : endpoints.create(wanted)).catch((error: unknown) => {
    if (!isAlreadyExists(error)) ignoreRace(error);
  });
}

/** What calls for a write; when the last change was does not. */
function facts({ metadata, subsets = [] }: Endpoints): unknown {
  return [metadata.labels, stamped(metadata.annotations, undefined), subsets];
}

/** The slices of a service that is gone have an owner, and are collected; the older form has none. */
async function removeEndpoints(client: Client, endpoints: Endpoints | undefined): Promise<void> {
  const { labels, uid } = endpoints?.metadata ?? {};
  if (!endpoints || labels?.[endpointsManagedBy] !== endpointsManager) return;
  const preconditions = uid ? { preconditions: { uid } } : {};
  await client.of(Endpoints).delete(keyOf(endpoints), preconditions).catch(ignoreRace);
}
