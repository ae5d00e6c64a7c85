import type { Kind, KubeObject } from '@coxswain/k8s';
import { keyOf } from '../core/index.ts';
import type { Client } from './types.ts';

/**
 * An object as the server has it now; `undefined` when it is gone, also when another one has its name by now. For what must not be done by a copy
 * that may be old.
 */
export async function findSame<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  object: T,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const now = await client.of(kind).find(keyOf(object), signal ? { signal } : {});
  return now?.metadata.uid === object.metadata.uid ? now : undefined;
}
