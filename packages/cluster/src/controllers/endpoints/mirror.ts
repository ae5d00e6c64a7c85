import { EndpointSlice, Endpoints, Service } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { deepEqual, keyOf } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { ignoreRace } from '../workload/tolerant.ts';
import { mirroredBy, mirroredSlices, mirrorKey, mostAddresses, skippedAddresses } from './mirrored-slices.ts';
import { slicesByService } from './reconciler.ts';
import { managedByLabel } from './slices.ts';

const skipLabel = 'endpointslice.kubernetes.io/skip-mirror';
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';

/** Endpoints made by hand count only for services that select no pods; others have slices of their own. */
function isMirrored(endpoints: Endpoints | undefined, service: Service | undefined): endpoints is Endpoints {
  if (!endpoints || endpoints.metadata.deletionTimestamp || !service || service.spec?.selector) return false;
  return endpoints.metadata.labels?.[skipLabel] !== 'true' && !endpoints.metadata.annotations?.[leaderAnnotation];
}

function facts({ metadata, endpoints, ports }: EndpointSlice): unknown {
  return [metadata.labels, metadata.annotations ?? {}, endpoints ?? [], ports ?? []];
}

/** Writes a slice over another, which keeps its name. */
async function overwrite(client: Client, before: EndpointSlice, slice: EndpointSlice): Promise<void> {
  const { generateName: _made, ...metadata } = slice.metadata;
  const { name, resourceVersion = '' } = before.metadata;
  await client.of(EndpointSlice).update({ ...slice, metadata: { ...metadata, name, resourceVersion } });
}

/** Keeps EndpointSlices for Endpoints objects that somebody wrote by hand. */
export class EndpointsMirror implements Reconciler {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  async reconcile({ cache, client, key }: ReconcileContext): Promise<Result> {
    const endpoints = cache.store(Endpoints).get(key);
    const mirrored = isMirrored(endpoints, cache.store(Service).get(key));
    const wanted = mirrored ? mirroredSlices(endpoints) : [];
    if (mirrored) this.#tellOfSkipped(endpoints);
    const slices = client.of(EndpointSlice);
    const left = new Map<string, EndpointSlice>();
    const surplus: EndpointSlice[] = [];
    for (const slice of cache.store(EndpointSlice).by(slicesByService, `${key.namespace}/${key.name}`)) {
      if (slice.metadata.labels?.[managedByLabel] !== mirroredBy) continue;
      if (left.has(mirrorKey(slice))) surplus.push(slice);
      else left.set(mirrorKey(slice), slice);
    }
    const missing: EndpointSlice[] = [];
    for (const slice of wanted) {
      const before = left.get(mirrorKey(slice));
      left.delete(mirrorKey(slice));
      if (!before) missing.push(slice);
      else if (!deepEqual(facts(before), facts(slice))) await overwrite(client, before, slice);
    }
    surplus.push(...left.values());
    for (const slice of missing) {
      // a slice that is not needed any more becomes the new one
      const at = surplus.findIndex(({ addressType }) => addressType === slice.addressType);
      const [old] = at < 0 ? [] : surplus.splice(at, 1);
      if (old) await overwrite(client, old, slice);
      else await slices.create(slice);
    }
    for (const slice of surplus) await slices.delete(keyOf(slice)).catch(ignoreRace);
    return undefined;
  }

  #tellOfSkipped(endpoints: Endpoints): void {
    const skipped = skippedAddresses(endpoints);
    if (skipped === 0) return;
    this.#recorder.event(Endpoints, endpoints, {
      type: 'Warning',
      reason: 'TooManyAddressesToMirror',
      message: `A max of ${mostAddresses} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
    });
  }
}
