import { type Action, type Actor, type ActorContext, Resync } from '@coxswain/runtime/actor';
import { hasFinalizer, removeFinalizer } from '@coxswain/runtime/apply';
import { keyOf } from '@coxswain/runtime/core';
import { BucketClaim, FINALIZER_BUCKET_DATA, LogSet } from '../api/index.ts';
import { bucketPlace, isSamePlace } from '../identity/index.ts';
import { giveUpAbandoned } from './abandoned.ts';
import { mayHaveData, ownerOfClaim, phaseOfClaim, placeOfClaim } from './claims.ts';
import { type CleanOptions, cleanBucket } from './clean.ts';
import { forgetCredentials } from './credentials.ts';
import { withdraw } from './hold.ts';

type Context = ActorContext<BucketClaim>;

/** Milliseconds between looks at what only a change helps, and changes wake the controller. */
const untilChanged = 300_000;
/** Milliseconds between looks at a pending claim, whose log service may go without a word. */
const pendingAgain = 60_000;

const abandoned = 'its log service is gone';

/** The life of a claim: removes the data when that is wanted, and only then lets the claim go (`spec/matrixone.md` §3.1). */
export class BucketClaimActor implements Actor<BucketClaim> {
  readonly #options: CleanOptions;

  constructor(options: CleanOptions) {
    this.#options = options;
  }

  async observe(context: Context): Promise<Action<BucketClaim> | undefined> {
    const phase = phaseOfClaim(context.object);
    if (phase === 'Deleting') return remove;
    if (phase === 'InUse' && (await giveUpAbandoned(context, this.#options.scope))) throw new Resync(abandoned, 0);
    if (phase !== 'Pending') return undefined;
    if (await isWanted(context))
      throw new Resync('the log service looks whether it is alone at the path', pendingAgain);
    await withdraw(context, context.object);
    return undefined;
  }

  async finalize(context: Context): Promise<boolean> {
    const { object, conditions } = context;
    switch (phaseOfClaim(object)) {
      case 'InUse': {
        if (await giveUpAbandoned(context, this.#options.scope)) throw new Resync(abandoned, 0);
        const message = `LogSet ${object.status?.bindTo} uses the data; the claim goes when that is deleted`;
        conditions.set('recyclable', 'False', 'InUse', message);
        throw new Resync(message, untilChanged);
      }
      case 'Deleting':
        if (hasFinalizer(object, FINALIZER_BUCKET_DATA) && mayHaveData(object)) {
          await cleanBucket(context, this.#options);
        }
        break;
      case 'Released':
      case 'Pending':
      case 'Dropped':
        break;
    }
    await forgetCredentials(context, object);
    await removeFinalizer(context.client, BucketClaim, object, FINALIZER_BUCKET_DATA, { signal: context.signal });
    return true;
  }
}

/** A claim whose data is to go is deleted; its finalizers hold it until the data is gone. */
const remove: Action<BucketClaim> = {
  name: 'Remove',
  async run({ client, object, signal }) {
    const { uid } = object.metadata;
    await client.of(BucketClaim).delete(keyOf(object), { ...(uid ? { preconditions: { uid } } : {}), signal });
  },
};

/** Whether the log service of a pending claim is there and wants this path. Its name alone may be another's by now. */
async function isWanted({ cache, client, object, signal }: Context): Promise<boolean> {
  const [key] = ownerOfClaim(object);
  if (!key) return false;
  const wants = (logSet: LogSet | undefined): boolean => {
    const s3 = logSet?.spec.sharedStorage.s3;
    return s3 !== undefined && isSamePlace(bucketPlace(s3), placeOfClaim(object));
  };
  if (cache.has(LogSet) && wants(cache.store(LogSet).get(key))) return true;
  // The claim may be younger than what the cache knows.
  return wants(await client.of(LogSet).find(key, { signal }));
}
