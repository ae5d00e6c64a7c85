import { ConfigMap, Deployment, PersistentVolumeClaim } from '@coxswain/k8s';
import { child, desired } from '@coxswain/runtime/actor';
import type { Manager } from '@coxswain/runtime/manager';
import { configOf, deploymentOf, type Site, SiteKind } from './kinds.ts';

export const site = desired<Site>({
  owns: [ConfigMap, Deployment, PersistentVolumeClaim], // watched, and cleared of what is no longer desired
  keep: [PersistentVolumeClaim], // these are let go instead of deleted
  children: (object) => [
    child(ConfigMap, configOf(object), { id: 'config' }),
    child(Deployment, deploymentOf(object), { after: ['config'], onImmutable: 'recreate' }),
  ],
  status: ({ metadata }, observed) => ({ replicas: observed.get(Deployment, metadata.name)?.status?.replicas }),
});

export function sites(manager: Manager): void {
  manager.actor(SiteKind, site, { finalizer: 'example.com/site' }).run();
}
