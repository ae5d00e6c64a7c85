/** Identities derived from names: store UUIDs, deployment ids, bucket ids, digests. Knows nothing of pods or clients. */
export { bucketUniqueId, bucketUserFinalizer } from './bucket.ts';
export { type BucketPlace, bucketPlace, isSamePlace, placesOverlap } from './bucket-place.ts';
export { deploymentId } from './deployment.ts';
export { cnStoreUuid, dnsStoreUuid, logStoreUuid, proxyStoreUuid, tnStoreUuid } from './uuid.ts';
export { shortDigest, xxHash64 } from './xxhash64.ts';
