import { ConfigMap, Job, Namespace } from '@coxswain/k8s';
import { keyOf } from '@coxswain/runtime/core';
import { createRecorder } from '@coxswain/runtime/events';
import type { Manager } from '@coxswain/runtime/manager';
import { BucketClaim, FINALIZER_BUCKET_CLAIM, LABEL_COMPONENT, LogSet } from '../api/index.ts';
import { BucketClaimActor } from './bucketclaim.ts';
import { claimsOf } from './claims.ts';
import { defaultCleanImage } from './clean-job.ts';
import type { BucketScope } from './hold.ts';

/** Who owns which S3 path, and what becomes of the data of those who are gone. */
export interface BucketOptions extends BucketScope {
  /** Image of the Job that removes data: it has `sh` and `aws`. Default `amazon/aws-cli`. */
  readonly cleanImage?: string;
  /** The operator's namespace, where data is removed whose own takes no Job any more. Default: none, and such data stays. */
  readonly operatorNamespace?: string;
}

const scope = { labels: LABEL_COMPONENT };

/** Adds the controller of bucket claims to a manager. Without options paths have no owners, and data stays when its cluster goes. */
export function setupBuckets(manager: Manager, options: BucketOptions | undefined): void {
  if (!options) return;
  const { cleanImage: image = defaultCleanImage, namespace, operatorNamespace: elsewhere } = options;
  const { client, clock, random, log, name } = manager;
  const reporter = { controller: name, instance: `${name}-buckets` };
  const recorder = createRecorder({ client, clock, random, log, reporter });
  manager.add({ name: 'bucket-events', start: () => Promise.resolve(), stop: () => recorder.stop() });
  const actor = new BucketClaimActor({
    image,
    scope: namespace ? { namespace } : {},
    ...(elsewhere ? { elsewhere } : {}),
    tellNamespace: (told, details) => recorder.event(Namespace, { metadata: { name: told } }, details),
  });
  manager
    .actor(BucketClaim, actor, {
      fieldManager: 'matrixone-operator',
      finalizer: FINALIZER_BUCKET_CLAIM,
      statusSubresource: false,
      syncedCondition: false,
    })
    .owns(Job, { scope })
    .owns(ConfigMap, { scope })
    .watches(LogSet, {
      where: ({ type }) => type === 'deleted',
      map: (logSet, { cache }) => claimsOf(logSet, cache.store(BucketClaim)).map(keyOf),
    })
    .run();
}
