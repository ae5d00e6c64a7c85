import type { AdmissionContext } from '@coxswain/runtime/webhook';
import { BucketClaim, type S3Storage } from '../api/index.ts';
import { bucketPlace, isSamePlace, placesOverlap } from '../identity/index.ts';
import type { Problem } from '../validation/index.ts';

/**
 * Whether a log service may have its data at an S3 path: not where another one's is, and not where data is being removed.
 * Claims of all namespaces count, to the same place however it is written, and to those around or within it. Who is there already stays there, beside
 * others that ran before there were claims: they must be able to change the rest of their specs. @throws ApiError when claims cannot be looked up
 */
export async function bucketProblems(
  field: string,
  s3: S3Storage | undefined,
  before: S3Storage | undefined,
  { client, namespace, name, operation, signal }: AdmissionContext,
): Promise<readonly Problem[]> {
  if (!s3) return [];
  const place = bucketPlace(s3);
  if (before && isSamePlace(bucketPlace(before), place)) return [];
  const claims = await Array.fromAsync(client.of(BucketClaim).listAll({ signal }));
  const owner = `${namespace}/${name}`;
  const value = s3.path;
  const rivals = claims.filter(({ spec }) => placesOverlap(bucketPlace(spec.s3), place));
  return rivals.flatMap(({ metadata, spec, status }) => {
    const at = spec.s3.path === value ? '' : `, at path ${spec.s3.path}`;
    const claim = `claimed bucket ${metadata.namespace}/${metadata.name}`;
    const taken = status?.state === 'InUse' && status.bindTo !== owner;
    const going = operation === 'CREATE' && metadata.deletionTimestamp !== undefined;
    return [
      ...(taken ? [{ field, value, message: `${claim} already bind to ${status.bindTo}${at}` }] : []),
      ...(going ? [{ field, value, message: `${claim} state is deleting${at}` }] : []),
    ];
  });
}
