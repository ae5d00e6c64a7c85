import { ConfigMap, PersistentVolumeClaim, type Pod, Secret, type Volume } from '@coxswain/k8s';
import type { ReconcileContext } from '@coxswain/runtime/controller';

/** Names of the ConfigMaps, Secrets and claims a pod cannot start without, each with the volume that mounts it. */
function needsOf({ name, configMap, secret, persistentVolumeClaim, projected }: Volume): Need[] {
  const needs: Need[] = [];
  const add = (kind: Need['kind'], object: string | undefined, optional: boolean | undefined) => {
    if (object && !optional) needs.push({ volume: name, kind, object });
  };
  add('configmap', configMap?.name, configMap?.optional);
  add('secret', secret?.secretName, secret?.optional);
  add('persistentvolumeclaim', persistentVolumeClaim?.claimName, false);
  for (const source of projected?.sources ?? []) {
    add('configmap', source.configMap?.name, source.configMap?.optional);
    add('secret', source.secret?.name, source.secret?.optional);
  }
  return needs;
}

interface Need {
  readonly volume: string;
  readonly kind: 'configmap' | 'secret' | 'persistentvolumeclaim';
  readonly object: string;
}

async function isMissing({ kind, object }: Need, namespace: string, { client }: ReconcileContext): Promise<boolean> {
  const key = { namespace, name: object };
  if (kind === 'configmap') return (await client.of(ConfigMap).find(key)) === undefined;
  if (kind === 'secret') return (await client.of(Secret).find(key)) === undefined;
  return (await client.of(PersistentVolumeClaim).find(key))?.status?.phase !== 'Bound';
}

/** What a pod mounts that is not there (yet), in words. */
export async function missingVolume(pod: Pod, context: ReconcileContext): Promise<string | undefined> {
  const namespace = pod.metadata.namespace ?? '';
  for (const need of (pod.spec?.volumes ?? []).flatMap(needsOf)) {
    if (!(await isMissing(need, namespace, context))) continue;
    return need.kind === 'persistentvolumeclaim'
      ? `persistentvolumeclaim "${need.object}" is not bound`
      : `MountVolume.SetUp failed for volume "${need.volume}" : ${need.kind} "${need.object}" not found`;
  }
  return undefined;
}
