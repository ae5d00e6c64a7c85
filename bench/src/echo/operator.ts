import { ConfigMap } from '@coxswain/k8s';
import type { Actor } from '@coxswain/runtime/actor';
import type { Manager } from '@coxswain/runtime/manager';
import { childLabels, Echo, fieldManager, finalizer } from './kind.ts';

const echo: Actor<Echo> = {
  async observe({ object, apply, status, conditions }) {
    const { metadata, spec } = object;
    const { name, namespace } = metadata;
    const data = { text: spec.text ?? '', n: String(spec.n ?? 0) };
    await apply(ConfigMap, { metadata: { name, namespace, labels: childLabels }, data });
    status.observedGeneration = metadata.generation;
    status.phase = 'Ready';
    conditions.set('Ready', 'True', 'Echoed');
    return undefined;
  },
  finalize: () => Promise.resolve(true),
};

/** @param observed told of each object in its desired state */
export function setUp(manager: Manager, observed: (name: string) => void): void {
  const counted: Actor<Echo> = {
    ...echo,
    async observe(context) {
      const action = await echo.observe(context);
      observed(context.object.metadata.name);
      return action;
    },
  };
  const options = { finalizer, fieldManager, syncedCondition: false };
  manager
    .actor(Echo, counted, options)
    .owns(ConfigMap, { scope: { labels: childLabels } })
    .options({ workers: 8 })
    .run();
}
