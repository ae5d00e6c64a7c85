/** Pods that nobody will ever stop, or ask for: those of nodes that are gone or lost, and old ones that have ended. They are deleted. */
import { Node, Pod } from '@coxswain/k8s';
import type { StoreEvent } from '@coxswain/runtime/cache';
import { deepEqual, keyOf, type ObjectKey } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { tolerant } from '../workload/tolerant.ts';
import { OrphanCollector, podsByNode } from './orphan-collector.ts';
import { endedPods, hasEnded, TerminatedCollector } from './terminated-collector.ts';
import { terminatingCollector } from './terminating-collector.ts';

/** So many pods that have ended are kept. */
const terminatedThreshold = 12_500;

/** All ended pods are one piece of work. */
const together: ObjectKey = { name: 'ended' };

function changesService(event: StoreEvent<Node>): boolean {
  if (event.type !== 'updated') return false;
  const ready = ({ status }: Node) => status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return (
    ready(event.object) !== ready(event.previous) || !deepEqual(event.object.spec?.taints, event.previous.spec?.taints)
  );
}

/** Adds the pod garbage collectors to the control plane's manager. */
export function podGarbageCollector(manager: Manager): void {
  const pods = manager.cache.informer(Pod);
  pods.addIndex(podsByNode, ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
  pods.addIndex(endedPods, (pod) => (hasEnded(pod) ? ['yes'] : []));
  const podsOf = ({ metadata }: Node) => [...pods.store.by(podsByNode, metadata.name)].map(keyOf);
  manager
    .controller(Pod, 'pod-garbage-collector')
    .where((event) => event.type !== 'updated' || event.object.spec?.nodeName !== event.previous.spec?.nodeName)
    .watches(Node, { where: ({ type }) => type !== 'updated', map: podsOf })
    .run(tolerant(new OrphanCollector()));
  manager
    .controller(Pod, 'terminating-pod-collector')
    .where(({ type, object }) => type !== 'deleted' && object.metadata.deletionTimestamp !== undefined)
    .watches(Node, { where: changesService, map: podsOf })
    .run(tolerant(terminatingCollector));
  const collector = manager
    .controller(Pod, 'terminated-pod-collector')
    .where(() => false)
    .options({ workers: 1 })
    .run(tolerant(new TerminatedCollector(terminatedThreshold)));
  let ended = 0;
  pods.onEvent((event) => {
    const before =
      event.type === 'updated' ? hasEnded(event.previous) : event.type === 'deleted' && hasEnded(event.object);
    const now = event.type !== 'deleted' && hasEnded(event.object);
    ended += Number(now) - Number(before);
    if (now && ended > terminatedThreshold) collector.enqueue(together);
  });
}
