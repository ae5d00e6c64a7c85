import { ConfigMap, Deployment, ReplicaSet } from '@coxswain/k8s';
import { type ActorContext, configsInTemplates, immutableConfig } from '@coxswain/runtime/actor';
import { deploymentOf, type Site } from './kinds.ts';

export async function rollOut(context: ActorContext<Site>): Promise<void> {
  const { object, owned, store, apply } = context;
  const replicaSets = () =>
    owned(Deployment).flatMap(({ metadata }) => [...store(ReplicaSet).by('owner', metadata.uid ?? '')]);
  const config = await immutableConfig(context, {
    kind: ConfigMap,
    name: 'web',
    data: { title: object.spec.title },
    inUse: () => configsInTemplates(replicaSets().map(({ spec }) => spec?.template ?? {})).configMaps,
  });
  await apply(Deployment, deploymentOf(object, config.metadata.name));
}
