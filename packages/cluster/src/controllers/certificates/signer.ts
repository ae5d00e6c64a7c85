import { CertificateSigningRequest } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler } from '@coxswain/runtime/controller';
import { formatTime, keyOf } from '@coxswain/runtime/core';
import type { Authority } from '@coxswain/runtime/pki';
import { hasCondition, requestIn, signerFaults } from './request.ts';
import { keyUses } from './usages.ts';

const minute = 60_000;
const hour = 60 * minute;
const longest = 365 * 24 * hour;
const shortest = 10 * minute;
/** Clocks of those who read a certificate may be behind. */
const backdate = 5 * minute;
/** Certificates that live shorter than this get their whole time. */
const short = 8 * hour;

/** How long a certificate is to live, in milliseconds: as asked, between ten minutes and a year. */
function lifetime(expirationSeconds: number | undefined): number {
  if (expirationSeconds === undefined) return longest;
  return Math.max(shortest, Math.min(longest, expirationSeconds * 1000));
}

/** Signs approved requests with the cluster's authority, or says why it does not. */
export class Signer implements Reconciler {
  readonly #authority: Pick<Authority, 'signRequest' | 'notAfter'>;

  constructor(authority: Pick<Authority, 'signRequest' | 'notAfter'>) {
    this.#authority = authority;
  }

  async reconcile({ cache, client, clock, key }: ReconcileContext): Promise<undefined> {
    const csr = cache.store(CertificateSigningRequest).get(key);
    if (!csr || csr.status?.certificate) return undefined;
    if (!hasCondition(csr, 'Approved') || hasCondition(csr, 'Denied') || hasCondition(csr, 'Failed')) return undefined;
    const faultOf = signerFaults[csr.spec.signerName];
    const request = requestIn(csr);
    if (!faultOf || !request) return undefined;
    const { usages = [], expirationSeconds } = csr.spec;
    const fault = faultOf(request, usages);
    const now = clock.now();
    const ttl = lifetime(expirationSeconds);
    const notAfter = Math.min(this.#authority.notAfter, now + ttl - (ttl < short ? 0 : backdate));
    const status = fault
      ? { conditions: [...(csr.status?.conditions ?? []), failure(fault, now)] }
      : {
          certificate: Buffer.from(
            this.#authority.signRequest(request, { uses: keyUses(usages), notBefore: now - backdate, notAfter }),
          ).toString('base64'),
        };
    const { uid, resourceVersion } = csr.metadata;
    await client
      .of(CertificateSigningRequest)
      .patch(keyOf(csr), merge({ metadata: { uid, resourceVersion }, status }), { subresource: 'status' });
    return undefined;
  }
}

function failure(message: string, now: number): object {
  const at = formatTime(now);
  return {
    type: 'Failed',
    status: 'True',
    reason: 'SignerValidationFailure',
    message,
    lastUpdateTime: at,
    lastTransitionTime: at,
  };
}
