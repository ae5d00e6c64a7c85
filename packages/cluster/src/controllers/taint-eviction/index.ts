/** Drives pods off nodes whose NoExecute taints they do not tolerate, or not for longer. What taints a node is not its business. */
import { Node, Pod, type Taint } from '@coxswain/k8s';
import { deepEqual, keyOf } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { controllerRecorder } from '../workload/recorder.ts';
import { tolerant } from '../workload/tolerant.ts';
import { podsByNode, TaintEviction } from './taint-eviction.ts';

function driving({ spec }: Node): Taint[] {
  return (spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
}

/** Adds the taint eviction controller to the control plane's manager. */
export function taintEvictionController(manager: Manager): void {
  manager.cache.informer(Pod).addIndex(podsByNode, ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
  manager
    .controller(Pod, 'taint-eviction')
    .where(
      (event) =>
        event.type !== 'updated' ||
        event.object.spec?.nodeName !== event.previous.spec?.nodeName ||
        !deepEqual(event.object.spec?.tolerations, event.previous.spec?.tolerations),
    )
    .watches(Node, {
      where: (event) => event.type !== 'updated' || !deepEqual(driving(event.object), driving(event.previous)),
      map: ({ metadata }, { cache }) => [...cache.store(Pod).by(podsByNode, metadata.name)].map(keyOf),
    })
    .run(tolerant(new TaintEviction(controllerRecorder(manager, 'taint-eviction-controller'))));
}
