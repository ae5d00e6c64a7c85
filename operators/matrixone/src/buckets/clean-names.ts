import { createHash } from 'node:crypto';
import type { Job, KubeObject } from '@coxswain/k8s';
import { controllerOf } from '@coxswain/runtime/controller';
import { type BucketClaim, LABEL_CLAIM_UID, LABEL_INSTANCE, LABEL_NAMESPACE } from '../api/index.ts';
import { claimLabels } from './claims.ts';

/** Longest name of a Job: its pods have it as a label. */
const longest = 63;

/**
 * Names of what a cleaning of a claim is made of. In its own namespace they are upstream's; elsewhere, where those of other namespaces are
 * cleaned too, they are its own by its namespace, name and UID.
 */
export function cleanNames(
  { metadata: { namespace, name, uid } }: BucketClaim,
  elsewhere?: string,
): { readonly job: string; readonly configMap: string } {
  if (elsewhere === undefined) return { job: `job-${name}`, configMap: `cm-${name}` };
  const whose = createHash('sha256').update(`${namespace}/${name}/${uid}`).digest('hex').slice(0, 10);
  const of = (prefix: string) => {
    const start = `${prefix}-${name}`.slice(0, longest - whose.length - 1);
    return `${start.replace(/[^a-z0-9]+$/, '')}-${whose}`;
  };
  return { job: of('job'), configMap: of('cm') };
}

/** Labels of what a cleaning of a claim is made of. */
export function cleanLabels(claim: BucketClaim, elsewhere?: string): Readonly<Record<string, string>> {
  const labels = claimLabels(claim);
  return elsewhere === undefined ? labels : { ...labels, [LABEL_CLAIM_UID]: claim.metadata.uid ?? '' };
}

/**
 * Whether a Job cleans this claim, and no other of its name: in the claim's namespace by its owner, elsewhere, where nothing can be owned by
 * the claim, by its labels. Those that operators before this one made elsewhere have no UID, and are younger than their claim.
 */
export function isJobOf(job: Job, { metadata: claim }: BucketClaim): boolean {
  const { namespace, labels = {}, creationTimestamp = '' } = job.metadata;
  if (namespace === claim.namespace) return controllerOf(job)?.uid === claim.uid;
  if (labels[LABEL_NAMESPACE] !== claim.namespace || labels[LABEL_INSTANCE] !== claim.name) return false;
  const uid = labels[LABEL_CLAIM_UID];
  return uid === undefined ? creationTimestamp >= (claim.creationTimestamp ?? '') : uid === claim.uid;
}

/** Whether an object goes with a Job. */
export function isOwnedBy({ metadata }: KubeObject, job: Job): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid) ?? false;
}
