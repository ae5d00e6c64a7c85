import type { Pod } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { merge } from '@coxswain/runtime/client';
import { keyOf, messageOf } from '@coxswain/runtime/core';
import {
  ANNOTATION_ANY_INSTANCE_RUNNING,
  ANNOTATION_CREDENTIALS_KEPT,
  BucketClaim,
  CONDITION_CREDENTIALS_NOT_KEPT,
  type LogSet,
} from '../api/index.ts';
import { claimsOf, mayHaveData, phaseOfClaim, titleOf } from './claims.ts';
import { keepCredentials } from './credentials.ts';
import { bucketRetention } from './retention.ts';

type Context = ActorContext<LogSet>;

/**
 * Notes on the claim that a store has run: from now on there may be data. When that is to go one day, what leads to it is kept too; where that
 * is refused it is said, and nothing else waits for it.
 * @param pods of the log stores
 * @returns why what leads to the data could not be kept
 */
export async function noteRunning(context: Context, pods: readonly Pod[]): Promise<string | undefined> {
  const goes = bucketRetention(context.object.spec) === 'Delete';
  const state = stateOf(context.object, pods);
  let refused: string | undefined;
  for (const claim of keepers(context)) {
    const kept = goes ? await tryToKeep(context, claim, state) : false;
    if (typeof kept === 'string') refused = kept;
    const annotations = {
      ...(kept === true ? { [ANNOTATION_CREDENTIALS_KEPT]: state } : {}),
      ...(mayHaveData(claim) ? {} : { [ANNOTATION_ANY_INSTANCE_RUNNING]: 'true' }),
    };
    await annotate(context, claim, annotations);
  }
  tell(context, refused);
  return refused;
}

/** Notes the same of a log service that is going, of which an operator that died may have noted nothing. */
export async function noteRan(context: Context, pods: readonly Pod[]): Promise<void> {
  if (!pods.some(hasRun)) return;
  for (const claim of keepers(context))
    if (!mayHaveData(claim)) await annotate(context, claim, { [ANNOTATION_ANY_INSTANCE_RUNNING]: 'true' });
}

/** The claims in whose keeping the data is: one in use; else those that wait, as a log service that runs is never stopped. */
function keepers({ object, store }: Context): readonly BucketClaim[] {
  const claims = claimsOf(object, store(BucketClaim));
  const held = claims.filter((claim) => phaseOfClaim(claim) === 'InUse');
  return held.length > 0 ? held : claims;
}

function hasRun({ status }: Pod): boolean {
  const containers = status?.containerStatuses ?? [];
  return containers.some(({ state, lastState }) => state?.running ?? state?.terminated ?? lastState?.terminated);
}

async function annotate(
  { client, signal }: Context,
  claim: BucketClaim,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  if (Object.keys(annotations).length === 0) return;
  await client.of(BucketClaim).patch(keyOf(claim), merge({ metadata: { annotations } }), { signal });
}

/** Whether there is a new copy, or why none could be made. */
async function tryToKeep(context: Context, claim: BucketClaim, state: string): Promise<boolean | string> {
  try {
    return await keepCredentials(context, claim, state);
  } catch (error) {
    context.signal.throwIfAborted();
    return `what leads to the data at S3 path ${claim.spec.s3.path} could not be copied: ${messageOf(error)}`;
  }
}

/** Says it once, however often it is tried. */
function tell({ conditions, event, log, object }: Context, refused: string | undefined): void {
  if (refused === undefined) {
    conditions.remove(CONDITION_CREDENTIALS_NOT_KEPT);
    return;
  }
  const help = 'if its Secrets go before the data, it is not removed: let the operator read and write Secrets here';
  const message = `${refused}; ${help}`;
  if (conditions.get(CONDITION_CREDENTIALS_NOT_KEPT)?.message !== message) {
    event({ type: 'Warning', reason: CONDITION_CREDENTIALS_NOT_KEPT, message, action: 'KeepCredentials' });
    log.warn({ logSet: titleOf(object) }, message);
  }
  conditions.set(CONDITION_CREDENTIALS_NOT_KEPT, 'True', 'CopyRefused', message);
}

/** When it changes, credentials may have too: stores that run take new ones only when they are replaced. */
function stateOf({ metadata }: LogSet, pods: readonly Pod[]): string {
  const youngest = pods.map(({ metadata: { creationTimestamp = '' } }) => creationTimestamp).sort();
  return `${metadata.generation ?? 0}/${youngest.at(-1) ?? ''}`;
}
