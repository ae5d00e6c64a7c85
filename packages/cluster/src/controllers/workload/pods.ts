import type { KubeObject, Pod, PodTemplateSpec } from '@coxswain/k8s';
import { Pod as PodKind } from '@coxswain/k8s';
import { controllerReference } from '@coxswain/runtime/apply';
import type { Client } from '@coxswain/runtime/client';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { keyOf } from '@coxswain/runtime/core';
import { claim, type Workload } from './claim.ts';
import { ignoreRace } from './tolerant.ts';

/** What controllers ask of pods again and again, worked out once per object. */
interface PodFacts {
  /** It has not ended and is not being deleted. */
  readonly active: boolean;
  /** Milliseconds since the epoch; `undefined` when the pod is not ready. */
  readonly readySince: number | undefined;
}

const facts = new WeakMap<Pod, PodFacts>();

function factsOf(pod: Pod): PodFacts {
  const known = facts.get(pod);
  if (known) return known;
  const { phase, conditions } = pod.status ?? {};
  const ready = conditions?.find(({ type }) => type === 'Ready');
  const made: PodFacts = {
    active: phase !== 'Succeeded' && phase !== 'Failed' && !pod.metadata.deletionTimestamp,
    readySince: ready?.status === 'True' ? Date.parse(ready.lastTransitionTime ?? '') || 0 : undefined,
  };
  facts.set(pod, made);
  return made;
}

/** Whether a pod still counts: it has not ended and is not being deleted. */
export function isActive(pod: Pod): boolean {
  return factsOf(pod).active;
}

export function isPodReady(pod: Pod): boolean {
  return factsOf(pod).readySince !== undefined;
}

/** When a pod became ready, in milliseconds since the epoch; `undefined` when it is not. */
export function readySince(pod: Pod): number | undefined {
  return factsOf(pod).readySince;
}

/**
 * Milliseconds until a pod that is ready has been so for `minReadySeconds`: 0 when it is available, `undefined` when it is not ready.
 */
export function untilAvailable(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  return untilReadyFor(factsOf(pod), minReadySeconds, now);
}

function untilReadyFor({ readySince }: PodFacts, minReadySeconds: number, now: number): number | undefined {
  if (readySince === undefined || minReadySeconds === 0) return readySince === undefined ? undefined : 0;
  return Math.max(0, readySince + minReadySeconds * 1000 - now);
}

/** The shorter of two waits; `undefined` is none. */
export function sooner(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}

/** How many pods a workload has, by what they can do. */
export interface PodTally {
  /** Active pods. */
  readonly active: number;
  readonly ready: number;
  readonly available: number;
  readonly terminating: number;
  /** Milliseconds until another pod becomes available by time alone. */
  readonly wait: number | undefined;
}

export function tallyPods(pods: Iterable<Pod>, minReadySeconds: number, now: number): PodTally {
  let active = 0;
  let ready = 0;
  let available = 0;
  let terminating = 0;
  let wait: number | undefined;
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed')
      terminating++;
    const facts = factsOf(pod);
    if (!facts.active) continue;
    active++;
    const left = untilReadyFor(facts, minReadySeconds, now);
    if (left === undefined) continue;
    ready++;
    if (left === 0) available++;
    else wait = sooner(wait, left);
  }
  return { active, ready, available, terminating, wait };
}

/** The pods an object controls, as the store shows them now. */
export function controlledPods({ cache }: ReconcileContext, owner: KubeObject): Pod[] {
  const { uid = '' } = owner.metadata;
  return [...cache.store(PodKind).by('controller', uid)];
}

/** A pod as `template` says, controlled by `workload`. */
export function podFromTemplate(
  workload: Workload,
  template: PodTemplateSpec,
  name: { name: string } | { generateName: string },
): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: '',
      ...name,
      namespace: workload.object.metadata.namespace ?? '',
      labels: { ...labels },
      ...(annotations ? { annotations: { ...annotations } } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [controllerReference(workload.kind, workload.object)],
    },
    ...(template.spec ? { spec: template.spec } : {}),
  };
}

/** The pods of a workload; see {@link claim}. Pods that have ended are not adopted. */
export function claimPods(context: ReconcileContext, workload: Workload): Promise<Pod[]> {
  return claim(context, workload, PodKind, { adoptable: isActive });
}

/** Deletes a pod unless it is gone or another has its name. */
export async function deletePod(client: Client, pod: Pod): Promise<void> {
  const { uid } = pod.metadata;
  await client
    .of(PodKind)
    .delete(keyOf(pod), uid ? { preconditions: { uid } } : {})
    .catch(ignoreRace);
}
