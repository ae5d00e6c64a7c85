import type { Volume } from '@coxswain/k8s';
import { parseQuantity, quantityValue } from '@coxswain/runtime/core';
import type { VolumeContent } from '../runtime.ts';

const helpBySort: Readonly<Record<string, string>> = {
  csi: 'no CSI driver runs here; use a claim, or a generic ephemeral volume',
  nfs: 'use a claim, or a hostPath volume with what the server exports',
  image: 'put the files into the image of the container, or into a ConfigMap',
  gitRepo: 'clone in an init container, into an emptyDir volume',
};

/** A volume that needs no object of the cluster. */
export function plainContent(volume: Volume): VolumeContent {
  const { name, emptyDir, hostPath } = volume;
  if (hostPath) return { kind: 'host', path: hostPath.path, type: hostPath.type ?? '' };
  const sort = Object.keys(volume).find((key) => key !== 'name') ?? 'emptyDir';
  if (emptyDir || sort === 'emptyDir') {
    const sizeLimit = emptyDir?.sizeLimit === undefined ? 0n : quantityValue(parseQuantity(emptyDir.sizeLimit));
    const memory = emptyDir?.medium === 'Memory';
    return { kind: 'empty', memory, ...(sizeLimit > 0n ? { sizeLimit: Number(sizeLimit) } : {}) };
  }
  const help = helpBySort[sort] ?? 'use a claim, or a hostPath volume';
  return {
    kind: 'unsupported',
    message: `volume "${name}" is of a sort that this node cannot mount (${sort}): ${help}`,
  };
}
