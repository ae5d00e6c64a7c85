// The kinds that the programs of the actor's README work with.
import type { ConfigMap, Deployment, Job } from '@coxswain/k8s';
import { defineResource, type ResourceType, s } from '@coxswain/schema';

const names = { group: 'example.com', version: 'v1', scope: 'Namespaced' } as const;

export const StoreKind = defineResource({ ...names, kind: 'Store', plural: 'stores', spec: s.object({}) });
export const BucketKind = defineResource({
  ...names,
  kind: 'Bucket',
  plural: 'buckets',
  spec: s.object({ store: s.string() }),
  status: s.object({ phase: s.string().optional(), conditions: s.conditions().optional() }),
  subresources: { status: true },
});
export type Bucket = ResourceType<typeof BucketKind>;

const podSpec = { restartPolicy: 'Never', containers: [{ name: 'make', image: 'bucket-maker' }] };

export function jobFor({ metadata: { name, namespace } }: Bucket): Job {
  return { metadata: { name, namespace }, spec: { template: { spec: podSpec } } };
}

export const SiteKind = defineResource({
  ...names,
  kind: 'Site',
  plural: 'sites',
  spec: s.object({ title: s.string() }),
  status: s.object({ replicas: s.int32().optional(), conditions: s.conditions().optional() }),
  subresources: { status: true },
});
export type Site = ResourceType<typeof SiteKind>;

export function configOf({ metadata: { name, namespace }, spec }: Site): ConfigMap {
  return { metadata: { name, namespace }, data: { title: spec.title } };
}

export function deploymentOf({ metadata: { name, namespace } }: Site, config?: string): Deployment {
  const labels = { app: name };
  const volumes = config === undefined ? [] : [{ name: 'config', configMap: { name: config } }];
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }], volumes } };
  return { metadata: { name, namespace }, spec: { selector: { matchLabels: labels }, template } };
}
