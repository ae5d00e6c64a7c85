import type { PersistentVolumeClaim } from '@coxswain/k8s';
import { canonicalQuantity, compareQuantities, parseQuantity } from '@coxswain/runtime/core';
import { type DataVolume, type PodSetSpec, VOLUME_DATA } from '../api/index.ts';

/** Claim templates of a new workload: the data volume, then those of the overlay. */
export function claimTemplates(volume: DataVolume | undefined, spec: PodSetSpec): readonly PersistentVolumeClaim[] {
  const data = volume && [
    {
      metadata: { name: VOLUME_DATA },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: canonicalQuantity(volume.size) } },
        ...(volume.storageClassName === undefined ? {} : { storageClassName: volume.storageClassName }),
      },
    },
  ];
  return [...(data ?? []), ...(spec.overlay?.volumeClaims ?? [])];
}

/** The size of a workload's data volume; `undefined` when it has none. */
export function dataVolumeSize(templates: readonly PersistentVolumeClaim[] | undefined): string | undefined {
  const data = templates?.find(({ metadata }) => metadata.name === VOLUME_DATA);
  return data?.spec?.resources?.requests?.storage;
}

/** What is to be done about the size of the data volume. */
export type VolumeChange =
  | { readonly kind: 'none' }
  /** Every claim, and then the template, must ask for `to`. */
  | { readonly kind: 'grow'; readonly from: string; readonly to: string }
  /** Volumes cannot shrink: nothing is done, and the user is told. */
  | { readonly kind: 'refuse'; readonly from: string; readonly to: string };

/** Compares the wanted size with the one in the live workload's templates. */
export function volumeChange(
  volume: DataVolume | undefined,
  live: readonly PersistentVolumeClaim[] | undefined,
): VolumeChange {
  const from = dataVolumeSize(live);
  if (!volume || from === undefined) return { kind: 'none' };
  const to = canonicalQuantity(volume.size);
  const order = compareQuantities(parseQuantity(from), parseQuantity(to));
  return order === 0 ? { kind: 'none' } : { kind: order < 0 ? 'grow' : 'refuse', from, to };
}

/** A live template without what the server put into it and nobody wants, so that sending it again changes nothing. */
function asWritten(template: PersistentVolumeClaim, wanted: PersistentVolumeClaim | undefined): PersistentVolumeClaim {
  const { volumeMode, ...spec } = template.spec ?? {};
  const isDefault = volumeMode === undefined || (volumeMode === 'Filesystem' && wanted?.spec?.volumeMode === undefined);
  const { name, labels, annotations } = template.metadata;
  return {
    metadata: { name, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
    spec: isDefault ? spec : { ...spec, volumeMode },
  };
}

/**
 * Claim templates to send for a workload that may exist. They are written at creation and then stay as they are, but
 * for the size of the data volume, which may grow.
 */
export function keptClaimTemplates(
  wanted: readonly PersistentVolumeClaim[],
  live: readonly PersistentVolumeClaim[] | undefined,
): readonly PersistentVolumeClaim[] {
  if (!live) return wanted;
  const wantedSize = dataVolumeSize(wanted);
  return live.map((template) => {
    const kept = asWritten(
      template,
      wanted.find(({ metadata }) => metadata.name === template.metadata.name),
    );
    const size = kept.spec?.resources?.requests?.storage;
    if (template.metadata.name !== VOLUME_DATA || wantedSize === undefined || size === undefined) return kept;
    if (compareQuantities(parseQuantity(wantedSize), parseQuantity(size)) <= 0) return kept;
    return { ...kept, spec: { ...kept.spec, resources: { requests: { storage: wantedSize } } } };
  });
}
