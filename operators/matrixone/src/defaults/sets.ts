import type { CNSetSpec, DNSetSpec, LogSetSpec, ProxySetSpec, S3Storage, SharedStorage } from '../api/index.ts';
import { canonicalSpec } from './canonical.ts';
import type { DefaultServiceArgs } from './options.ts';
import { defaultCache, defaultPodSet, defaultServiceArgs } from './pod-set.ts';

/** The S3 retention follows that of the volumes and the other way round; Delete when neither is given. */
function defaultRetention(spec: LogSetSpec): { pvcRetentionPolicy: string; sharedStorage: SharedStorage } {
  const { s3 } = spec.sharedStorage;
  const pvcRetentionPolicy = spec.pvcRetentionPolicy ?? s3?.s3RetentionPolicy ?? 'Delete';
  if (!s3) return { pvcRetentionPolicy, sharedStorage: spec.sharedStorage };
  // One that is neither is handed on, too: the schema refuses it there, and a misspelt Retain deletes nothing.
  const s3RetentionPolicy = s3.s3RetentionPolicy ?? (pvcRetentionPolicy as NonNullable<S3Storage['s3RetentionPolicy']>);
  return { pvcRetentionPolicy, sharedStorage: { ...spec.sharedStorage, s3: { ...s3, s3RetentionPolicy } } };
}

/** The spec of a LogSet with every default filled in. */
export function defaultLogSet(given: LogSetSpec, args: DefaultServiceArgs): LogSetSpec {
  const spec = canonicalSpec(given);
  const initial = spec.initialConfig;
  const initialConfig = {
    ...initial,
    logShards: initial?.logShards ?? 1,
    dnShards: initial?.dnShards ?? 1,
    logShardReplicas: initial?.logShardReplicas ?? (spec.replicas >= 3 ? 3 : 1),
  };
  if (args.bare) return { ...spec, initialConfig };
  return {
    ...defaultServiceArgs(defaultPodSet(spec), args.logService),
    ...defaultRetention(spec),
    initialConfig,
    storeFailureTimeout: spec.storeFailureTimeout ?? '10m0s',
  };
}

/** The spec of a DNSet with every default filled in. Its memory cache is 0 without a request: live files say so. */
export function defaultDNSet(given: DNSetSpec, args: DefaultServiceArgs): DNSetSpec {
  const spec = canonicalSpec(given);
  if (args.bare) return spec;
  return {
    ...defaultServiceArgs(defaultPodSet(spec), args.dn),
    sharedStorageCache: defaultCache(spec, true),
  };
}

/** The spec of a CN group with every default filled in. */
export function defaultCNGroup<T extends CNSetSpec>(given: T, args: DefaultServiceArgs): T {
  const spec = canonicalSpec(given);
  const { serviceType = 'ClusterIP' } = spec;
  if (args.bare) return { ...spec, serviceType };
  const drains = spec.scalingConfig?.storeDrainEnabled;
  const cache = defaultCache(spec, false);
  return {
    ...defaultServiceArgs(defaultPodSet(spec), args.cn),
    serviceType,
    ...(Object.keys(cache).length > 0 ? { sharedStorageCache: cache } : {}),
    ...(drains ? { scalingConfig: { storeDrainTimeout: '5m0s', ...spec.scalingConfig } } : {}),
    updateStrategy: { maxSurge: 1, maxUnavailable: 0, ...spec.updateStrategy },
  };
}

/** The spec of a CNSet with every default filled in: that of a group, and the deprecated role. */
export function defaultCNSet(spec: CNSetSpec, args: DefaultServiceArgs): CNSetSpec {
  const group = defaultCNGroup(spec, args);
  return args.bare ? group : { ...group, role: spec.role || 'TP' };
}

/** The spec of a ProxySet with every default filled in. */
export function defaultProxySet(given: ProxySetSpec, args: DefaultServiceArgs): ProxySetSpec {
  const spec = canonicalSpec(given);
  const { serviceType = 'ClusterIP' } = spec;
  return { ...(args.bare ? spec : defaultServiceArgs(spec, args.proxy)), serviceType };
}
