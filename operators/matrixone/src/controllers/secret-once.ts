import { Secret } from '@coxswain/k8s';
import { controllerReference } from '@coxswain/runtime/apply';
import type { Client } from '@coxswain/runtime/client';
import { controllerOf, ownerKey } from '@coxswain/runtime/controller';
import { isAlreadyExists, keyOf } from '@coxswain/runtime/core';
import { MatrixOneCluster } from '../api/index.ts';

/**
 * Makes a Secret of a cluster that is written once. One that is there is taken as it is: it was made before, or by a user.
 * @returns `undefined` while it is that of a cluster of this name that was before: the garbage collector is about to take it
 */
export async function makeOnce(
  client: Client,
  cluster: MatrixOneCluster,
  secret: Secret,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  const ownerReferences = [controllerReference(MatrixOneCluster, cluster)];
  const secrets = client.of(Secret);
  try {
    return await secrets.create({ ...secret, metadata: { ...secret.metadata, ownerReferences } }, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  // Secrets are not watched, so the server is asked.
  const there = await secrets.find(keyOf(secret), { signal });
  return there && isOfAnother(there, cluster) ? undefined : there;
}

/** Controlled by another cluster. What controls it else keeps it for its user, as one that copies it out of a vault. */
function isOfAnother(secret: Secret, { metadata }: MatrixOneCluster): boolean {
  return ownerKey(secret, MatrixOneCluster) !== undefined && controllerOf(secret)?.uid !== metadata.uid;
}
