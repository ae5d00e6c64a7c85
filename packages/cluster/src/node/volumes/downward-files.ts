import type { DownwardAPIVolumeFile, Pod } from '@coxswain/k8s';
import { fieldValue, resourceValue } from '../downward/index.ts';
import type { VolumeFile } from '../runtime.ts';
import { type FileOptions, file, type MakeFiles } from './files.ts';

const encoder = new TextEncoder();

/** Fields of the pod as files. @param allocatable what the node has, asked for only when a resource is wanted */
export function downwardFiles(
  pod: Pod,
  items: readonly DownwardAPIVolumeFile[] | undefined,
  allocatable: () => Promise<Readonly<Record<string, string>>>,
  options: FileOptions,
): MakeFiles {
  return async () => {
    const files = new Map<string, VolumeFile>();
    for (const { path, mode, fieldRef, resourceFieldRef } of items ?? []) {
      let text = '';
      if (fieldRef) text = fieldValue(pod, fieldRef.fieldPath);
      else if (resourceFieldRef) text = resourceValue(resourceFieldRef, { pod, allocatable: await allocatable() });
      files.set(path, file(encoder.encode(text), mode, options));
    }
    return files;
  };
}
