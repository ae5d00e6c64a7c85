import type { ConfigMap, Service } from '@coxswain/k8s';
import type { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { type DNSetSpec, dnSetNames, type SharedStorage } from '../api/index.ts';
import { dnSetToml, type LogService, transactionTable } from '../config/index.ts';
import { dnHeadlessService, dnMetricService, dnSetWorkload, type SetKey } from '../pods/index.ts';
import { dnStartScript } from '../scripts/index.ts';
import { roleConfig } from './config-map.ts';
import type { LiveSet } from './live.ts';

/** The children of a DNSet. */
export interface DNSetPlan {
  readonly services: readonly Service[];
  readonly configMaps: readonly ConfigMap[];
  readonly workload: KruiseStatefulSet;
}

/** What a DNSet should consist of. @throws TomlSyntaxError */
export function planDNSet(
  set: SetKey,
  spec: DNSetSpec,
  storage: SharedStorage,
  log: LogService,
  live: LiveSet<KruiseStatefulSet> = {},
): DNSetPlan {
  const role = {
    name: dnSetNames(set.name).config,
    key: 'config.toml',
    toml: dnSetToml(spec, storage, log),
    script: dnStartScript(transactionTable(spec)),
  };
  const { config, map } = roleConfig('DNSet', set, spec, role, live);
  return {
    services: [dnHeadlessService(set), dnMetricService(set, spec)],
    configMaps: [map],
    workload: dnSetWorkload(set, spec, storage, config, live.workload),
  };
}
