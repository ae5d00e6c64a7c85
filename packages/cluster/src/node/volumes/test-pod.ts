import type { Pod, PodSpec, Volume } from '@coxswain/k8s';
import { silentLogger } from '@coxswain/runtime/core';
import type { TestCluster } from '../../controllers/test-cluster.ts';
import { PodVolumes } from './pod-volumes.ts';

/** A pod with these volumes, as the server would give it. */
export function podWith(volumes: readonly Volume[], spec: Partial<PodSpec> = {}, metadata: object = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default', uid: 'u-1', ...metadata },
    spec: { containers: [{ name: 'main', image: 'app:1' }], serviceAccountName: 'default', ...spec, volumes },
  };
}

/** Resolves against the server of a test's cluster, without a cache. */
export function volumesOf({ client, clock, cluster }: TestCluster): PodVolumes {
  return new PodVolumes({ client, clock, log: silentLogger, cache: { ...cluster, has: () => false } as never });
}
