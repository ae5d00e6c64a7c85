import type {
  Container,
  EnvVar,
  PodReadinessGate,
  PodTemplateSpec,
  Probe,
  TopologySpreadConstraint,
  Volume,
  VolumeMount,
} from '@coxswain/k8s';
import { MAIN_CONTAINER, type PodSetSpec, type SharedStorage, VOLUME_CONFIG } from '../api/index.ts';
import { type RenderedConfig, START_SCRIPT } from '../config/index.ts';
import { commonEnv, storageEnv } from './env.ts';
import { podAnnotations } from './metadata.ts';
import { upsertByName } from './named.ts';
import { overlayContainer, overlayPod } from './overlay.ts';
import { binaryFileSystem, certificates, configMapVolume, readOnlyMount } from './volumes.ts';

/** Readiness gate that OpenKruise holds back while it updates a pod in place. */
export const IN_PLACE_UPDATE_READY = 'InPlaceUpdateReady';

/** What a role's pod template is made of; orders matter, as they are part of the template. */
export interface TemplateParts {
  readonly spec: PodSetSpec;
  readonly storage: SharedStorage;
  readonly config: RenderedConfig;
  /** Labels of the set. */
  readonly labels: Readonly<Record<string, string>>;
  /** The role's own variables, before the common ones. */
  readonly env: readonly EnvVar[];
  /** The role's own variables, after the common ones. */
  readonly lastEnv?: readonly EnvVar[];
  readonly volumes?: readonly Volume[];
  /** Mounts of the main container; `configMount` says where among them the configuration comes. */
  readonly mounts: readonly VolumeMount[];
  /** Folder of the configuration. */
  readonly configPath: string;
  readonly readinessProbe?: Probe;
  readonly readinessGates: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly subdomain?: string;
  /** Containers after the overlay's sidecars. */
  readonly lastContainers?: readonly Container[];
  /** Whether a memory file system for the binary is supported. */
  readonly binaryFileSystem: boolean;
  /** Whether spread constraints select by all pod labels, those of the overlay included (proxies do). */
  readonly spreadByPodLabels?: boolean;
}

function mainContainer(parts: TemplateParts): Container {
  const { spec } = parts;
  const tmpfs = parts.binaryFileSystem ? binaryFileSystem(spec) : { mounts: [] };
  const base: Container = {
    name: MAIN_CONTAINER,
    image: spec.image ?? '',
    command: ['/bin/sh', `${parts.configPath}/${START_SCRIPT}`],
    ...(spec.serviceArgs && spec.serviceArgs.length > 0 ? { args: spec.serviceArgs } : {}),
    env: [...parts.env, ...commonEnv(spec), ...(parts.lastEnv ?? [])],
    resources: spec.resources ?? {},
    volumeMounts: parts.mounts,
    ...(parts.readinessProbe ? { readinessProbe: parts.readinessProbe } : {}),
  };
  const overlaid = overlayContainer(base, spec.overlay);
  const binaryPath = tmpfs.mounts.map(({ mountPath }) => ({ name: 'MO_BIN_PATH', value: mountPath }));
  return {
    ...overlaid,
    env: upsertByName(upsertByName(overlaid.env ?? [], storageEnv(parts.storage)), binaryPath),
    volumeMounts: upsertByName(overlaid.volumeMounts ?? [], [...certificates(parts.storage).mounts, ...tmpfs.mounts]),
  };
}

function podVolumes(parts: TemplateParts): readonly Volume[] {
  const beforeOverlay = upsertByName(parts.volumes ?? [], certificates(parts.storage).volumes);
  const overlaid = upsertByName(beforeOverlay, parts.spec.overlay?.volumes);
  const tmpfs = parts.binaryFileSystem ? binaryFileSystem(parts.spec).volumes : [];
  return upsertByName(overlaid, [...tmpfs, configMapVolume(VOLUME_CONFIG, parts.config.name)]);
}

/** Spreads pods evenly over each of the topology keys, strictly. */
export function topologySpread(
  keys: readonly string[],
  matchLabels: Readonly<Record<string, string>>,
): TopologySpreadConstraint[] {
  return keys.map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels },
  }));
}

function gates(types: readonly string[]): readonly PodReadinessGate[] {
  return types.map((conditionType) => ({ conditionType }));
}

/** Builds a role's pod template (`spec/matrixone.md` §2.3). The same input always gives the same template. */
export function podTemplate(parts: TemplateParts): PodTemplateSpec {
  const { spec } = parts;
  const labels = { ...parts.labels, ...spec.overlay?.podLabels };
  const keys = spec.topologySpread ?? [];
  const pod = overlayPod(
    {
      containers: [mainContainer(parts)],
      volumes: podVolumes(parts),
      readinessGates: gates(parts.readinessGates),
      ...(spec.nodeSelector ? { nodeSelector: spec.nodeSelector } : {}),
      ...(parts.subdomain ? { subdomain: parts.subdomain } : {}),
      ...(keys.length > 0
        ? { topologySpreadConstraints: topologySpread(keys, parts.spreadByPodLabels ? labels : parts.labels) }
        : {}),
    },
    spec.overlay,
  );
  return {
    metadata: { labels, annotations: podAnnotations(spec, parts.config, parts.annotations) },
    spec: { ...pod, containers: [...pod.containers, ...(parts.lastContainers ?? [])] },
  };
}

/** Mount of the configuration folder. */
export function configMount(path: string): VolumeMount {
  return readOnlyMount(VOLUME_CONFIG, path);
}
