import {
  formatQuantity,
  isFields,
  parseQuantity,
  type Quantity,
  quantityValue,
  scaleQuantity,
} from '@coxswain/runtime/core';
import type { DataVolume, Overlay, PodSetSpec, StorageCache } from '../api/index.ts';

const goDebug = { name: 'GODEBUG', value: 'madvdontneed=1,gctrace=2' };

/** Fills what log, transaction and compute nodes have in common. Proxies get none of it. */
export function defaultPodSet<T extends PodSetSpec>(spec: T): T {
  return {
    ...spec,
    overlay: withGoDebug(spec.overlay),
    ...(spec.exportToPrometheus && !spec.promDiscoveryScheme ? { promDiscoveryScheme: 'Service' } : {}),
  };
}

/** Overlays are stored as they come: what is none, or has no list of variables, stays as it is and is told as a problem, later. */
function withGoDebug(overlay: Overlay | undefined): Overlay {
  if (!isFields(overlay ?? {})) return overlay as Overlay;
  const env = overlay?.env ?? [];
  const isFinal = !Array.isArray(env) || env.some((variable) => variable?.name === goDebug.name);
  return { ...overlay, env: isFinal ? env : [...env, goDebug] };
}

/** Fills the arguments of a set that names none. */
export function defaultServiceArgs<T extends PodSetSpec>(spec: T, args: readonly string[]): T {
  return spec.serviceArgs?.length || args.length === 0 ? spec : { ...spec, serviceArgs: args };
}

/** An amount; `undefined` for one that is none although its form is right, such as `1e1.5`: that is told as a problem, later. */
function amountOf(text: string | number): Quantity | undefined {
  try {
    return parseQuantity(text);
  } catch {
    return undefined;
  }
}

/** Half the requested memory; 0 without a request, where that is wanted. */
function memoryCache(spec: PodSetSpec, zeroWithoutRequest: boolean): Pick<StorageCache, 'memoryCacheSize'> {
  const request = amountOf(spec.resources?.requests?.memory ?? '0');
  if (!request || !(zeroWithoutRequest || quantityValue(request) !== 0n)) return {};
  return { memoryCacheSize: formatQuantity(scaleQuantity(request, 1, 2)) };
}

/** Nine tenths of the cache volume. */
function diskCache(volume: DataVolume | undefined): Pick<StorageCache, 'diskCacheSize'> {
  const size = volume && amountOf(volume.size);
  return size ? { diskCacheSize: formatQuantity(scaleQuantity(size, 9, 10)) } : {};
}

/** Fills the sizes of the cache from the memory request and the cache volume. */
export function defaultCache(
  spec: PodSetSpec & {
    readonly cacheVolume?: DataVolume | undefined;
    readonly sharedStorageCache?: StorageCache | undefined;
  },
  zeroWithoutRequest: boolean,
): StorageCache {
  return { ...memoryCache(spec, zeroWithoutRequest), ...diskCache(spec.cacheVolume), ...spec.sharedStorageCache };
}
