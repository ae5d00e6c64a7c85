import type { DaemonSet, Pod, PodSpec, Toleration } from '@coxswain/k8s';
import { DaemonSet as DaemonSetKind } from '@coxswain/k8s';
import { deepEqual } from '@coxswain/runtime/core';
import { revisionLabel } from '../revision/revisions.ts';
import { podFromTemplate } from '../workload/pods.ts';

/** Label of pods: which version of the template, counted by the server, they were made from. */
const generationLabel = 'pod-template-generation';
/** Where the server keeps that count. */
const generationAnnotation = 'deprecated.daemonset.template.generation';

const always: readonly (readonly [key: string, effect: string])[] = [
  ['node.kubernetes.io/not-ready', 'NoExecute'],
  ['node.kubernetes.io/unreachable', 'NoExecute'],
  ['node.kubernetes.io/disk-pressure', 'NoSchedule'],
  ['node.kubernetes.io/memory-pressure', 'NoSchedule'],
  ['node.kubernetes.io/pid-pressure', 'NoSchedule'],
  ['node.kubernetes.io/unschedulable', 'NoSchedule'],
];
const onHostNetwork = ['node.kubernetes.io/network-unavailable', 'NoSchedule'] as const;

/** Daemons stay on nodes in trouble: the template's tolerations, and those every daemon has. */
function tolerationsOf({ hostNetwork, tolerations = [] }: Partial<PodSpec>): readonly Toleration[] {
  const wanted = (hostNetwork ? [...always, onHostNetwork] : always).map(([key, effect]) => ({
    key,
    operator: 'Exists',
    effect,
  }));
  return [...tolerations, ...wanted.filter((one) => !tolerations.some((other) => deepEqual(one, other)))];
}

/** A pod of the set before it is meant for a node: what decides which nodes may have one. */
export function daemonPod(set: DaemonSet): Pod {
  const { template, selector } = set.spec;
  const pod = podFromTemplate({ kind: DaemonSetKind, object: set, selector }, template, {
    generateName: `${set.metadata.name}-`,
  });
  const spec = pod.spec ?? { containers: [] };
  return { ...pod, spec: { ...spec, tolerations: tolerationsOf(spec) } };
}

/** The pod for one node. Its affinity names the node and nothing else: what the template asks of nodes has been looked at. */
export function podForNode(set: DaemonSet, pod: Pod, node: string, hash: string): Pod {
  const generation = set.metadata.annotations?.[generationAnnotation];
  const { affinity } = pod.spec ?? {};
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  const nodeAffinity = {
    ...affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
  };
  const labels = {
    ...pod.metadata.labels,
    ...(generation ? { [generationLabel]: generation } : {}),
    [revisionLabel]: hash,
  };
  return {
    ...pod,
    metadata: { ...pod.metadata, labels },
    spec: { ...(pod.spec ?? { containers: [] }), affinity: { ...affinity, nodeAffinity } },
  };
}

/** Whether a pod was made from the set's template as it is now. */
export function isUpdated(set: DaemonSet, pod: Pod, hash: string): boolean {
  const { labels = {} } = pod.metadata;
  const generation = set.metadata.annotations?.[generationAnnotation];
  return labels[revisionLabel] === hash || (generation !== undefined && labels[generationLabel] === generation);
}
