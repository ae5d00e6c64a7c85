import { Job } from '@coxswain/k8s';
import type { Actor } from '@coxswain/runtime/actor';
import { keyOf } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { type Bucket, BucketKind, jobFor, StoreKind } from './kinds.ts';

const bucket: Actor<Bucket> = {
  dependsOn: [StoreKind],
  dependencies: ({ spec, metadata: { namespace } }) => [{ kind: StoreKind, key: { namespace, name: spec.store } }],

  async observe({ object, apply, conditions, status }) {
    const job = await apply(Job, jobFor(object)); // sends nothing when nothing changed
    status.phase = job.status?.succeeded ? 'Ready' : 'Creating';
    conditions.set('Ready', job.status?.succeeded ? 'True' : 'False', status.phase);
    return undefined; // its change will wake us: `.owns(Job)`
  },

  finalize: ({ ensureGone, object }) => ensureGone(Job, keyOf(jobFor(object))),
};

export function buckets(manager: Manager): void {
  manager.actor(BucketKind, bucket, { finalizer: 'example.com/bucket' }).owns(Job).run();
}
