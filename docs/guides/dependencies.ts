import { ConfigMap } from '@coxswain/k8s';
import type { Actor } from '@coxswain/runtime/actor';
import { keyOf } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { defineResource, type ResourceType, s } from '@coxswain/schema';

const common = { group: 'demo.dev', version: 'v1', scope: 'Namespaced', subresources: { status: true } } as const;
const status = s.object({ host: s.string().optional(), conditions: s.conditions().optional() });

export const Database = defineResource({
  ...common,
  kind: 'Database',
  plural: 'databases',
  spec: s.object({ engine: s.string() }),
  status,
});
export type Database = ResourceType<typeof Database>;

export const App = defineResource({
  ...common,
  kind: 'App',
  plural: 'apps',
  spec: s.object({ database: s.string() }),
  status,
});
export type App = ResourceType<typeof App>;

const databaseOf = ({ metadata, spec }: App) => ({ namespace: metadata.namespace ?? '', name: spec.database });

export const app: Actor<App> = {
  dependsOn: [Database],
  dependencies: (app) => [{ kind: Database, key: databaseOf(app) }],

  async observe({ object, store, apply, conditions, status }) {
    const host = store(Database).get(databaseOf(object))?.status?.host ?? '';
    await apply(ConfigMap, { metadata: keyOf(object), data: { host } });
    status.host = host;
    conditions.set('Ready', 'True', 'Configured', `uses ${host}`);
    return undefined;
  },

  finalize: async () => true,
};

export function apps(manager: Manager): void {
  manager.actor(App, app, { finalizer: 'demo.dev/app' }).owns(ConfigMap).run();
}
