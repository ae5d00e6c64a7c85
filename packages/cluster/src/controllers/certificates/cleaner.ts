import { X509Certificate } from 'node:crypto';
import { CertificateSigningRequest } from '@coxswain/k8s';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { keyOf } from '@coxswain/runtime/core';

const hour = 3_600_000;
const ended = hour;
const pending = 24 * hour;

/** Milliseconds since the epoch until which a certificate is good. */
function expiryOf(certificate: string): number {
  try {
    return Date.parse(new X509Certificate(Buffer.from(certificate, 'base64')).validTo);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** When a request is to go: what has come to an end after an hour, what waits after a day, what has expired at once. */
function dueAt({ metadata, status }: CertificateSigningRequest): number {
  const conditions = status?.conditions ?? [];
  const after = (time: string | undefined, wait: number) => (time ? Date.parse(time) + wait : Number.POSITIVE_INFINITY);
  if (conditions.length === 0) return after(metadata.creationTimestamp, pending);
  const certificate = status?.certificate;
  const dates = conditions.map(({ type, lastUpdateTime }) => {
    if (type === 'Denied' || type === 'Failed') return after(lastUpdateTime, ended);
    if (type !== 'Approved') return Number.POSITIVE_INFINITY;
    return certificate ? Math.min(after(lastUpdateTime, ended), expiryOf(certificate)) : after(lastUpdateTime, pending);
  });
  return Math.min(...dates);
}

/** Removes requests that nobody needs any more. */
export const cleaner: Reconciler = {
  async reconcile({ cache, client, clock, key }: ReconcileContext): Promise<Result> {
    const csr = cache.store(CertificateSigningRequest).get(key);
    if (!csr) return undefined;
    const left = dueAt(csr) - clock.now();
    if (left > 0) return left < 2 * pending ? { requeueAfter: left } : undefined;
    const { uid } = csr.metadata;
    await client.of(CertificateSigningRequest).delete(keyOf(csr), uid ? { preconditions: { uid } } : {});
    return undefined;
  },
};
