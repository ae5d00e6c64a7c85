/**
 * Quotas: says in their status what is allowed and what is used. Counts anew when an object of their namespace comes, changes or
 * goes; admission has charged new objects before.
 */
import { ResourceQuota } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import type { KindMonitors } from '../kinds/index.ts';
import { tolerant } from '../workload/tolerant.ts';
import { QuotaReconciler } from './reconciler.ts';

/** Adds the quota controller to the control plane's manager. */
export function quotaController(manager: Manager, monitors: KindMonitors): void {
  const informer = manager.cache.informer(ResourceQuota);
  const controller = manager.controller(ResourceQuota, 'resourcequota').run(tolerant(new QuotaReconciler(monitors)));
  manager.add({
    name: 'resourcequota-contents',
    async start() {
      await monitors.start();
      monitors.onEvent(({ monitor, change }) => {
        const { namespace } = change.object.metadata;
        // A quota that only changed concerns itself alone.
        const itself = monitor.kind.kind === ResourceQuota.kind && change.type === 'updated';
        if (!namespace || itself) return;
        for (const { metadata } of informer.store.by('namespace', namespace)) {
          controller.enqueue({ namespace, name: metadata.name });
        }
      });
      monitors.onKinds(() => {
        for (const { metadata } of informer.store.list()) {
          if (metadata.namespace) controller.enqueue({ namespace: metadata.namespace, name: metadata.name });
        }
      });
    },
  });
}
