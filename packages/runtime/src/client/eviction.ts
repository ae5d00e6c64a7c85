import { Pod } from '@coxswain/k8s';
import type { ObjectKey } from '../core/index.ts';
import { deleteBody } from './query.ts';
import type { Client, DeleteOptions } from './types.ts';

/**
 * Deletes a pod unless a PodDisruptionBudget forbids it for now.
 * @throws ApiError TooManyRequests while a budget forbids it; NotFound
 */
export async function evict(client: Client, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
  const { signal, timeout, dryRun, ...deletion } = options;
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: key.name, namespace: key.namespace },
    deleteOptions: deleteBody(deletion),
  };
  await client
    .of(Pod)
    .subresource('eviction')
    .create(key, body, {
      ...(signal ? { signal } : {}),
      ...(timeout === undefined ? {} : { timeout }),
      ...(dryRun ? { dryRun } : {}),
    });
}
