import type {
  LabelSelector,
  PersistentVolumeClaim,
  PodTemplateSpec,
  StatefulSetPersistentVolumeClaimRetentionPolicy,
} from './generated/kinds.ts';
import type { Kind } from './kind.ts';
import type { Condition, KubeObject } from './object.ts';

/**
 * The OpenKruise kinds that the operators use, with the fields they use (`spec/embedded.md` §2.5).
 * The embedded cluster serves them with controllers of its own; on a real cluster OpenKruise does.
 */

/** How a pod is changed without being recreated. */
export interface InPlaceUpdateStrategy {
  /** Seconds a pod stays not ready before its containers are restarted. */
  readonly gracePeriodSeconds?: number;
}

/** Which pods are updated before others. */
export interface UpdatePriorityStrategy {
  /** Labels whose values end with a number; the highest first. */
  readonly orderPriority?: readonly { readonly orderedKey: string }[];
  /** Weights of selectors add up; the heaviest first. */
  readonly weightPriority?: readonly { readonly weight: number; readonly matchSelector: LabelSelector }[];
}

/** Pods with this label are not updated one after the other. */
export interface UpdateScatterTerm {
  readonly key: string;
  readonly value: string;
}

/** Pods stop at this point of their life until the handler has taken its finalizers (or labels) away. */
export interface LifecycleHook {
  readonly labelsHandler?: Readonly<Record<string, string>>;
  readonly finalizersHandler?: readonly string[];
  readonly markPodNotReady?: boolean;
}

/** The points at which somebody may hold a pod. */
export interface Lifecycle {
  readonly preDelete?: LifecycleHook;
  readonly inPlaceUpdate?: LifecycleHook;
  readonly preNormal?: LifecycleHook;
}

export interface KruiseRollingUpdateStatefulSetStrategy {
  readonly partition?: number;
  readonly unorderedUpdate?: { readonly priorityStrategy?: UpdatePriorityStrategy };
  readonly maxUnavailable?: number | string;
  readonly podUpdatePolicy?: 'Recreate' | 'InPlaceIfPossible' | 'InPlaceOnly';
  readonly paused?: boolean;
  readonly inPlaceUpdateStrategy?: InPlaceUpdateStrategy;
  readonly minReadySeconds?: number;
}

export interface KruiseStatefulSetSpec {
  readonly replicas?: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[];
  readonly serviceName?: string;
  readonly podManagementPolicy?: 'OrderedReady' | 'Parallel';
  readonly updateStrategy?: {
    readonly type?: 'RollingUpdate' | 'OnDelete';
    readonly rollingUpdate?: KruiseRollingUpdateStatefulSetStrategy;
  };
  readonly revisionHistoryLimit?: number;
  /** Ordinals that must not exist; the next free ones are used instead. */
  readonly reserveOrdinals?: readonly (number | string)[];
  /** How many pods may be unavailable while pods are made all at once. */
  readonly scaleStrategy?: { readonly maxUnavailable?: number | string };
  readonly lifecycle?: Lifecycle;
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
}

export interface KruiseStatefulSetStatus {
  readonly observedGeneration?: number;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly currentReplicas: number;
  readonly updatedReplicas: number;
  readonly updatedReadyReplicas?: number;
  readonly updatedAvailableReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: number;
  readonly conditions?: readonly Omit<Condition, 'observedGeneration'>[];
  readonly labelSelector?: string;
}

/** Advanced StatefulSet of `apps.kruise.io/v1beta1`. */
export interface KruiseStatefulSet extends KubeObject {
  readonly spec: KruiseStatefulSetSpec;
  readonly status?: KruiseStatefulSetStatus;
}

export const KruiseStatefulSet: Kind<KruiseStatefulSet> = {
  group: 'apps.kruise.io',
  version: 'v1beta1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  scope: 'Namespaced',
};

export interface CloneSetUpdateStrategy {
  readonly type?: 'ReCreate' | 'InPlaceIfPossible' | 'InPlaceOnly';
  readonly partition?: number | string;
  readonly maxUnavailable?: number | string;
  readonly maxSurge?: number | string;
  readonly paused?: boolean;
  readonly priorityStrategy?: UpdatePriorityStrategy;
  readonly scatterStrategy?: readonly UpdateScatterTerm[];
  readonly inPlaceUpdateStrategy?: InPlaceUpdateStrategy;
}

export interface CloneSetSpec {
  readonly replicas?: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[];
  readonly scaleStrategy?: {
    /** Pods to remove first when scaling in, by name. */
    readonly podsToDelete?: readonly string[];
    readonly maxUnavailable?: number | string;
    readonly disablePVCReuse?: boolean;
  };
  readonly updateStrategy?: CloneSetUpdateStrategy;
  readonly revisionHistoryLimit?: number;
  readonly minReadySeconds?: number;
  readonly lifecycle?: Lifecycle;
}

export interface CloneSetStatus {
  readonly observedGeneration?: number;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly updatedReplicas: number;
  readonly updatedReadyReplicas: number;
  readonly updatedAvailableReplicas?: number;
  readonly expectedUpdatedReplicas?: number;
  readonly updateRevision?: string;
  readonly currentRevision?: string;
  readonly collisionCount?: number;
  readonly conditions?: readonly Omit<Condition, 'observedGeneration'>[];
  readonly labelSelector?: string;
}

/** CloneSet of `apps.kruise.io/v1alpha1`. */
export interface CloneSet extends KubeObject {
  readonly spec: CloneSetSpec;
  readonly status?: CloneSetStatus;
}

export const CloneSet: Kind<CloneSet> = {
  group: 'apps.kruise.io',
  version: 'v1alpha1',
  kind: 'CloneSet',
  plural: 'clonesets',
  scope: 'Namespaced',
};
