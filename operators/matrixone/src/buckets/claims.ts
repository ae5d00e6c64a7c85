import type { PodTemplateSpec } from '@coxswain/k8s';
import type { Store } from '@coxswain/runtime/cache';
import { type ObjectKey, parseKey } from '@coxswain/runtime/core';
import {
  ANNOTATION_ANY_INSTANCE_RUNNING,
  type BucketClaim,
  FINALIZER_BUCKET_CLAIM,
  FINALIZER_BUCKET_DATA,
  LABEL_BUCKET_ID,
  LABEL_COMPONENT,
  LABEL_INSTANCE,
  LABEL_NAMESPACE,
  type LogSet,
  type S3Storage,
} from '../api/index.ts';
import { type BucketPlace, bucketPlace, bucketUniqueId } from '../identity/index.ts';

/**
 * Where a claim is in its life:
 * - `Pending`: its log service has not started: whether nobody else is at the path is still being found out.
 * - `InUse`: its log service, and nobody else, may write to the path.
 * - `Released`: nobody's; the data stays, and the next log service at the path takes the claim over.
 * - `Deleting`: nobody's; the data is being removed, or will be.
 * - `Dropped`: was pending and is being deleted: it counts for nothing.
 */
export type ClaimPhase = 'Pending' | 'InUse' | 'Released' | 'Deleting' | 'Dropped';

/** The phase of a claim. `Pending` is the one that has no state of its own in the API. */
export function phaseOfClaim({ metadata, status }: BucketClaim): ClaimPhase {
  if (status?.state) return status.state;
  return metadata.deletionTimestamp || !status?.bindTo ? 'Dropped' : 'Pending';
}

/** `namespace/name` of a claim or log service, as people and `bindTo` write it. */
export function titleOf({ metadata: { namespace, name } }: { readonly metadata: LogSet['metadata'] }): string {
  return `${namespace}/${name}`;
}

/** Labels of what is made for a claim. */
export function claimLabels({ metadata: { namespace = '', name } }: BucketClaim): Readonly<Record<string, string>> {
  return { [LABEL_NAMESPACE]: namespace, [LABEL_INSTANCE]: name, [LABEL_COMPONENT]: 'BucketClaim' };
}

/** Leads from a claim to the log service it is bound to. */
export function ownerOfClaim({ status }: BucketClaim): readonly ObjectKey[] {
  return status?.bindTo ? [parseKey(status.bindTo)] : [];
}

/** The claims that are bound to a log service. */
export function claimsOf(logSet: LogSet, claims: Store<BucketClaim>): readonly BucketClaim[] {
  const { namespace = '' } = logSet.metadata;
  return [...claims.list({ namespace })].filter(({ status }) => status?.bindTo === titleOf(logSet));
}

export function placeOfClaim({ spec }: BucketClaim): BucketPlace {
  return bucketPlace(spec.s3);
}

export function isLeaving({ metadata }: BucketClaim): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether there may be data of the claim's owners. */
export function mayHaveData({ metadata }: BucketClaim): boolean {
  return metadata.annotations?.[ANNOTATION_ANY_INSTANCE_RUNNING] === 'true';
}

/** The claim that a log service makes for itself. It has no owner reference, so that it outlives the log service. */
export function claimName({ metadata: { uid } }: LogSet): string {
  return `bucket-${uid}`;
}

/** What a claim keeps of its log service. */
export interface ClaimContent {
  readonly s3: S3Storage;
  /** The pod template of the log stores: the cleaning Job gets to the data as they do. */
  readonly template: PodTemplateSpec;
}

/** A pending claim. @param hasData whether earlier owners of the path may have left data */
export function newClaim(owner: LogSet, { s3, template }: ClaimContent, hasData: boolean): BucketClaim {
  const { namespace } = owner.metadata;
  return {
    apiVersion: 'core.matrixorigin.io/v1alpha1',
    kind: 'BucketClaim',
    metadata: {
      name: claimName(owner),
      ...(namespace ? { namespace } : {}),
      labels: { [LABEL_BUCKET_ID]: bucketUniqueId(s3) },
      finalizers: [FINALIZER_BUCKET_DATA, FINALIZER_BUCKET_CLAIM],
      ...(hasData ? { annotations: { [ANNOTATION_ANY_INSTANCE_RUNNING]: 'true' } } : {}),
    },
    spec: { s3, logSetSpec: template },
    status: { bindTo: titleOf(owner) },
  };
}

/** The claim with what it is to keep now. */
export function withContent(claim: BucketClaim, { s3, template }: ClaimContent): BucketClaim {
  const labels = { ...claim.metadata.labels, [LABEL_BUCKET_ID]: bucketUniqueId(s3) };
  return { ...claim, metadata: { ...claim.metadata, labels }, spec: { s3, logSetSpec: template } };
}
