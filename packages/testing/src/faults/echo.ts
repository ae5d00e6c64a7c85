import { defineResource, type ResourceType, s } from '@coxswain/schema';

/** What the operator under test works on: each Echo becomes a ConfigMap of its name that says its text. */
export const Echo = defineResource({
  group: 'faults.test.dev',
  version: 'v1',
  kind: 'Echo',
  plural: 'echoes',
  scope: 'Namespaced',
  spec: s.object({ text: s.string() }),
  status: s.object({ said: s.string().optional(), conditions: s.conditions().optional() }),
  subresources: { status: true },
});
export type Echo = ResourceType<typeof Echo>;
