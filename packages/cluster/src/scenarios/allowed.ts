import type { Difference } from './compare.ts';

/** A difference that is known and accepted. What is left out matches everywhere. */
export interface Allowance {
  readonly scenario?: RegExp;
  /** Of {@link Difference.place}. */
  readonly place: RegExp;
  /** Of what the embedded cluster showed. */
  readonly embedded?: RegExp;
  /** Of what the real one showed. */
  readonly real?: RegExp;
  /** Why it is so, and why that is all right; or `Gap: …`. */
  readonly reason: string;
}

/** Every accepted difference to a real cluster, with its reason. */
export const allowances: readonly Allowance[] = [
  {
    scenario: /^roll-broken-image$/,
    place: /^Pod web-<2>-\* {2}status\..*\.(waiting\.(reason|message))$/,
    reason: 'A kubelet shows that it backs off some seconds after it does, which here is when the pod is gone.',
  },
  {
    scenario: /^roll-broken-image$/,
    place: /^Pod web-<2>-\* {2}status\.(conditions\[\w*Ready\]\.(reason|message)|.*\.(startedAt|finishedAt))$/,
    reason: 'Gap: a container that never ran has no times when it is given up, and its pod goes on being unready.',
  },
  {
    scenario: /^(roll-broken-image|delete-namespace)$/,
    place: /^(Deployment|ReplicaSet) .* {2}status\.terminatingReplicas$/,
    reason: 'Pods that have nothing to end are gone at once; and controllers of what is gone say nothing more.',
  },
  {
    place: /^StatefulSet db {2}status\.replicas$/,
    reason: 'Gap: a pod that has ended and is about to go is not counted.',
  },
  {
    place: /^Job [\w<>-]+ {2}status\.uncountedTerminatedPods$/,
    reason: 'Gap: an empty list of pods to be counted is not written.',
  },
  {
    scenario: /^cron-job$/,
    place: /^Job tick-<1> {2}status\.ready$/,
    reason:
      'A real Job controller waits a second before it counts, and a pod that ends within it was never ready to it.',
  },
  {
    scenario: /^roll-daemon-set$/,
    place: /^DaemonSet agent {2}status\.currentNumberScheduled$/,
    reason:
      'A real pod takes its time to go, and is not counted while it does; a simulated one has gone before the count.',
  },
  {
    scenario: /^preemption$/,
    place: /^event$|\[PodScheduled\]\.message$/,
    reason: 'Gap: the pod that waits for the others to go is tried once more when they begin to.',
  },
  {
    scenario: /^delete-namespace$/,
    place: /\[NamespaceDeletionContentFailure\]/,
    reason:
      'A real namespace controller may look between the end of a pod and its removal, and takes it for one that stays.',
  },
  {
    scenario: /^node-is-lost-and-comes-back$/,
    place: /^Pod web-<1>-\* {2}status\.conditions\[\w*Ready\]\.(reason|message)$/,
    reason:
      'A real kubelet that is back may say that the containers are not ready before it says that the pod has failed.',
  },
];

/** The allowance that covers a difference, if any. */
export function allowanceFor(scenario: string, { place, real, embedded }: Difference): Allowance | undefined {
  return allowances.find(
    (one) =>
      (one.scenario?.test(scenario) ?? true) &&
      one.place.test(place) &&
      (one.real?.test(real) ?? true) &&
      (one.embedded?.test(embedded) ?? true),
  );
}
