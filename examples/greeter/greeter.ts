import { ConfigMap } from '@coxswain/k8s';
import { child, desired } from '@coxswain/runtime/actor';
import type { Operator } from '@coxswain/runtime/manager';
import { defineResource, type ResourceType, s } from '@coxswain/schema';

export const Guest = defineResource({
  group: 'demo.dev',
  version: 'v1',
  kind: 'Guest',
  plural: 'guests',
  scope: 'Namespaced',
  spec: s.object({ name: s.string().minLength(1), word: s.string().default('Hello') }),
  status: s.object({ conditions: s.conditions().optional() }),
  subresources: { status: true },
});
export type Guest = ResourceType<typeof Guest>;

/** Each guest gets a ConfigMap with a greeting. */
const greet = desired<Guest>({
  owns: [ConfigMap],
  children: ({ metadata: { name, namespace }, spec }) => [
    child(ConfigMap, { metadata: { name, namespace }, data: { text: `${spec.word} ${spec.name}` } }),
  ],
});

export const greeter: Operator = {
  name: 'greeter',
  kinds: [Guest],
  crds: () => [Guest.crd()],
  setup(manager) {
    manager.actor(Guest, greet, { finalizer: 'demo.dev/greeter' }).run();
  },
};
