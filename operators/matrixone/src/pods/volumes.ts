import type { Volume, VolumeMount } from '@coxswain/k8s';
import {
  PATH_BINARY_FS,
  PATH_S3_CERTIFICATES,
  type PodSetSpec,
  type SharedStorage,
  VOLUME_BINARY_FS,
  VOLUME_S3_CERTIFICATES,
} from '../api/index.ts';

/** A ConfigMap as a volume. The mode is spelt out because it always was: it is part of the template. */
export function configMapVolume(name: string, configMap: string): Volume {
  return { name, configMap: { name: configMap, defaultMode: 420 } };
}

export function readOnlyMount(name: string, mountPath: string): VolumeMount {
  return { name, mountPath, readOnly: true };
}

/** Certificates to trust for S3, as volume and mount. */
export function certificates(storage: SharedStorage): { volumes: readonly Volume[]; mounts: readonly VolumeMount[] } {
  const reference = storage.s3?.certificateRef;
  if (!reference) return { volumes: [], mounts: [] };
  return {
    volumes: [{ name: VOLUME_S3_CERTIFICATES, secret: { secretName: reference.name } }],
    mounts: [readOnlyMount(VOLUME_S3_CERTIFICATES, PATH_S3_CERTIFICATES)],
  };
}

/** The memory file system that holds the binary, as volume and mount. */
export function binaryFileSystem(spec: PodSetSpec): { volumes: readonly Volume[]; mounts: readonly VolumeMount[] } {
  if (spec.memoryFsSize === undefined) return { volumes: [], mounts: [] };
  return {
    volumes: [{ name: VOLUME_BINARY_FS, emptyDir: { medium: 'Memory', sizeLimit: String(spec.memoryFsSize) } }],
    mounts: [{ name: VOLUME_BINARY_FS, mountPath: PATH_BINARY_FS }],
  };
}
