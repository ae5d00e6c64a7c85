import type {
  Affinity,
  Container,
  EnvFromSource,
  EnvVar,
  HostAlias,
  Lifecycle,
  LocalObjectReference,
  PersistentVolumeClaim,
  PodDNSConfig,
  PodSecurityContext,
  Probe,
  SecurityContext,
  Toleration,
  TopologySpreadConstraint,
  Volume,
  VolumeMount,
} from '@coxswain/k8s';

/** What a user may lay over the generated main container. Schemaless in the CRD. */
export interface MainContainerOverlay {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly env?: readonly EnvVar[];
  readonly imagePullPolicy?: string;
  readonly volumeMounts?: readonly VolumeMount[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  /** Accepted but, as upstream, not applied: applying it would restart the pods of live clusters. */
  readonly startupProbe?: Probe;
  readonly lifecycle?: Lifecycle;
  readonly mainContainerSecurityContext?: SecurityContext;
}

/** What a user may lay over the generated pod. */
export interface Overlay extends MainContainerOverlay {
  readonly volumes?: readonly Volume[];
  /** Whole claims, appended to the templates when the workload is created. */
  readonly volumeClaims?: readonly PersistentVolumeClaim[];
  readonly initContainers?: readonly Container[];
  readonly sidecarContainers?: readonly Container[];
  readonly serviceAccountName?: string;
  readonly securityContext?: PodSecurityContext;
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly affinity?: Affinity;
  readonly tolerations?: readonly Toleration[];
  readonly priorityClassName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly hostAliases?: readonly HostAlias[];
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  readonly runtimeClassName?: string;
  readonly dnsConfig?: PodDNSConfig;
  readonly podLabels?: Readonly<Record<string, string>>;
  readonly podAnnotations?: Readonly<Record<string, string>>;
  readonly shareProcessNamespace?: boolean;
}
