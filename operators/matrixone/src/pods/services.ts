import type { Service, ServicePort } from '@coxswain/k8s';
import {
  ANNOTATION_PROMETHEUS_SCRAPE,
  type CNSetSpec,
  cnSetNames,
  dnSetNames,
  logSetNames,
  PORT_LOG_SERVICE,
  PORT_METRIC,
  PORT_SQL,
  type PodSetSpec,
  type ProxySetSpec,
  proxySetNames,
  type SetKind,
  setLabels,
} from '../api/index.ts';
import { serviceAnnotations } from './metadata.ts';

/** The set a child belongs to. */
export interface SetKey {
  readonly namespace: string;
  readonly name: string;
}

function service(
  kind: SetKind,
  set: SetKey,
  name: string,
  spec: Service['spec'],
  annotations: Record<string, string> = {},
): Service {
  const labels = setLabels(kind, set.namespace, set.name);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace: set.namespace,
      labels,
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    },
    spec: { ...spec, selector: labels },
  };
}

function headless(kind: SetKind, set: SetKey, name: string): Service {
  return service(kind, set, name, { clusterIP: 'None', publishNotReadyAddresses: true });
}

function metric(kind: SetKind, set: SetKey, name: string, spec: PodSetSpec): Service {
  const port: ServicePort = { name: 'metric', port: PORT_METRIC };
  return service(kind, set, name, { type: 'ClusterIP', ports: [port] }, { ...serviceAnnotations(spec) });
}

/** Gives every log store a name, ready or not: the stores must find each other before they are ready. */
export function logHeadlessService(set: SetKey): Service {
  return headless('LogSet', set, logSetNames(set.name).headless);
}

/** Where HAKeeper is found. */
export function logDiscoveryService(set: SetKey): Service {
  const ports: ServicePort[] = [{ port: PORT_LOG_SERVICE }];
  return service('LogSet', set, logSetNames(set.name).discovery, { type: 'ClusterIP', ports });
}

export function logMetricService(set: SetKey, spec: PodSetSpec): Service {
  return metric('LogSet', set, logSetNames(set.name).metric, spec);
}

export function dnHeadlessService(set: SetKey): Service {
  return headless('DNSet', set, dnSetNames(set.name).headless);
}

export function dnMetricService(set: SetKey, spec: PodSetSpec): Service {
  return metric('DNSet', set, dnSetNames(set.name).metric, spec);
}

export function cnHeadlessService(set: SetKey): Service {
  return headless('CNSet', set, cnSetNames(set.name).headless);
}

function sqlService(kind: SetKind, set: SetKey, name: string, port: string, spec: CNSetSpec | ProxySetSpec): Service {
  const nodePort = spec.nodePort ? { nodePort: spec.nodePort } : {};
  const ports: ServicePort[] = [{ name: port, port: PORT_SQL, ...nodePort }];
  // Whether Prometheus is to come is said by exportToPrometheus alone.
  const { [ANNOTATION_PROMETHEUS_SCRAPE]: _, ...own } = spec.serviceAnnotations ?? {};
  const annotations = { ...own, ...serviceAnnotations(spec) };
  return service(kind, set, name, { type: spec.serviceType ?? 'ClusterIP', ports }, annotations);
}

/** Where SQL clients reach a group of compute nodes. */
export function cnService(set: SetKey, spec: CNSetSpec): Service {
  return sqlService('CNSet', set, cnSetNames(set.name).service, 'service', spec);
}

/** Where SQL clients reach the proxies. */
export function proxyService(set: SetKey, spec: ProxySetSpec): Service {
  return sqlService('ProxySet', set, proxySetNames(set.name).service, 'proxy', spec);
}
