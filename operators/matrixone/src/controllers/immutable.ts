import { ConfigMap } from '@coxswain/k8s';
import type { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import type { ActorContext } from '@coxswain/runtime/actor';
import { ANNOTATION_CONFIG_SUFFIX, type LogSet, type LogSetSpec } from '../api/index.ts';
import { type BootstrapMember, logSetToml, storageLocation } from '../config/index.ts';
import { keyOfSet, mountedConfig } from './children.ts';
import { refuse } from './refuse.ts';

/** The configuration that the live stores were told to run on. */
function liveToml(context: ActorContext<LogSet>, live: KruiseStatefulSet): string | undefined {
  const name = mountedConfig(live);
  const { namespace } = keyOfSet(context.object);
  const map = name === undefined ? undefined : context.store(ConfigMap).get({ namespace, name });
  const suffix = live.spec.template.metadata?.annotations?.[ANNOTATION_CONFIG_SUFFIX];
  return map?.data?.[suffix === undefined ? 'logservice.toml' : `logservice.toml-${suffix}`];
}

/**
 * Refuses what would part a live log service from its data: shared storage somewhere else, or other numbers than those
 * it was bootstrapped with. Admission refuses the same; this holds without it. @throws Resync
 */
export function refuseMoves(
  context: ActorContext<LogSet>,
  spec: LogSetSpec,
  members: readonly BootstrapMember[],
  live: KruiseStatefulSet | undefined,
): void {
  const replicas = spec.initialConfig?.logShardReplicas;
  if (replicas !== members.length) {
    const message = `spec.initialConfig: initialConfig is immutable: bootstrapped with ${members.length} log shard replicas, not ${replicas}`;
    refuse(context, 'InitialConfigChanged', message);
  }
  const before = live && liveToml(context, live);
  const present = before === undefined ? undefined : storageLocation(before);
  const wanted = storageLocation(logSetToml(spec, { ...keyOfSet(context.object), replicas: spec.replicas }));
  if (present !== undefined && wanted !== undefined && present !== wanted) {
    const message = `spec.sharedStorage: sharedStorage.s3 is immutable: the data is at ${present}, not at ${wanted}`;
    refuse(context, 'StorageMoved', message);
  }
}
