import { EndpointSlice, Endpoints, Service } from '@coxswain/k8s';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { deepEqual, keyOf } from '@coxswain/runtime/core';
import { ignoreRace } from '../workload/tolerant.ts';
import { mirroredBy, mirroredSlices, mirrorKey } from './mirrored-slices.ts';
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

/** Keeps EndpointSlices for Endpoints objects that somebody wrote by hand. */
export class EndpointsMirror implements Reconciler {
  async reconcile({ cache, client, key }: ReconcileContext): Promise<Result> {
    const endpoints = cache.store(Endpoints).get(key);
    const wanted = isMirrored(endpoints, cache.store(Service).get(key)) ? mirroredSlices(endpoints) : [];
    const slices = client.of(EndpointSlice);
    const left = new Map<string, EndpointSlice>();
    const surplus: EndpointSlice[] = [];
    for (const slice of cache.store(EndpointSlice).by(slicesByService, `${key.namespace}/${key.name}`)) {
      if (slice.metadata.labels?.[managedByLabel] !== mirroredBy) continue;
      if (left.has(mirrorKey(slice))) surplus.push(slice);
      else left.set(mirrorKey(slice), slice);
    }
    for (const slice of wanted) {
      const before = left.get(mirrorKey(slice));
      left.delete(mirrorKey(slice));
      if (!before) await slices.create(slice);
      else if (!deepEqual(facts(before), facts(slice))) {
        const { generateName: _made, ...metadata } = slice.metadata;
        const { name, resourceVersion = '' } = before.metadata;
        await slices.update({ ...slice, metadata: { ...metadata, name, resourceVersion } });
      }
    }
    for (const slice of [...left.values(), ...surplus]) await slices.delete(keyOf(slice)).catch(ignoreRace);
    return undefined;
  }
}
