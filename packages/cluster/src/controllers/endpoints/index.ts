/** Endpoints: who is behind a service, as EndpointSlices and in the older form; and slices for Endpoints that are written by hand. */
import { EndpointSlice, Endpoints, Pod, Service } from '@coxswain/k8s';
import { keyOf } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { tolerant } from '../workload/tolerant.ts';
import { EndpointsMirror } from './mirror.ts';
import { EndpointsReconciler, slicesByService } from './reconciler.ts';
import { serviceNameLabel } from './slices.ts';

function* servicesOf(pod: Pod, services: Iterable<Service>) {
  for (const service of services) {
    const selector = Object.entries(service.spec?.selector ?? {});
    if (selector.length > 0 && selector.every(([key, value]) => pod.metadata.labels?.[key] === value))
      yield keyOf(service);
  }
}

function serviceOf(slice: EndpointSlice) {
  const name = slice.metadata.labels?.[serviceNameLabel];
  return name ? [{ namespace: slice.metadata.namespace ?? '', name }] : [];
}

/** Adds the endpoints controllers to the control plane's manager. */
export function endpointsControllers(manager: Manager): void {
  const slices = manager.cache.informer(EndpointSlice);
  slices.addIndex(slicesByService, (slice) => serviceOf(slice).map(({ namespace, name }) => `${namespace}/${name}`));
  manager
    .controller(Service, 'endpointslice')
    .watches(Pod, {
      map: (pod, { cache }) => servicesOf(pod, cache.store(Service).list({ namespace: pod.metadata.namespace ?? '' })),
    })
    .watches(EndpointSlice, { map: serviceOf })
    .watches(Endpoints, { map: (endpoints) => [keyOf(endpoints)] })
    .run(tolerant(new EndpointsReconciler()));
  manager
    .controller(Endpoints, 'endpointslice-mirroring')
    .watches(Service, { map: (service) => [keyOf(service)] })
    .watches(EndpointSlice, { map: serviceOf })
    .run(tolerant(new EndpointsMirror()));
}
