import type { Kind, KubeObject } from '@coxswain/k8s';
import type { Cache } from '@coxswain/runtime/cache';
import type { Client } from '@coxswain/runtime/client';
import type { ObjectKey } from '@coxswain/runtime/core';

/** Looks an object up; `undefined` when there is none. */
export type FindObject = <T extends KubeObject>(kind: Kind<T>, key: ObjectKey) => Promise<T | undefined>;

/** Looks in the cache first, where the kind is watched; what is not there (yet) is asked of the server. */
export function objectFinder({ client, cache }: { readonly client: Client; readonly cache: Cache }): FindObject {
  return async (kind, key) =>
    (cache.has(kind) ? cache.store(kind).get(key) : undefined) ?? (await client.of(kind).find(key));
}
