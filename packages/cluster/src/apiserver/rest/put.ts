import type { KubeObject } from '@coxswain/k8s';
import { isTooLarge } from '../../storage/index.ts';
import type { StorageKey } from '../../storage/types.ts';
import type { Call } from './context.ts';

/**
 * Stores an object. One that is too large is stored without the record of who owns its fields, which can be much of it, unless owning
 * is what the request is about.
 * @throws ApiError 500 when it is too large even so
 */
export function putObject(call: Call, key: StorageKey, object: KubeObject): KubeObject {
  const { storage } = call.server;
  try {
    return storage.put(key, object);
  } catch (error) {
    const { managedFields, ...metadata } = object.metadata;
    const applied = call.request.contentType?.startsWith('application/apply-patch+yaml');
    if (!isTooLarge(error) || managedFields === undefined || applied) throw error;
    return storage.put(key, { ...object, metadata });
  }
}
