/**
 * Who owns which S3 path, and what becomes of the data of those who are gone. A log service holds its path by a BucketClaim before
 * anything of it starts; compute and transaction nodes mark the claim as used; a claim whose data is to go is deleted when a Job has
 * removed the data.
 *
 *     (pending) ── alone at the path ──► InUse ── log service gone ──┬─ Retain ─► Released ── next at the path ─► (pending)
 *         │ somebody was first                                       └─ Delete ─► Deleting ─► cleaning Job ─► gone
 *         └─► gone, or Released again
 *
 * Knows nothing of pods of the database, nor of which cluster it runs on.
 */
export { ownerOfClaim, phaseOfClaim } from './claims.ts';
export { cleanJob, defaultCleanImage } from './clean-job.ts';
export { cleanScript } from './clean-script.ts';
export { type BucketScope, holdBucket, type WantedBucket } from './hold.ts';
export { noteRan, noteRunning } from './note-running.ts';
export { releaseBucket } from './release.ts';
export { bucketRetention } from './retention.ts';
export { type BucketOptions, setupBuckets } from './setup.ts';
export { type BucketRole, type BucketUser, leaveBucket, useBucket } from './use.ts';
