import { defineResource, type ResourceType, s } from '@coxswain/schema';

/** What all operators of `./cox bench runtime` work on: each Echo becomes a ConfigMap of its name. */
export const Echo = defineResource({
  group: 'bench.dev',
  version: 'v1',
  kind: 'Echo',
  plural: 'echoes',
  scope: 'Namespaced',
  spec: s.object({ text: s.string().optional(), n: s.int32().optional() }),
  status: s.object({
    observedGeneration: s.int64().optional(),
    phase: s.string().optional(),
    conditions: s.conditions().optional(),
    // What kopf notes for itself.
    kopf: s.any().optional(),
  }),
  subresources: { status: true },
});
export type Echo = ResourceType<typeof Echo>;

export const finalizer = 'bench.dev/echo';
/** Under which every operator writes the ConfigMaps. */
export const fieldManager = 'echo-operator';
export const childLabels = { 'app.kubernetes.io/managed-by': 'echo' };
