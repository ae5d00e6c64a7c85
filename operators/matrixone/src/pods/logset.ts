import type { PodTemplateSpec } from '@coxswain/k8s';
import type { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import {
  ANNOTATION_SCALED_IN_AT,
  type LogSetSpec,
  logSetNames,
  PATH_BOOTSTRAP,
  PATH_DATA_VOLUME,
  PATH_GOSSIP,
  PATH_LOG_CONFIG,
  setLabels,
  VOLUME_BOOTSTRAP,
  VOLUME_DATA,
  VOLUME_GOSSIP,
} from '../api/index.ts';
import type { RenderedConfig } from '../config/index.ts';
import { claimTemplates, keptClaimTemplates } from './claims.ts';
import { headlessService, podIP, podName, podNamespace } from './env.ts';
import type { SetKey } from './services.ts';
import { configMount, IN_PLACE_UPDATE_READY, podTemplate } from './template.ts';
import { configMapVolume, readOnlyMount } from './volumes.ts';
import { type ClaimRetention, storesWorkload } from './workload.ts';

/** What happens to the volumes of removed log stores: the set's policy, else that of its bucket, else Delete. */
export function claimRetention(spec: Pick<LogSetSpec, 'pvcRetentionPolicy' | 'sharedStorage'>): ClaimRetention {
  const policy = spec.pvcRetentionPolicy ?? spec.sharedStorage.s3?.s3RetentionPolicy ?? 'Delete';
  return policy === 'Retain' ? 'Retain' : 'Delete';
}

/** Pod template of the log stores. */
export function logSetTemplate(set: SetKey, spec: LogSetSpec, config: RenderedConfig): PodTemplateSpec {
  const names = logSetNames(set.name);
  return podTemplate({
    spec,
    storage: spec.sharedStorage,
    config,
    labels: setLabels('LogSet', set.namespace, set.name),
    env: [podName, podNamespace, podIP, headlessService(names.headless)],
    volumes: [configMapVolume(VOLUME_BOOTSTRAP, names.bootstrap), configMapVolume(VOLUME_GOSSIP, names.gossip)],
    mounts: [
      { name: VOLUME_DATA, mountPath: PATH_DATA_VOLUME },
      readOnlyMount(VOLUME_BOOTSTRAP, PATH_BOOTSTRAP),
      configMount(PATH_LOG_CONFIG),
      readOnlyMount(VOLUME_GOSSIP, PATH_GOSSIP),
    ],
    configPath: PATH_LOG_CONFIG,
    readinessGates: [IN_PLACE_UPDATE_READY],
    binaryFileSystem: true,
  });
}

/** What is decided about the number of stores, besides how many there are. */
export interface StoreScaling {
  /** The volumes of stores that go stay, whatever the policy says. */
  readonly keepsClaims: boolean;
  readonly scaledInAt?: string;
  /** How many stores, counted from the lowest ordinal, a rollout leaves as they are for now. */
  readonly partition?: number;
}

/**
 * The log stores. `live` keeps what a running workload must keep: its claims and its reserved ordinals. Volumes are never deleted because a
 * set shrinks: the stores' logs are all there is of the newest data.
 */
export function logSetWorkload(
  set: SetKey,
  spec: LogSetSpec,
  config: RenderedConfig,
  live?: KruiseStatefulSet,
  reserveOrdinals: readonly number[] = [],
  scaling: StoreScaling = { keepsClaims: spec.replicas === 0 },
): KruiseStatefulSet {
  const names = logSetNames(set.name);
  const retention = claimRetention(spec);
  return storesWorkload({
    kind: 'LogSet',
    set,
    name: names.workload,
    serviceName: names.headless,
    replicas: spec.replicas,
    template: logSetTemplate(set, spec, config),
    claims: keptClaimTemplates(claimTemplates(spec.volume, spec), live?.spec.volumeClaimTemplates),
    retention: { whenDeleted: retention, whenScaled: scaling.keepsClaims ? 'Retain' : retention },
    reserveOrdinals,
    partition: scaling.partition,
    ...(scaling.scaledInAt && { annotations: { [ANNOTATION_SCALED_IN_AT]: scaling.scaledInAt } }),
  });
}
