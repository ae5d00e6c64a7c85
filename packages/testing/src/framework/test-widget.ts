// The kind that these tests work with, in the group of each test's own world. Not exported.
import { installCrds } from '@coxswain/runtime/apply';
import { defineResource, type ResourceType, s } from '@coxswain/schema';
import type { TestCluster } from '../test-cluster/index.ts';

export function widgetIn(group: string) {
  return defineResource({
    group,
    version: 'v1',
    kind: 'Widget',
    plural: 'widgets',
    scope: 'Namespaced',
    spec: s.object({
      size: s.int32().min(0).default(1),
      big: s.int64().optional(),
      needs: s.string().optional(),
      tags: s.map(s.string()).optional(),
    }),
    status: s.object({
      made: s.int32().optional(),
      replicas: s.int32().optional(),
      big: s.int64().optional(),
      conditions: s.conditions().optional(),
    }),
    subresources: { status: true, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.replicas' } },
  });
}

export type WidgetKind = ReturnType<typeof widgetIn>;
export type Widget = ResourceType<WidgetKind>;

/** Defines widgets in a world, and waits until they are served. */
export async function installWidgets({ client, clock, group }: TestCluster): Promise<WidgetKind> {
  const Widget = widgetIn(group);
  await installCrds(client, [Widget.crd()], { clock });
  return Widget;
}

export function widget(namespace: string, name: string, spec: Partial<Widget['spec']> = {}): Widget {
  return { metadata: { name, namespace }, spec: { size: 1, ...spec } };
}
