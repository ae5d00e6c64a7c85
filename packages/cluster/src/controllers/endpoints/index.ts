/** Endpoints: who is behind a service, as EndpointSlices and in the older form; and slices for Endpoints that are written by hand. */
import { EndpointSlice, Endpoints, Node, Pod, Service } from '@coxswain/k8s';
import type { StoreEvent } from '@coxswain/runtime/cache';
import { keyOf } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { controllerRecorder } from '../workload/recorder.ts';
import { tolerant } from '../workload/tolerant.ts';
import { EndpointsMirror } from './mirror.ts';
import { zoneLabel } from './pod-endpoint.ts';
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

/** A node that comes, goes or changes its zone concerns whoever has pods on it. */
function changesPlaces(event: StoreEvent<Node>): boolean {
  if (event.type !== 'updated') return true;
  return event.previous.metadata.labels?.[zoneLabel] !== event.object.metadata.labels?.[zoneLabel];
}

function* servicesOn(node: Node, pods: Iterable<Pod>, servicesIn: (namespace: string) => Iterable<Service>) {
  for (const pod of pods)
    if (pod.spec?.nodeName === node.metadata.name) yield* servicesOf(pod, servicesIn(pod.metadata.namespace ?? ''));
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
    .watches(Node, {
      where: changesPlaces,
      map: (node, { cache }) =>
        servicesOn(node, cache.store(Pod).list(), (namespace) => cache.store(Service).list({ namespace })),
    })
    .watches(EndpointSlice, { map: serviceOf })
    .watches(Endpoints, { map: (endpoints) => [keyOf(endpoints)] })
    .run(tolerant(new EndpointsReconciler()));
  manager
    .controller(Endpoints, 'endpointslice-mirroring')
    .watches(Service, { map: (service) => [keyOf(service)] })
    .watches(EndpointSlice, { map: serviceOf })
    .run(tolerant(new EndpointsMirror(controllerRecorder(manager, 'endpoint-slice-mirroring-controller'))));
}
