import { Deployment, type DeploymentStatus, type ReplicaSet } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { type Verdict, withCondition } from './conditions.ts';
import { revisionAnnotation } from './replica-sets.ts';

/** A Deployment while it is looked at. */
export interface Pass {
  readonly context: ReconcileContext;
  /** As it is after the pass's own writes. */
  deployment: Deployment;
  /** Its ReplicaSets, oldest first, as they are after the pass's own writes. */
  sets: readonly ReplicaSet[];
  /** Something was written that calls for another look. */
  changed: boolean;
  /** That it rests, or no longer does, was noted: what else a pass would say of its progress is left to the next. */
  rested: boolean;
}

/**
 * Writes at once what must not be lost when the pass fails: a condition, how many names were taken, the revision. The revision goes along with the
 * status: an annotation of its own would count as a generation.
 */
export async function note(
  pass: Pass,
  verdict: Verdict | undefined,
  more: { readonly collisionCount?: number; readonly revision?: string } = {},
): Promise<void> {
  const { context, deployment } = pass;
  const { uid, annotations = {} } = deployment.metadata;
  const { collisionCount, revision } = more;
  const before = deployment.status?.conditions ?? [];
  const conditions = verdict ? withCondition(before, verdict, context.clock.now()) : before;
  const revised = revision !== undefined && annotations[revisionAnnotation] !== revision;
  if (conditions === before && collisionCount === undefined && !revised) return;
  const status: DeploymentStatus = { conditions, ...(collisionCount === undefined ? {} : { collisionCount }) };
  const metadata = revised ? { uid, annotations: { [revisionAnnotation]: revision } } : { uid };
  pass.deployment = await context.client
    .of(Deployment)
    .patch(context.key, merge({ metadata, status }), { subresource: 'status' });
  pass.changed = true;
}
