import type { PodTemplateSpec } from '@coxswain/k8s';
import type { CloneSet } from '@coxswain/k8s/kruise';
import {
  PATH_CONFIG,
  PORT_SQL,
  type ProxySetSpec,
  proxySetNames,
  type SharedStorage,
  setLabels,
} from '../api/index.ts';
import type { RenderedConfig } from '../config/index.ts';
import { podName, podNamespace } from './env.ts';
import type { SetKey } from './services.ts';
import { configMount, IN_PLACE_UPDATE_READY, podTemplate } from './template.ts';
import { nodesWorkload } from './workload.ts';

/** Pod template of the proxies. They support no memory file system, and spread by all their labels. */
export function proxySetTemplate(
  set: SetKey,
  spec: ProxySetSpec,
  storage: SharedStorage,
  config: RenderedConfig,
): PodTemplateSpec {
  return podTemplate({
    spec,
    storage,
    config,
    labels: setLabels('ProxySet', set.namespace, set.name),
    env: [podName, podNamespace],
    mounts: [configMount(PATH_CONFIG)],
    configPath: PATH_CONFIG,
    readinessProbe: { tcpSocket: { port: PORT_SQL }, periodSeconds: 5, failureThreshold: 2 },
    readinessGates: [IN_PLACE_UPDATE_READY],
    binaryFileSystem: false,
    spreadByPodLabels: true,
  });
}

/** The proxies. They keep nothing on disk, so the overlay's volume claims do not apply. */
export function proxySetWorkload(
  set: SetKey,
  spec: ProxySetSpec,
  storage: SharedStorage,
  config: RenderedConfig,
): CloneSet {
  return nodesWorkload('ProxySet', set, proxySetNames(set.name).workload, {
    replicas: spec.replicas,
    template: proxySetTemplate(set, spec, storage, config),
    scaleStrategy: {},
    updateStrategy: { type: 'InPlaceIfPossible', inPlaceUpdateStrategy: { gracePeriodSeconds: 10 } },
    ...(spec.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {}),
  });
}
