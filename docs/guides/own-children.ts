import { ConfigMap, Deployment } from '@coxswain/k8s';
import { child, desired } from '@coxswain/runtime/actor';
import type { Manager } from '@coxswain/runtime/manager';
import { defineResource, type ResourceType, s } from '@coxswain/schema';

export const Site = defineResource({
  group: 'demo.dev',
  version: 'v1',
  kind: 'Site',
  plural: 'sites',
  scope: 'Namespaced',
  spec: s.object({ title: s.string(), replicas: s.int32().min(0).default(1), notes: s.string().optional() }),
  status: s.object({ available: s.int32().optional(), conditions: s.conditions().optional() }),
  subresources: { status: true },
});
export type Site = ResourceType<typeof Site>;

const named = ({ metadata }: Site, what: string) => ({
  name: `${metadata.name}-${what}`,
  namespace: metadata.namespace,
});

function deploymentOf(site: Site): Deployment {
  const labels = { site: site.metadata.name };
  const containers = [{ name: 'web', image: 'web' }];
  const template = { metadata: { labels }, spec: { containers } };
  return {
    metadata: named(site, 'web'),
    spec: { replicas: site.spec.replicas, selector: { matchLabels: labels }, template },
  };
}

const isAvailable = ({ metadata, spec, status }: Deployment) =>
  status?.observedGeneration === metadata.generation && (status?.availableReplicas ?? 0) >= (spec?.replicas ?? 1);

export const site = desired<Site>({
  owns: [ConfigMap, Deployment],
  children: (site) => [
    child(ConfigMap, { metadata: named(site, 'page'), data: { title: site.spec.title } }, { id: 'page' }),
    child(Deployment, deploymentOf(site), { after: ['page'], ready: isAvailable }),
    ...(site.spec.notes
      ? [child(ConfigMap, { metadata: named(site, 'notes'), data: { notes: site.spec.notes } })]
      : []),
  ],
  status: (site, observed) => ({
    available: observed.get(Deployment, `${site.metadata.name}-web`)?.status?.availableReplicas,
  }),
});

export function sites(manager: Manager): void {
  manager.actor(Site, site, { finalizer: 'demo.dev/site' }).run();
}
