import { Secret } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { removeFinalizer } from '@coxswain/runtime/apply';
import type { Client } from '@coxswain/runtime/client';
import { isNotFound, keyOf } from '@coxswain/runtime/core';
import { ANNOTATION_CREDENTIALS_KEPT, type BucketClaim, FINALIZER_BUCKET_DATA, type LogSet } from '../api/index.ts';
import { claimLabels } from './claims.ts';
import { keptKey, neededKeys } from './needed-secrets.ts';

type Access = Pick<ActorContext<BucketClaim>, 'client' | 'signal'>;
/** Values of Secrets, in base64, as `keptKey` names them. */
export type Credentials = Readonly<Record<string, string>>;

/** Where the credentials of a claim are kept: a Secret of its namespace that outlives those of users, as the claim does. */
function keptIn({ metadata: { namespace = '', name } }: BucketClaim) {
  return { namespace, name };
}

/**
 * Copies what leads to a claim's data, so that it can still be removed when the Secrets of its user went with his cluster. It does not leave
 * the namespace, and is copied anew when the spec or the pods changed, as with credentials that were replaced.
 * @param state of the log service; nothing is done when it is that of the last copy
 * @returns whether the copy is there now; without the Secrets it is not
 */
export async function keepCredentials(
  context: ActorContext<LogSet>,
  claim: BucketClaim,
  state: string,
): Promise<boolean> {
  if (claim.metadata.annotations?.[ANNOTATION_CREDENTIALS_KEPT] === state) return false;
  const data = neededKeys(claim).length > 0 ? await readFromUser(context, claim) : undefined;
  if (!data) return false;
  const metadata = { ...keptIn(claim), labels: claimLabels(claim), finalizers: [FINALIZER_BUCKET_DATA] };
  await context.apply(Secret, { apiVersion: 'v1', kind: 'Secret', metadata, data }, { owned: false });
  return true;
}

/** What leads to a claim's data: as its user has it, else as it was kept. `undefined`: nobody has it any more. */
export async function findCredentials(
  access: Access,
  claim: BucketClaim,
): Promise<{ readonly data: Credentials; readonly isKept: boolean } | undefined> {
  const data = await readFromUser(access, claim);
  if (data) return { data, isKept: false };
  const kept = await access.client.of(Secret).find(keptIn(claim), { signal: access.signal });
  return kept && { data: kept.data ?? {}, isKept: true };
}

async function readFromUser({ client, signal }: Access, claim: BucketClaim): Promise<Credentials | undefined> {
  const keys = neededKeys(claim);
  const names = [...new Set(keys.map(({ secret }) => secret))];
  const namespace = claim.metadata.namespace ?? '';
  const secrets = await Promise.all(names.map((name) => client.of(Secret).find({ namespace, name }, { signal })));
  const found = new Map(secrets.flatMap((secret) => (secret ? [[secret.metadata.name, secret.data ?? {}]] : [])));
  const data: Record<string, string> = {};
  for (const needed of keys) {
    const value = found.get(needed.secret)?.[needed.key];
    if (value === undefined) return undefined;
    data[keptKey(needed)] = value;
  }
  return data;
}

/** Nobody needs the credentials of a claim any more. */
export async function forgetCredentials(
  client: Client,
  claim: BucketClaim,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  if (claim.metadata.annotations?.[ANNOTATION_CREDENTIALS_KEPT] === undefined) return;
  const kept = await client.of(Secret).find(keptIn(claim), { signal });
  if (!kept) return;
  try {
    await removeFinalizer(client, Secret, kept, FINALIZER_BUCKET_DATA, { signal });
    await client.of(Secret).delete(keyOf(kept), { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
