import type { ConfigMap, Service } from '@coxswain/k8s';
import type { CloneSet } from '@coxswain/k8s/kruise';
import { type CNSetSpec, cnSetNames, type SharedStorage } from '../api/index.ts';
import { cnSetToml, type LogService } from '../config/index.ts';
import { cnHeadlessService, cnService, cnSetWorkload, type SetKey } from '../pods/index.ts';
import { cnStartScript } from '../scripts/index.ts';
import { roleConfig } from './config-map.ts';
import type { LiveSet } from './live.ts';

/** The children of a CNSet. */
export interface CNSetPlan {
  readonly services: readonly Service[];
  readonly configMaps: readonly ConfigMap[];
  readonly workload: CloneSet;
}

/** What a CNSet should consist of. @throws TomlSyntaxError */
export function planCNSet(
  set: SetKey,
  spec: CNSetSpec,
  storage: SharedStorage,
  log: LogService,
  live: LiveSet<CloneSet> = {},
): CNSetPlan {
  const role = {
    name: cnSetNames(set.name).config,
    key: 'config.toml',
    toml: cnSetToml(spec, storage, log),
    script: cnStartScript(),
  };
  const { config, map } = roleConfig('CNSet', set, spec, role, live);
  return {
    services: [cnHeadlessService(set), cnService(set, spec)],
    configMaps: [map],
    workload: cnSetWorkload(set, spec, storage, config, live.workload),
  };
}
