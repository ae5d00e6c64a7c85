/**
 * Namespaces: empties those that are being deleted (pods first, then all the rest), says in conditions what holds them up, and
 * lets them go when nothing is left.
 */
import { Namespace } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import type { KindMonitors } from '../kinds/index.ts';
import { NamespaceReconciler } from './reconciler.ts';

/** Adds the namespace controller to the control plane's manager. */
export function namespaceController(manager: Manager, monitors: KindMonitors): void {
  const namespaces = manager.cache.informer(Namespace).store;
  const controller = manager
    .controller(Namespace, 'namespace')
    .where(({ object }) => object.metadata.deletionTimestamp !== undefined)
    .run(new NamespaceReconciler(monitors));
  const recheck = (name: string | undefined) => {
    if (!name) return;
    const namespace = namespaces.get({ name });
    if (namespace?.metadata.deletionTimestamp !== undefined) controller.enqueue({ name });
  };
  manager.add({
    name: 'namespace-contents',
    async start() {
      await monitors.start();
      monitors.onEvent(({ change }) => recheck(change.object.metadata.namespace));
      for (const { metadata } of namespaces.list()) recheck(metadata.name);
    },
  });
}
