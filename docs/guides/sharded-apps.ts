import { ConfigMap } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import { App, app } from './dependencies.ts';

export function shardedApps(manager: Manager, namespace: string): void {
  const sharding = { shards: 16, namespace, lease: 'apps' };
  manager.actor(App, app, { finalizer: 'demo.dev/app' }).owns(ConfigMap).options({ sharding }).run();
}
