/** Pods whose node is gone: nobody will ever stop them, so they are deleted, and their controllers replace them. */
import { Node, Pod } from '@coxswain/k8s';
import { keyOf } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { tolerant } from '../workload/tolerant.ts';
import { OrphanCollector, podsByNode } from './orphan-collector.ts';

/** Adds the pod garbage collector to the control plane's manager. */
export function podGarbageCollector(manager: Manager): void {
  manager.cache.informer(Pod).addIndex(podsByNode, ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
  manager
    .controller(Pod, 'pod-garbage-collector')
    .where((event) => event.type !== 'updated' || event.object.spec?.nodeName !== event.previous.spec?.nodeName)
    .watches(Node, {
      where: ({ type }) => type !== 'updated',
      map: ({ metadata }, { cache }) => [...cache.store(Pod).by(podsByNode, metadata.name)].map(keyOf),
    })
    .run(tolerant(new OrphanCollector()));
}
