import type { Kind, KubeObject, LabelSelector, PersistentVolumeClaim, Pod, PodTemplateSpec } from '@coxswain/k8s';

/** What a stateful set wants, in the terms both flavours share: `apps/v1` and OpenKruise's. */
export interface StatefulModel {
  readonly kind: Kind;
  readonly object: KubeObject;
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly claims: readonly PersistentVolumeClaim[];
  readonly serviceName: string;
  /** The ordinals that should exist, ascending. */
  readonly ordinals: readonly number[];
  /** All at once, or one after the other. */
  readonly parallel: boolean;
  /** How many pods may be away while pods are made all at once; default: all. */
  readonly scaleUnavailable?: number;
  /** Label by which anybody asks for a pod to be replaced, where there is one. */
  readonly replacedLabel?: string;
  readonly minReadySeconds: number;
  readonly update: {
    readonly onDelete: boolean;
    readonly paused: boolean;
    /** The first so many ordinals (in order) keep the current revision. */
    readonly partition: number;
    /** How many pods may be unavailable while rolling; at least 1. */
    readonly maxUnavailable: number;
    readonly inPlace: 'never' | 'ifPossible' | 'only';
    /** The pods that are updated, in order, where that is another one than from the top down to the partition. */
    readonly sequence?: (pods: readonly Pod[], target: string) => readonly Pod[];
    /** Seconds a pod is not ready before its containers restart in place. */
    readonly inPlaceGrace: number;
  };
  /** Whether claims go with the set, and with pods that are scaled away. */
  readonly claimRetention: { readonly whenDeleted: 'Retain' | 'Delete'; readonly whenScaled: 'Retain' | 'Delete' };
  readonly historyLimit: number;
  readonly status: {
    readonly currentRevision?: string;
    readonly updateRevision?: string;
    readonly collisionCount?: number;
  };
}

/** The lowest `count` ordinals from `start` on that are not reserved. */
export function freeOrdinals(count: number, start: number, reserved: ReadonlySet<number>): number[] {
  const ordinals: number[] = [];
  for (let ordinal = start; ordinals.length < count; ordinal++) if (!reserved.has(ordinal)) ordinals.push(ordinal);
  return ordinals;
}

/** The ordinal in a pod's name; `undefined` when it is not a pod of the set. */
export function ordinalOf(set: string, pod: string): number | undefined {
  if (!pod.startsWith(`${set}-`)) return undefined;
  const text = pod.slice(set.length + 1);
  return /^(0|[1-9]\d*)$/.test(text) ? Number(text) : undefined;
}
