import type { ConfigMap, Kind, KubeObject, Pod, PodDisruptionBudget, Service } from '@coxswain/k8s';
import { ConfigMap as ConfigMapKind, Pod as PodKind, Service as ServiceKind } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import type { InformerScope } from '@coxswain/runtime/cache';
import type { MapToKeys } from '@coxswain/runtime/controller';
import { keyOf } from '@coxswain/runtime/core';
import {
  ANNOTATION_CONFIG_SUFFIX,
  LABEL_COMPONENT,
  LABEL_INSTANCE,
  type SetKind,
  setLabels,
  VOLUME_CONFIG,
} from '../api/index.ts';
import type { LiveSet } from '../plan/index.ts';
import type { SetKey } from '../pods/index.ts';
import { hasInPlaceConfig } from '../version/index.ts';
import { applyChild } from './apply-child.ts';
import { applyBudget } from './budget.ts';
import { removeOldConfigs } from './old-configs.ts';
import { pendingRollout } from './rollout.ts';
import { tellChange } from './workload-events.ts';

/** The objects that belong to some set; nothing else is watched. */
export const childrenOfSets: InformerScope = { labels: LABEL_COMPONENT };

/** Leads from a pod to the set it belongs to. */
export function setOfPod(kind: SetKind): MapToKeys<Pod> {
  return ({ metadata: { namespace, labels } }) => {
    const name = labels?.[LABEL_INSTANCE];
    return labels?.[LABEL_COMPONENT] === kind && name && namespace ? [{ namespace, name }] : [];
  };
}

export function keyOfSet(object: KubeObject): SetKey {
  return { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}

/** The pods of a set, also those on their way out. */
export function podsOf<T extends KubeObject>(context: ActorContext<T>, kind: SetKind): readonly Pod[] {
  const { namespace, name } = keyOfSet(context.object);
  return [...context.store(PodKind).list({ namespace, labels: setLabels(kind, namespace, name) })];
}

/** The same, of this set or of another one, as the server has them, before something is done that is right only when none is left, or none has run. */
export function podsThere<T extends KubeObject>(
  { client, object, signal }: ActorContext<T>,
  kind: SetKind,
  { namespace, name } = keyOfSet(object),
): Promise<readonly Pod[]> {
  return Array.fromAsync(client.of(PodKind).listAll({ namespace, labels: setLabels(kind, namespace, name), signal }));
}

type Labels = Readonly<Record<string, string>>;

interface Workload extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly template: { readonly metadata?: { readonly labels?: Labels }; readonly spec?: Pod['spec'] };
  };
}

/** Name of the ConfigMap that a workload's pods read. */
export function mountedConfig(workload: Workload | undefined): string | undefined {
  const volumes = workload?.spec.template.spec?.volumes ?? [];
  return volumes.find(({ name }) => name === VOLUME_CONFIG)?.configMap?.name;
}

/** What a plan must know of a set that is there already. */
export function liveSet<T extends KubeObject, W extends Workload>(
  context: ActorContext<T>,
  kind: SetKind,
  spec: { readonly operatorVersion?: string | undefined },
  workload: W | undefined,
  configName: string,
): LiveSet<W> {
  const name = hasInPlaceConfig(spec) ? configName : mountedConfig(workload);
  const { namespace } = keyOfSet(context.object);
  const configMap = name === undefined ? undefined : context.store(ConfigMapKind).get({ namespace, name });
  const suffixes = podsOf(context, kind).map(({ metadata }) => metadata.annotations?.[ANNOTATION_CONFIG_SUFFIX]);
  return {
    ...(workload ? { workload } : {}),
    ...(configMap ? { configMap } : {}),
    suffixes: new Set(suffixes.filter((suffix) => suffix !== undefined)),
  };
}

/** The children of a set. */
interface SetPlan<W> {
  readonly services: readonly Service[];
  readonly configMaps: readonly ConfigMap[];
  readonly workload: W;
  /** Absent for sets that never have one. */
  readonly budget?: PodDisruptionBudget | undefined;
}

/**
 * Writes the children of a plan: services and configuration first, as the pods need them to start. What earlier configurations have left
 * goes once all pods are new.
 * @param again makes the workload anew, for one in whose spec somebody else has his say: it may have changed while the rest was written
 */
export async function applyPlan<T extends KubeObject, W extends Workload>(
  context: ActorContext<T>,
  kind: Kind<W>,
  plan: SetPlan<W>,
  again?: () => W,
): Promise<W> {
  const before = context.store(kind).get(keyOf(plan.workload));
  for (const service of plan.services) await applyChild(context, ServiceKind, service);
  for (const map of plan.configMaps) await applyChild(context, ConfigMapKind, map);
  const isAsPlanned = context.store(kind).get(keyOf(plan.workload)) === before;
  const workload = await applyChild(context, kind, isAsPlanned || !again ? plan.workload : again());
  if ('budget' in plan) await applyBudget(context, plan.budget, plan.workload.spec.template.metadata?.labels);
  tellChange(context, before, workload);
  if (pendingRollout(workload) === undefined) await sweepConfigs(context, workload, plan.configMaps);
  return workload;
}

/** Deletes the configurations of earlier contents: the rollout is over, and nothing is made from them any more. */
async function sweepConfigs<T extends KubeObject>(
  context: ActorContext<T>,
  workload: Workload,
  wanted: readonly ConfigMap[],
): Promise<void> {
  const { name, namespace = '', labels = {} } = workload.metadata;
  const pods = [...context.store(PodKind).list({ namespace, labels })];
  const current = [mountedConfig(workload), ...wanted.map(({ metadata }) => metadata.name)];
  await removeOldConfigs(context, `${name}-config`, new Set(current), pods);
}
