import { defineResource, type ResourceType, s } from '@coxswain/schema';

/** What the peers' operators work on: each Greeting becomes a ConfigMap of its name, by whichever program runs. */
export const Greeting = defineResource({
  group: 'peers.coxswain.dev',
  version: 'v1',
  kind: 'Greeting',
  plural: 'greetings',
  scope: 'Namespaced',
  spec: s.object({ text: s.string() }),
  status: s.object({
    observedGeneration: s.int64().optional(),
    configMap: s.string().optional(),
    // What kopf notes for itself.
    kopf: s.any().optional(),
  }),
  subresources: { status: true },
});
export type Greeting = ResourceType<typeof Greeting>;
