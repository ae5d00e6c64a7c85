import { ConfigMap } from '@coxswain/k8s';
import type { Reconciler } from '@coxswain/runtime/controller';
import type { Manager } from '@coxswain/runtime/manager';

export function shared(manager: Manager, reconciler: Reconciler): void {
  const sharding = { shards: 16, namespace: 'demo', lease: 'echo' };
  manager.controller(ConfigMap).options({ sharding }).run(reconciler);
}
