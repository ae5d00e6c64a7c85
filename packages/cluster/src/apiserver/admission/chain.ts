import type { Random } from '@coxswain/runtime/core';
import { crdCleanup } from '../crd/cleanup.ts';
import type { AdmissionPlugin } from '../types.ts';
import { defaultTolerationSeconds } from './default-tolerations.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { priority } from './priority.ts';
import { serviceAccount } from './service-account.ts';
import { defaultStorageClass, persistentVolumeClaimResize, storageObjectInUseProtection } from './storage-class.ts';

/** The built-in admission chain, in the real server's order (`spec/embedded.md` §1.12). None of its links waits. */
export function builtinAdmission({ random }: { readonly random: Random }): readonly AdmissionPlugin[] {
  return [
    namespaceLifecycle,
    serviceAccount(random),
    priority,
    defaultTolerationSeconds,
    defaultStorageClass,
    storageObjectInUseProtection,
    persistentVolumeClaimResize,
    crdCleanup,
  ];
}
