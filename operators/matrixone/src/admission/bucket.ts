import type { AdmissionContext } from '@coxswain/runtime/webhook';
import { BucketClaim, LABEL_BUCKET_ID, type S3Storage } from '../api/index.ts';
import { bucketUniqueId } from '../identity/index.ts';
import type { Problem } from '../validation/index.ts';

/**
 * Whether a log service may have its data at an S3 path: not where another one's is, and not where data is being removed.
 * Claims are looked up in all namespaces, by the path's label. @throws ApiError when they cannot be looked up
 */
export async function bucketProblems(
  field: string,
  s3: S3Storage | undefined,
  { client, namespace, name, operation, signal }: AdmissionContext,
): Promise<readonly Problem[]> {
  if (!s3) return [];
  const labels = { [LABEL_BUCKET_ID]: bucketUniqueId(s3) };
  const { items } = await client.of(BucketClaim).list({ labels, signal });
  const owner = `${namespace}/${name}`;
  return items.flatMap(({ metadata, status }) => {
    const claim = `claimed bucket ${metadata.namespace}/${metadata.name}`;
    const taken = status?.state === 'InUse' && status.bindTo !== owner;
    const going = operation === 'CREATE' && metadata.deletionTimestamp !== undefined;
    return [
      ...(taken ? [{ field, message: `${claim} already bind to ${status.bindTo}` }] : []),
      ...(going ? [{ field, message: `${claim} state is deleting` }] : []),
    ];
  });
}
