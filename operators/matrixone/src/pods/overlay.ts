import type { Container, PodSpec } from '@coxswain/k8s';
import type { MainContainerOverlay, Overlay } from '../api/index.ts';
import { upsertByName } from './named.ts';

/** The given fields without those that are not set, so that an overlay replaces only what it says. */
function defined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)) as T;
}

/** Lays an overlay over a container: variables and mounts by name, everything else as a whole. */
export function overlayContainer(container: Container, overlay: MainContainerOverlay | undefined): Container {
  if (!overlay) return container;
  const { command, args, envFrom, imagePullPolicy, livenessProbe, readinessProbe, lifecycle } = overlay;
  return {
    ...container,
    ...defined({ command, args, envFrom, imagePullPolicy, livenessProbe, readinessProbe, lifecycle }),
    ...defined({ securityContext: overlay.mainContainerSecurityContext }),
    env: upsertByName(container.env ?? [], overlay.env),
    volumeMounts: upsertByName(container.volumeMounts ?? [], overlay.volumeMounts),
  };
}

/** Lays an overlay over a pod. Its volumes are not handled here: their place among the others is the caller's business. */
export function overlayPod(pod: PodSpec, overlay: Overlay | undefined): PodSpec {
  if (!overlay) return pod;
  const { initContainers, serviceAccountName, securityContext, imagePullSecrets, affinity, tolerations } = overlay;
  const { priorityClassName, terminationGracePeriodSeconds, hostAliases, topologySpreadConstraints } = overlay;
  const { runtimeClassName, dnsConfig, shareProcessNamespace } = overlay;
  return {
    ...pod,
    containers: [...pod.containers, ...(overlay.sidecarContainers ?? [])],
    ...defined({ initContainers, serviceAccountName, securityContext, imagePullSecrets, affinity, tolerations }),
    ...defined({ priorityClassName, terminationGracePeriodSeconds, hostAliases, topologySpreadConstraints }),
    ...defined({ runtimeClassName, dnsConfig, shareProcessNamespace }),
  };
}
