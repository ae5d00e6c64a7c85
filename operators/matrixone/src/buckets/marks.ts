import type { KubeObject } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { type BucketClaim, CNSet, DNSet } from '../api/index.ts';
import { bucketUserFinalizer } from '../identity/index.ts';
import type { BucketScope } from './hold.ts';

/** Finalizers of the sets that use a bucket. */
const ofUser = /^matrixorigin\.io\/(CN|DN)-/;

/** Whom to ask. */
type Asking = Pick<ActorContext<KubeObject>, 'client' | 'signal'>;

/** What a claim's finalizers say. */
export interface Marks {
  /** Of sets that use the bucket. */
  readonly ofSets: readonly string[];
  /** All others but those of sets that are gone. */
  readonly others: readonly string[];
}

/**
 * The marks of a claim without those that operators put on when their set was gone already, of which they had not heard: nobody takes these
 * away again. An operator that does not see all namespaces cannot tell them, and believes every mark.
 */
export async function marksOf(
  context: Asking,
  { metadata: { finalizers = [] } }: BucketClaim,
  { namespace }: BucketScope,
): Promise<Marks> {
  const marks = finalizers.filter((name) => ofUser.test(name));
  const others = finalizers.filter((name) => !ofUser.test(name));
  if (marks.length === 0 || namespace !== undefined) return { ofSets: marks, others };
  const known = await marksOfSets(context);
  return { ofSets: marks.filter((mark) => known.has(mark)), others };
}

/** The marks of all sets there are, as the server has them now. */
async function marksOfSets({ client, signal }: Asking): Promise<ReadonlySet<string>> {
  const marks = new Set<string>();
  for await (const { metadata } of client.of(CNSet).listAll({ signal }))
    marks.add(bucketUserFinalizer('CN', metadata.namespace ?? '', metadata.name));
  for await (const { metadata } of client.of(DNSet).listAll({ signal }))
    marks.add(bucketUserFinalizer('DN', metadata.namespace ?? '', metadata.name));
  return marks;
}
