/** Endpoints: who is behind a service, as EndpointSlices and in the older form; and slices for Endpoints that are written by hand. */
import { EndpointSlice, Endpoints, Node, Pod, Service } from '@coxswain/k8s';
import type { Store, StoreEvent } from '@coxswain/runtime/cache';
import { keyOf } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { controllerRecorder } from '../workload/recorder.ts';
import { tolerant } from '../workload/tolerant.ts';
import { EndpointsMirror } from './mirror.ts';
import { zoneLabel } from './pod-endpoint.ts';
import { EndpointsReconciler, slicesByService } from './reconciler.ts';
import { ServiceSelectors } from './service-selectors.ts';
import { serviceNameLabel } from './slices.ts';

function serviceOf(slice: EndpointSlice) {
  const name = slice.metadata.labels?.[serviceNameLabel];
  return name ? [{ namespace: slice.metadata.namespace ?? '', name }] : [];
}

/** A node that comes, goes or changes its zone concerns whoever has pods on it. */
function changesPlaces(event: StoreEvent<Node>): boolean {
  if (event.type !== 'updated') return true;
  return event.previous.metadata.labels?.[zoneLabel] !== event.object.metadata.labels?.[zoneLabel];
}

function* servicesOn(node: Node, pods: Store<Pod>, selectors: ServiceSelectors) {
  for (const pod of pods.list()) if (pod.spec?.nodeName === node.metadata.name) yield* selectors.of(pod);
}

/** Adds the endpoints controllers to the control plane's manager. */
export function endpointsControllers(manager: Manager): void {
  const selectors = new ServiceSelectors();
  manager.cache.informer(Service).onEvent((event) => selectors.heed(event));
  const slices = manager.cache.informer(EndpointSlice);
  slices.addIndex(slicesByService, (slice) => serviceOf(slice).map(({ namespace, name }) => `${namespace}/${name}`));
  manager
    .controller(Service, 'endpointslice')
    .watches(Pod, { map: (pod) => selectors.of(pod) })
    .watches(Node, {
      where: changesPlaces,
      map: (node, { cache }) => servicesOn(node, cache.store(Pod), selectors),
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
