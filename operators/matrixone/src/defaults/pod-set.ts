import { formatQuantity, parseQuantity, quantityValue, scaleQuantity } from '@coxswain/runtime/core';
import type { DataVolume, PodSetSpec, StorageCache } from '../api/index.ts';

const goDebug = { name: 'GODEBUG', value: 'madvdontneed=1,gctrace=2' };

/** Fills what log, transaction and compute nodes have in common. Proxies get none of it. */
export function defaultPodSet<T extends PodSetSpec>(spec: T): T {
  const env = spec.overlay?.env ?? [];
  // Overlays are stored as they come: what is no list of variables is told as a problem, later.
  const isFinal = !Array.isArray(env) || env.some((variable) => variable?.name === goDebug.name);
  return {
    ...spec,
    overlay: { ...spec.overlay, env: isFinal ? env : [...env, goDebug] },
    ...(spec.exportToPrometheus && !spec.promDiscoveryScheme ? { promDiscoveryScheme: 'Service' } : {}),
  };
}

/** Fills the arguments of a set that names none. */
export function defaultServiceArgs<T extends PodSetSpec>(spec: T, args: readonly string[]): T {
  return spec.serviceArgs?.length || args.length === 0 ? spec : { ...spec, serviceArgs: args };
}

/** Half the requested memory; `0` without a request. */
function halfOfMemory(spec: PodSetSpec): string {
  return formatQuantity(scaleQuantity(parseQuantity(spec.resources?.requests?.memory ?? '0'), 1, 2));
}

/** Whether the set asks for memory at all. */
function requestsMemory(spec: PodSetSpec): boolean {
  const request = spec.resources?.requests?.memory;
  return request !== undefined && quantityValue(parseQuantity(request)) !== 0n;
}

/** Fills the sizes of the cache from the memory request and the cache volume. */
export function defaultCache(
  spec: PodSetSpec & {
    readonly cacheVolume?: DataVolume | undefined;
    readonly sharedStorageCache?: StorageCache | undefined;
  },
  zeroWithoutRequest: boolean,
): StorageCache {
  const cache = spec.sharedStorageCache ?? {};
  const memory = zeroWithoutRequest || requestsMemory(spec) ? { memoryCacheSize: halfOfMemory(spec) } : {};
  const disk = spec.cacheVolume
    ? { diskCacheSize: formatQuantity(scaleQuantity(parseQuantity(spec.cacheVolume.size), 9, 10)) }
    : {};
  return { ...memory, ...disk, ...cache };
}
