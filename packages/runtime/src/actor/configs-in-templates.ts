import type { PodTemplateSpec } from '@coxswain/k8s';

/** Names that a pod template uses, in its own namespace. */
export interface ConfigsInUse {
  readonly configMaps: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
}

interface Named {
  readonly name?: string;
}

/**
 * The ConfigMaps and Secrets that pods of these templates use: by volumes (projected ones too), environment, image pull secrets and the
 * secrets of volume drivers. For `inUse` of `immutableConfig`; give it the templates of ReplicaSets and Pods that still run, too.
 */
export function configsInTemplates(templates: Iterable<Pick<PodTemplateSpec, 'spec'>>): ConfigsInUse {
  const configMaps = new Set<string>();
  const secrets = new Set<string>();
  const note = (names: Set<string>, ...found: readonly (Named | string | undefined)[]) => {
    for (const one of found) {
      const name = typeof one === 'string' ? one : one?.name;
      if (name) names.add(name);
    }
  };
  for (const { spec } of templates) {
    for (const volume of spec?.volumes ?? []) {
      note(configMaps, volume.configMap);
      note(secrets, volume.secret?.secretName, volume.csi?.nodePublishSecretRef);
      for (const source of volume.projected?.sources ?? []) {
        note(configMaps, source.configMap);
        note(secrets, source.secret);
      }
    }
    note(secrets, ...(spec?.imagePullSecrets ?? []));
    const containers = [
      ...(spec?.initContainers ?? []),
      ...(spec?.containers ?? []),
      ...(spec?.ephemeralContainers ?? []),
    ];
    for (const { env = [], envFrom = [] } of containers) {
      for (const { valueFrom } of env) {
        note(configMaps, valueFrom?.configMapKeyRef);
        note(secrets, valueFrom?.secretKeyRef);
      }
      for (const { configMapRef, secretRef } of envFrom) {
        note(configMaps, configMapRef);
        note(secrets, secretRef);
      }
    }
  }
  return { configMaps, secrets };
}
