import type { ConfigMap, PodDisruptionBudget, Service } from '@coxswain/k8s';
import type { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { type LogSetSpec, logSetNames, setLabels } from '../api/index.ts';
import { type BootstrapMember, bootstrapToml, gossipToml, type LogService, logSetToml } from '../config/index.ts';
import {
  logDiscoveryService,
  logDisruptionBudget,
  logHeadlessService,
  logMetricService,
  logSetWorkload,
  type SetKey,
  type StoreScaling,
} from '../pods/index.ts';
import { logStartScript } from '../scripts/index.ts';
import { hasDiscoveryFixed, matrixOneVersionOf } from '../version/index.ts';
import { configMap, roleConfig } from './config-map.ts';
import type { LiveSet } from './live.ts';

/** The children of a LogSet, in the order they are written. */
export interface LogSetPlan {
  readonly services: readonly Service[];
  /** Bootstrap, gossip, configuration. */
  readonly configMaps: readonly ConfigMap[];
  readonly workload: KruiseStatefulSet;
  /** What node drains must leave. */
  readonly budget?: PodDisruptionBudget | undefined;
}

/**
 * What a LogSet should consist of. `members` is the bootstrap choice, `reserved` the ordinals out of use.
 * @throws TomlSyntaxError
 */
export function planLogSet(
  set: SetKey,
  spec: LogSetSpec,
  members: readonly BootstrapMember[],
  reserved: readonly number[],
  live: LiveSet<KruiseStatefulSet> = {},
  scaling?: StoreScaling,
): LogSetPlan {
  const names = logSetNames(set.name);
  const labels = setLabels('LogSet', set.namespace, set.name);
  const service: LogService = { ...set, replicas: spec.replicas, reserveOrdinals: reserved };
  const script = logStartScript(hasDiscoveryFixed(matrixOneVersionOf(spec)));
  const role = { name: names.config, key: 'logservice.toml', toml: logSetToml(spec, service), script };
  const { config, map } = roleConfig('LogSet', set, spec, role, live);
  return {
    services: [logHeadlessService(set), logDiscoveryService(set), logMetricService(set, spec)],
    configMaps: [
      configMap(set, names.bootstrap, { 'bootstrap.toml': bootstrapToml(spec, members) }, labels),
      configMap(set, names.gossip, { 'gossip.toml': gossipToml(service) }, labels),
      map,
    ],
    workload: logSetWorkload(set, spec, config, live.workload, reserved, scaling),
    budget: logDisruptionBudget(set, spec),
  };
}
