import { PersistentVolume, PersistentVolumeClaim, type PersistentVolumeClaimSpec, StorageClass } from '@coxswain/k8s';
import { type Client, merge } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import {
  compareQuantities,
  isAlreadyExists,
  matchesLabels,
  parseQuantity,
  selectorFromField,
} from '@coxswain/runtime/core';

import { ignoreRace } from '../workload/tolerant.ts';

/** The provisioner this controller stands in for. Claims of other provisioners are left to them. */
export const provisioner = 'coxswain.io/embedded';

const bindCompleted = 'pv.kubernetes.io/bind-completed';
const boundByController = 'pv.kubernetes.io/bound-by-controller';

function storageOf(spec: PersistentVolumeClaimSpec | undefined): string {
  return spec?.resources?.requests?.['storage'] ?? '0';
}

/** Whether a volume that nobody uses is what the claim asks for. */
function fits(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { spec } = volume;
  if (
    !spec ||
    volume.metadata.deletionTimestamp ||
    (spec.storageClassName ?? '') !== (claim.spec?.storageClassName ?? '')
  )
    return false;
  const wanted = spec.claimRef;
  if (wanted && (wanted.namespace !== claim.metadata.namespace || wanted.name !== claim.metadata.name)) return false;
  if (wanted?.uid && wanted.uid !== claim.metadata.uid) return false;
  if ((spec.volumeMode ?? 'Filesystem') !== (claim.spec?.volumeMode ?? 'Filesystem')) return false;
  if (!(claim.spec?.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode))) return false;
  if (claim.spec?.selector && !matchesLabels(selectorFromField(claim.spec.selector), volume.metadata.labels))
    return false;
  return compareQuantities(parseQuantity(spec.capacity?.['storage'] ?? '0'), parseQuantity(storageOf(claim.spec))) >= 0;
}

/** Volumes set aside for the claim first, then the smallest. */
function byFit(a: PersistentVolume, b: PersistentVolume): number {
  const size = ({ spec }: PersistentVolume) => parseQuantity(spec?.capacity?.['storage'] ?? '0');
  return Number(Boolean(b.spec?.claimRef)) - Number(Boolean(a.spec?.claimRef)) || compareQuantities(size(a), size(b));
}

function claimReference(claim: PersistentVolumeClaim): object {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion };
}

/** The volume a class makes for a claim. */
function provisioned(claim: PersistentVolumeClaim, storageClass: StorageClass): PersistentVolume {
  const name = `pvc-${claim.metadata.uid}`;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': provisioner } },
    spec: {
      accessModes: claim.spec?.accessModes ?? ['ReadWriteOnce'],
      capacity: { storage: storageOf(claim.spec) },
      claimRef: claimReference(claim),
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name,
      volumeMode: claim.spec?.volumeMode ?? 'Filesystem',
      hostPath: { path: `/var/lib/coxswain/volumes/${name}`, type: 'DirectoryOrCreate' },
    },
  };
}

const selectedNode = 'volume.kubernetes.io/selected-node';

/** Whether the claim's class binds only for a pod, and no pod has asked yet. */
function storageClassWaits(storageClass: StorageClass | undefined, claim: PersistentVolumeClaim): boolean {
  return storageClass?.volumeBindingMode === 'WaitForFirstConsumer' && !claim.metadata.annotations?.[selectedNode];
}

/** Binds claims to volumes, making volumes where the claim's class is ours; grows bound ones. */
export class ClaimBinder implements Reconciler {
  async reconcile(context: ReconcileContext): Promise<Result> {
    const claim = context.cache.store(PersistentVolumeClaim).get(context.key);
    if (!claim || claim.metadata.deletionTimestamp) return undefined;
    const bound = claim.spec?.volumeName;
    const volume = bound
      ? context.cache.store(PersistentVolume).get({ name: bound })
      : await this.#findOrMake(context, claim);
    if (volume) await this.#bind(context.client, claim, volume);
    else if (claim.status?.phase === 'Bound') await setPhase(context.client, claim, 'Lost');
    return undefined;
  }

  async #findOrMake(
    { cache, client }: ReconcileContext,
    claim: PersistentVolumeClaim,
  ): Promise<PersistentVolume | undefined> {
    const name = claim.spec?.storageClassName ?? '';
    if (storageClassWaits(cache.store(StorageClass).get({ name }), claim)) return undefined;
    const free = [...cache.store(PersistentVolume).list()].filter(
      (volume) => volume.status?.phase !== 'Released' && fits(volume, claim),
    );
    const best = free.sort(byFit)[0];
    if (best) return best;
    const storageClass = cache.store(StorageClass).get({ name });
    if (storageClass?.provisioner !== provisioner) return undefined;
    const volume = provisioned(claim, storageClass);
    return client
      .of(PersistentVolume)
      .create(volume)
      .catch((error: unknown) => {
        if (isAlreadyExists(error)) return client.of(PersistentVolume).get({ name: volume.metadata.name });
        throw error;
      });
  }

  async #bind(client: Client, claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    const capacity = await this.#ensureVolume(client, claim, volume);
    const key = { namespace: claim.metadata.namespace ?? '', name: claim.metadata.name };
    if (claim.spec?.volumeName !== volume.metadata.name || claim.metadata.annotations?.[bindCompleted] !== 'yes') {
      const annotations = { [bindCompleted]: 'yes', ...(claim.spec?.volumeName ? {} : { [boundByController]: 'yes' }) };
      await client
        .of(PersistentVolumeClaim)
        .patch(
          key,
          merge({ metadata: { uid: claim.metadata.uid, annotations }, spec: { volumeName: volume.metadata.name } }),
        )
        .catch(ignoreRace);
    }
    if (claim.status?.phase === 'Bound' && claim.status.capacity?.['storage'] === capacity) return;
    const status = { phase: 'Bound', accessModes: volume.spec?.accessModes ?? [], capacity: { storage: capacity } };
    await client
      .of(PersistentVolumeClaim)
      .patch(key, merge({ metadata: { uid: claim.metadata.uid }, status }), { subresource: 'status' })
      .catch(ignoreRace);
  }

  /** Points the volume at the claim and grows it to what the claim asks for; answers its capacity. */
  async #ensureVolume(client: Client, claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<string> {
    const key = { name: volume.metadata.name };
    const wanted = storageOf(claim.spec);
    const have = volume.spec?.capacity?.['storage'] ?? '0';
    const grow = compareQuantities(parseQuantity(have), parseQuantity(wanted)) < 0;
    const reference = volume.spec?.claimRef?.uid === claim.metadata.uid ? {} : { claimRef: claimReference(claim) };
    const spec = { ...reference, ...(grow ? { capacity: { storage: wanted } } : {}) };
    if (Object.keys(spec).length > 0) await client.of(PersistentVolume).patch(key, merge({ spec }));
    if (volume.status?.phase !== 'Bound')
      await client.of(PersistentVolume).patch(key, merge({ status: { phase: 'Bound' } }), { subresource: 'status' });
    return grow ? wanted : have;
  }
}

async function setPhase(client: Client, claim: PersistentVolumeClaim, phase: string): Promise<void> {
  const key = { namespace: claim.metadata.namespace ?? '', name: claim.metadata.name };
  await client
    .of(PersistentVolumeClaim)
    .patch(key, merge({ status: { phase } }), { subresource: 'status' })
    .catch(ignoreRace);
}
