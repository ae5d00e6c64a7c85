import type { ContainerPort, Pod } from '@coxswain/k8s';
import { keyOf, keyString } from '@coxswain/runtime/core';
import { type AffinityTerm, affinityTerm } from './affinity-term.ts';
import { podRequests, type Resources } from './resources.ts';

export interface WeightedTerm {
  readonly term: AffinityTerm;
  readonly weight: number;
}

/** What a pod wants of company, ready to be asked. */
export interface PodAffinities {
  readonly near: readonly AffinityTerm[];
  readonly apart: readonly AffinityTerm[];
  /** Wishes; those to be apart have negative weights. */
  readonly wishes: readonly WeightedTerm[];
}

/** What the scheduler asks of a pod, worked out once per object. */
export interface PodInfo {
  readonly pod: Pod;
  /** `namespace/name` */
  readonly key: string;
  readonly uid: string;
  readonly namespace: string;
  readonly priority: number;
  readonly requests: Resources;
  /** As {@link requests}, with something for containers that do not say. */
  readonly assumed: Resources;
  readonly hostPorts: readonly ContainerPort[];
  /** Claims that it mounts, by name. */
  readonly claims: readonly string[];
  readonly affinities: PodAffinities;
  /** It has no affinity of any sort. */
  readonly plain: boolean;
}

const none: PodAffinities = { near: [], apart: [], wishes: [] };

function affinitiesOf({ metadata, spec }: Pod): PodAffinities {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  if (!podAffinity && !podAntiAffinity) return none;
  const wishes = (terms: typeof podAffinity, sign: 1 | -1): WeightedTerm[] =>
    (terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ weight, podAffinityTerm }) => ({
      term: affinityTerm(podAffinityTerm, metadata),
      weight: sign * weight,
    }));
  const required = (terms: typeof podAffinity) =>
    (terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => affinityTerm(term, metadata));
  return {
    near: required(podAffinity),
    apart: required(podAntiAffinity),
    wishes: [...wishes(podAffinity, 1), ...wishes(podAntiAffinity, -1)],
  };
}

function hostPortsOf({ spec }: Pod): ContainerPort[] {
  const containers = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'),
  ];
  return containers.flatMap(({ ports }) => (ports ?? []).filter(({ hostPort }) => hostPort));
}

/** Name of the claim behind each volume of a pod that has one; `ephemeral` ones are named after pod and volume. */
export function claimsOf({ metadata, spec }: Pod): ClaimUse[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): ClaimUse[] => {
    if (persistentVolumeClaim) return [{ name: persistentVolumeClaim.claimName, ephemeral: false }];
    return ephemeral ? [{ name: `${metadata.name}-${name}`, ephemeral: true }] : [];
  });
}

interface ClaimUse {
  readonly name: string;
  readonly ephemeral: boolean;
}

const known = new WeakMap<Pod, PodInfo>();

export function podInfo(pod: Pod): PodInfo {
  const before = known.get(pod);
  if (before) return before;
  const affinities = affinitiesOf(pod);
  const info: PodInfo = {
    pod,
    key: keyString(keyOf(pod)),
    uid: pod.metadata.uid ?? '',
    namespace: pod.metadata.namespace ?? '',
    priority: pod.spec?.priority ?? 0,
    requests: podRequests(pod),
    assumed: podRequests(pod, true),
    hostPorts: hostPortsOf(pod),
    claims: claimsOf(pod).map(({ name }) => name),
    affinities,
    plain: affinities === none,
  };
  known.set(pod, info);
  return info;
}
