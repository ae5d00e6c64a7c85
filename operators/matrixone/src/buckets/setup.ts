import { ConfigMap, Job } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import { BucketClaim, FINALIZER_BUCKET_CLAIM, LABEL_COMPONENT } from '../api/index.ts';
import { BucketClaimActor } from './bucketclaim.ts';
import { defaultCleanImage } from './clean-job.ts';
import type { BucketScope } from './hold.ts';

/** Who owns which S3 path, and what becomes of the data of those who are gone. */
export interface BucketOptions extends BucketScope {
  /** Image of the Job that removes data: it has `sh` and `aws`. Default `amazon/aws-cli`. */
  readonly cleanImage?: string;
}

const scope = { labels: LABEL_COMPONENT };

/** Adds the controller of bucket claims to a manager. Without options paths have no owners, and data stays when its cluster goes. */
export function setupBuckets(manager: Manager, options: BucketOptions | undefined): void {
  if (!options) return;
  const { cleanImage = defaultCleanImage, namespace } = options;
  manager
    .actor(BucketClaim, new BucketClaimActor({ cleanImage, scope: namespace ? { namespace } : {} }), {
      fieldManager: 'matrixone-operator',
      finalizer: FINALIZER_BUCKET_CLAIM,
      statusSubresource: false,
      syncedCondition: false,
    })
    .owns(Job, { scope })
    .owns(ConfigMap, { scope })
    .run();
}
