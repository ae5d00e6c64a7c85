import type { ConfigMap, PodDisruptionBudget, Service } from '@coxswain/k8s';
import type { CloneSet } from '@coxswain/k8s/kruise';
import { type ProxySetSpec, proxySetNames, type SharedStorage } from '../api/index.ts';
import { type LogService, proxySetToml } from '../config/index.ts';
import { proxyDisruptionBudget, proxyService, proxySetWorkload, type SetKey } from '../pods/index.ts';
import { proxyStartScript } from '../scripts/index.ts';
import { roleConfig } from './config-map.ts';
import type { LiveSet } from './live.ts';

/** The children of a ProxySet. */
export interface ProxySetPlan {
  readonly services: readonly Service[];
  readonly configMaps: readonly ConfigMap[];
  readonly workload: CloneSet;
  /** What node drains must leave. */
  readonly budget?: PodDisruptionBudget | undefined;
}

/** What a ProxySet should consist of. @throws TomlSyntaxError */
export function planProxySet(
  set: SetKey,
  spec: ProxySetSpec,
  storage: SharedStorage,
  log: LogService,
  live: LiveSet<CloneSet> = {},
): ProxySetPlan {
  const role = {
    name: proxySetNames(set.name).config,
    key: 'config.toml',
    toml: proxySetToml(spec, storage, log),
    script: proxyStartScript(spec.waitPluginAddr),
  };
  const { config, map } = roleConfig('ProxySet', set, spec, role, live);
  return {
    services: [proxyService(set, spec)],
    configMaps: [map],
    workload: proxySetWorkload(set, spec, storage, config),
    budget: proxyDisruptionBudget(set, spec),
  };
}
