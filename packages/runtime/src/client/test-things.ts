import type { DynamicObject, Kind } from '@coxswain/k8s';

/** A custom kind, as the tests use it. */
export const things: Kind<DynamicObject> = {
  group: 'x.dev',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
};
