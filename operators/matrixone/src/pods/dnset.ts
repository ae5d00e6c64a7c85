import type { PodTemplateSpec } from '@coxswain/k8s';
import type { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import {
  type DNSetSpec,
  dnSetNames,
  PATH_CONFIG,
  PATH_DATA_VOLUME,
  type SharedStorage,
  setLabels,
  VOLUME_DATA,
} from '../api/index.ts';
import type { RenderedConfig } from '../config/index.ts';
import { claimTemplates, keptClaimTemplates } from './claims.ts';
import { headlessService, podName, podNamespace } from './env.ts';
import type { SetKey } from './services.ts';
import { configMount, IN_PLACE_UPDATE_READY, podTemplate } from './template.ts';
import { storesWorkload } from './workload.ts';

/** Pod template of the transaction nodes. */
export function dnSetTemplate(
  set: SetKey,
  spec: DNSetSpec,
  storage: SharedStorage,
  config: RenderedConfig,
): PodTemplateSpec {
  return podTemplate({
    spec,
    storage,
    config,
    labels: setLabels('DNSet', set.namespace, set.name),
    env: [podName, podNamespace, headlessService(dnSetNames(set.name).headless)],
    lastEnv: spec.dnsBasedIdentity ? [{ name: 'HOSTNAME_UUID', value: 'y' }] : [],
    mounts: [
      configMount(PATH_CONFIG),
      ...(spec.cacheVolume ? [{ name: VOLUME_DATA, mountPath: PATH_DATA_VOLUME }] : []),
    ],
    configPath: PATH_CONFIG,
    readinessGates: [IN_PLACE_UPDATE_READY],
    binaryFileSystem: true,
  });
}

/** The transaction nodes. Their volumes hold only a cache and the local disk service: they go with the pods. */
export function dnSetWorkload(
  set: SetKey,
  spec: DNSetSpec,
  storage: SharedStorage,
  config: RenderedConfig,
  live?: KruiseStatefulSet,
): KruiseStatefulSet {
  const names = dnSetNames(set.name);
  return storesWorkload({
    kind: 'DNSet',
    set,
    name: names.workload,
    serviceName: names.headless,
    replicas: spec.replicas,
    template: dnSetTemplate(set, spec, storage, config),
    claims: keptClaimTemplates(claimTemplates(spec.cacheVolume, spec), live?.spec.volumeClaimTemplates),
    retention: { whenDeleted: 'Delete', whenScaled: 'Delete' },
  });
}
