import { ConfigMap } from '@coxswain/k8s';
import type { Actor } from '@coxswain/runtime/actor';
import { keyOf } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { defineResource, type ResourceType, s } from '@coxswain/schema';

export const Greeting = defineResource({
  group: 'demo.dev',
  version: 'v1',
  kind: 'Greeting',
  plural: 'greetings',
  scope: 'Namespaced',
  spec: s.object({ whom: s.string().minLength(1), word: s.enum('hello', 'welcome').default('hello') }),
  status: s.object({ text: s.string().optional(), conditions: s.conditions().optional() }),
  subresources: { status: true },
});
export type Greeting = ResourceType<typeof Greeting>;

const actor: Actor<Greeting> = {
  async observe({ object, apply, status }) {
    const { name, namespace } = object.metadata;
    const text = `${object.spec.word} ${object.spec.whom}`;
    await apply(ConfigMap, { metadata: { name, namespace }, data: { text } });
    status.text = text;
    return undefined;
  },
  finalize: ({ object, ensureGone }) => ensureGone(ConfigMap, keyOf(object)),
};

export function greetings(manager: Manager): void {
  manager.actor(Greeting, actor, { finalizer: 'demo.dev/greeting' }).owns(ConfigMap).run();
}
