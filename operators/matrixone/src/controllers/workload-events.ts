import type { KubeObject } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { deepEqual } from '@coxswain/runtime/core';
import { podCount } from './too-few.ts';

interface Workload extends KubeObject {
  readonly spec: { readonly replicas?: number; readonly template?: unknown };
}

/** Tells of what a pass has decided about a workload: its making, another number of pods, other pods. */
export function tellChange<T extends KubeObject>(
  { event }: ActorContext<T>,
  before: Workload | undefined,
  after: Workload,
): void {
  const name = `${after.kind ?? 'workload'} ${after.metadata.name}`;
  const { replicas, template } = after.spec;
  if (!before) {
    event({ reason: 'Created', message: `${name} is made, of ${podCount(replicas)}`, action: 'Create' });
    return;
  }
  if (before.spec.replicas !== replicas) {
    const message = `${name} is scaled from ${before.spec.replicas} to ${podCount(replicas)}`;
    event({ reason: 'Scaled', message, action: 'Scale' });
  }
  if (!deepEqual(before.spec.template, template)) {
    event({ reason: 'RolloutStarted', message: `${name} gets new pods, or the old ones restarted`, action: 'Update' });
  }
}
