import type { Random } from '@coxswain/runtime/core';
import type { Authorizer } from '../authorization/index.ts';
import type { AdmissionPlugin, Registry } from '../types.ts';
import { alwaysPullImages } from './always-pull.ts';
import { certificatePlugins } from './certificates.ts';
import { paramRights } from './configuration/index.ts';
import { defaultTolerationSeconds } from './default-tolerations.ts';
import { defaultIngressClass } from './ingress-class.ts';
import { limitRanger } from './limit-range/index.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { nodeRestriction } from './node-restriction/index.ts';
import { taintNodesByCondition } from './node-taint.ts';
import { ownerReferencesPermission } from './owner-references.ts';
import { nodeDeclaredFeatures, podResizeValidator } from './pod-resize.ts';
import { podSecurity } from './pod-security/index.ts';
import { mutatingPolicies, validatingPolicies } from './policy/index.ts';
import { priority } from './priority.ts';
import { resourceQuota } from './quota/index.ts';
import { runtimeClass } from './runtime-class.ts';
import { serviceAccount } from './service-account.ts';
import { defaultStorageClass, persistentVolumeClaimResize, storageObjectInUseProtection } from './storage-class.ts';
import { podTopologyLabels } from './topology-labels.ts';
import { mutatingWebhooks, validatingWebhooks, type WebhookContext } from './webhook/index.ts';

/** Links that a plain Kubernetes has too, but only when asked for. */
export type OptionalPlugin = 'AlwaysPullImages' | 'NodeRestriction' | 'OwnerReferencesPermissionEnforcement';

export interface AdmissionOptions {
  readonly random: Random;
  /** Absent: webhook configurations and policies are stored and do nothing. */
  readonly webhooks?: WebhookContext;
  /** Answers who may approve, sign and attest, and own. Absent: nobody is asked. */
  readonly authorizer?: Authorizer;
  readonly registry?: Registry;
  /** Default none. */
  readonly enabled?: readonly OptionalPlugin[];
}

/** Optional links, where they belong in the order. */
function optional({ enabled = [], authorizer, registry }: AdmissionOptions) {
  const on = (name: OptionalPlugin) => enabled.includes(name);
  const owners = on('OwnerReferencesPermissionEnforcement') && authorizer && registry;
  return {
    images: on('AlwaysPullImages') ? [alwaysPullImages] : [],
    nodes: on('NodeRestriction') ? [nodeRestriction] : [],
    owners: owners ? [ownerReferencesPermission(authorizer, registry)] : [],
  };
}

/**
 * The built-in admission chain, in the real server's order (`spec/embedded.md` §1.12). Only webhooks wait, and only for writes
 * that one of them is called for.
 */
export function builtinAdmission(options: AdmissionOptions): readonly AdmissionPlugin[] {
  const { random, webhooks, authorizer, registry } = options;
  const rights = authorizer && registry ? [paramRights(authorizer, registry)] : [];
  const { images, nodes, owners } = optional(options);
  return [
    // Part of the validation of its kinds, and so ahead of every link that validates.
    ...rights,
    namespaceLifecycle,
    limitRanger,
    serviceAccount(random),
    ...nodes,
    taintNodesByCondition,
    ...images,
    podSecurity,
    priority,
    defaultTolerationSeconds,
    defaultStorageClass,
    storageObjectInUseProtection,
    ...owners,
    persistentVolumeClaimResize,
    runtimeClass,
    ...(authorizer ? certificatePlugins(authorizer) : []),
    defaultIngressClass,
    podTopologyLabels,
    nodeDeclaredFeatures,
    podResizeValidator,
    ...(webhooks
      ? [
          mutatingPolicies(webhooks),
          mutatingWebhooks(webhooks),
          validatingPolicies(webhooks),
          validatingWebhooks(webhooks),
        ]
      : []),
    resourceQuota,
  ];
}
