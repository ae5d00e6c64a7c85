import type { ConfigMap } from '@coxswain/k8s';
import { type SetKind, setLabels } from '../api/index.ts';
import { type LiveConfig, type RenderedConfig, type RoleConfig, renderConfig } from '../config/index.ts';
import type { SetKey } from '../pods/index.ts';
import type { LiveSet } from './live.ts';

export function configMap(
  set: SetKey,
  name: string,
  data: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>>,
): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: set.namespace, labels },
    data,
  };
}

/** A role's configuration as it is referred to, and as the ConfigMap that carries it. */
export function roleConfig(
  kind: SetKind,
  set: SetKey,
  spec: { readonly operatorVersion?: string | undefined },
  role: RoleConfig,
  live: LiveSet<unknown>,
): { readonly config: RenderedConfig; readonly map: ConfigMap } {
  const kept: LiveConfig = {
    ...(live.configMap ? { map: live.configMap } : {}),
    ...(live.suffixes ? { suffixes: live.suffixes } : {}),
  };
  const config = renderConfig(spec, role, kept);
  return { config, map: configMap(set, config.name, config.data, setLabels(kind, set.namespace, set.name)) };
}
