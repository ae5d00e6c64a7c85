import type { Random } from '@coxswain/runtime/core';
import { crdCleanup } from '../crd/cleanup.ts';
import type { AdmissionPlugin } from '../types.ts';
import { defaultTolerationSeconds } from './default-tolerations.ts';
import { limitRanger } from './limit-range/index.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { validatingPolicies } from './policy/index.ts';
import { priority } from './priority.ts';
import { resourceQuota } from './quota/index.ts';
import { serviceAccount } from './service-account.ts';
import { defaultStorageClass, persistentVolumeClaimResize, storageObjectInUseProtection } from './storage-class.ts';
import { mutatingWebhooks, validatingWebhooks, type WebhookContext } from './webhook/index.ts';

export interface AdmissionOptions {
  readonly random: Random;
  /** Absent: webhook configurations and policies are stored and do nothing. */
  readonly webhooks?: WebhookContext;
}

/**
 * The built-in admission chain, in the real server's order (`spec/embedded.md` §1.12). Only webhooks wait, and only for writes
 * that one of them is called for.
 */
export function builtinAdmission({ random, webhooks }: AdmissionOptions): readonly AdmissionPlugin[] {
  return [
    namespaceLifecycle,
    limitRanger,
    serviceAccount(random),
    priority,
    defaultTolerationSeconds,
    defaultStorageClass,
    storageObjectInUseProtection,
    persistentVolumeClaimResize,
    crdCleanup,
    ...(webhooks ? [mutatingWebhooks(webhooks), validatingPolicies(webhooks), validatingWebhooks(webhooks)] : []),
    resourceQuota,
  ];
}
