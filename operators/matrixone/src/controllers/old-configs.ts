import { ConfigMap, type KubeObject, type Pod } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { keyOf } from '@coxswain/runtime/core';

/** Maps of earlier contents are named after the role's with a digest: `mo-log-config-1a2b3c4`. */
const digest = /^[0-9a-f]{7}$/;

function reads(pod: Pod, name: string): boolean {
  return pod.spec?.volumes?.some(({ configMap }) => configMap?.name === name) ?? false;
}

/**
 * Deletes the configurations of earlier contents that no pod reads any more. Only once all pods are new: until then the
 * workload's controller may still make one of before.
 * @param role name of the role's map in place, or the prefix of its names
 */
export async function removeOldConfigs<T extends KubeObject>(
  context: ActorContext<T>,
  role: string,
  current: ReadonlySet<string | undefined>,
  pods: readonly Pod[],
): Promise<void> {
  for (const map of context.owned(ConfigMap)) {
    const { name } = map.metadata;
    const isRoles = name === role || (name.startsWith(`${role}-`) && digest.test(name.slice(role.length + 1)));
    if (!isRoles || current.has(name) || pods.some((pod) => reads(pod, name))) continue;
    await context.ensureGone(ConfigMap, keyOf(map));
  }
}
