import { CertificateSigningRequest, type ResourceAttributes, SubjectAccessReview } from '@coxswain/k8s';
import { type Client, merge } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { keyOf } from '@coxswain/runtime/core';
import { hasCondition, kubeletClientFault, kubeletClientSigner, requestIn } from './request.ts';

/** Milliseconds until it is asked again whether somebody may have what was asked for. */
const askAgain = 60_000;

interface Recognizer {
  /** Subresource that who asks must be allowed to create. */
  readonly subresource: string;
  readonly message: string;
}

const self: Recognizer = {
  subresource: 'selfnodeclient',
  message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
};
const any: Recognizer = {
  subresource: 'nodeclient',
  message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
};

async function isAllowed(client: Client, csr: CertificateSigningRequest, subresource: string): Promise<boolean> {
  const { username = '', uid, groups = [], extra = {} } = csr.spec;
  const resourceAttributes: ResourceAttributes = {
    group: 'certificates.k8s.io',
    resource: 'certificatesigningrequests',
    subresource,
    verb: 'create',
    version: '*',
  };
  const spec = { user: username, groups, extra, resourceAttributes, ...(uid ? { uid } : {}) };
  const review = await client.of(SubjectAccessReview).create({ metadata: { name: '' }, spec });
  return review.status?.allowed ?? false;
}

/** Approves kubelets' requests for their client certificates, if who asks may have one. Serving certificates are for people to approve. */
export const approver: Reconciler = {
  async reconcile({ cache, client, key, log }: ReconcileContext): Promise<Result> {
    const csr = cache.store(CertificateSigningRequest).get(key);
    if (!csr || csr.status?.certificate || hasCondition(csr, 'Approved') || hasCondition(csr, 'Denied'))
      return undefined;
    const { signerName, usages = [], username } = csr.spec;
    const request = signerName === kubeletClientSigner ? requestIn(csr) : undefined;
    if (!request || kubeletClientFault(request, usages) !== undefined) return undefined;
    const tried = username === request.commonName ? [self, any] : [any];
    for (const { subresource, message } of tried) {
      if (!(await isAllowed(client, csr, subresource))) continue;
      const condition = { type: 'Approved', status: 'True', reason: 'AutoApproved', message };
      const { uid, resourceVersion } = csr.metadata;
      const status = { conditions: [...(csr.status?.conditions ?? []), condition] };
      await client
        .of(CertificateSigningRequest)
        .patch(keyOf(csr), merge({ metadata: { uid, resourceVersion }, status }), { subresource: 'approval' });
      return undefined;
    }
    log.debug({ csr: key.name, user: username }, 'a kubelet asks for a certificate that it may not have');
    return { requeueAfter: askAgain };
  },
};
