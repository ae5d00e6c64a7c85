import { type Job, Secret } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { hasFinalizer, removeFinalizer } from '@coxswain/runtime/apply';
import { isForbidden, isNotFound, keyOf, messageOf } from '@coxswain/runtime/core';
import { ANNOTATION_CREDENTIALS_KEPT, type BucketClaim, FINALIZER_BUCKET_DATA, LogSet } from '../api/index.ts';
import { stays } from './check-there.ts';
import { claimLabels, titleOf } from './claims.ts';
import { keptKey, neededKeys, secretsOf } from './needed-secrets.ts';

type Access = Pick<ActorContext<BucketClaim>, 'client' | 'signal'>;
type Telling = Access & Pick<ActorContext<BucketClaim>, 'log'>;
/** Values of Secrets, in base64, as `keptKey` names them. */
export type Credentials = Readonly<Record<string, string>>;

/** Where the credentials of a claim are kept: a Secret of its namespace that outlives those of users, as the claim does. */
function keptIn({ metadata: { namespace = '', name } }: BucketClaim) {
  return { namespace, name };
}

/** Whether a Secret is the copy: others may have the name of a claim, which anybody may have given it. */
function isCopy({ metadata: { labels = {} } }: Secret, claim: BucketClaim): boolean {
  return Object.entries(claimLabels(claim)).every(([name, value]) => labels[name] === value);
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
  const there = await context.client.of(Secret).find(keptIn(claim), { signal: context.signal });
  if (there && !isCopy(there, claim))
    throw new Error(`Secret ${titleOf(claim)}, which would be the copy, is somebody else's`);
  // When the log service is gone its claim may be too, and nobody would come for a copy.
  if (!there && !(await stays(context, LogSet))) return false;
  const { resourceVersion } = there?.metadata ?? {};
  const metadata = {
    ...keptIn(claim),
    ...(resourceVersion ? { resourceVersion } : {}),
    labels: claimLabels(claim),
    finalizers: [FINALIZER_BUCKET_DATA],
  };
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
  return kept && isCopy(kept, claim) ? { data: kept.data ?? {}, isKept: true } : undefined;
}

/**
 * Whether what leads to a claim's data is in nobody's keeping but ours any more, so that a Job has to take it from there. An operator that may
 * read no Secrets leaves it to the Job's pod to find those of its user.
 */
export async function areOnlyKept(context: Telling, claim: BucketClaim) {
  try {
    return (await findCredentials(context, claim))?.isKept === true;
  } catch (error) {
    if (!isForbidden(error) || isNoted(claim)) throw error;
    context.log.warn(
      { claim: titleOf(claim), why: messageOf(error) },
      'the Secrets that lead to its data cannot be read',
    );
    return false;
  }
}

/** Whether a cleaning Job waits for Secrets of its user that went after it was made, while what it needs of them is kept. */
export async function lacksSecrets(context: Telling, claim: BucketClaim, { spec, status }: Job): Promise<boolean> {
  const names = spec?.template.spec ? secretsOf(spec.template.spec) : [];
  if (status?.ready || names.length === 0 || names.includes(claim.metadata.name)) return false;
  return areOnlyKept(context, claim);
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

/**
 * Nobody needs the credentials of a claim any more. Looks for itself whether there are any: who kept them may have died before it was noted on
 * the claim. Deleted first and let go then, so that a cut between the two leaves nothing that nobody comes for.
 */
export async function forgetCredentials(context: Telling, claim: BucketClaim): Promise<void> {
  const { client, signal } = context;
  const kept = await findKept(context, claim);
  if (!kept || !isCopy(kept, claim) || !hasFinalizer(kept, FINALIZER_BUCKET_DATA)) return;
  const { uid } = kept.metadata;
  try {
    await client.of(Secret).delete(keyOf(kept), { ...(uid ? { preconditions: { uid } } : {}), signal });
    await removeFinalizer(client, Secret, kept, FINALIZER_BUCKET_DATA, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** The copy. An operator that may read no Secrets has made none, so that no claim waits for what it cannot see; unless one is noted. */
async function findKept({ client, signal, log }: Telling, claim: BucketClaim): Promise<Secret | undefined> {
  try {
    return await client.of(Secret).find(keptIn(claim), { signal });
  } catch (error) {
    if (!isForbidden(error) || isNoted(claim)) throw error;
    const why = messageOf(error);
    log.warn(
      { claim: titleOf(claim), why },
      'whether there is a copy of its credentials cannot be seen; none is noted',
    );
    return undefined;
  }
}

/** Whether it is noted on the claim that there is a copy. When it is not, there may be one all the same. */
function isNoted({ metadata }: BucketClaim): boolean {
  return metadata.annotations?.[ANNOTATION_CREDENTIALS_KEPT] !== undefined;
}
