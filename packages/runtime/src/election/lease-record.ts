import { formatMicroTime } from '../core/index.ts';
import type { Lease } from './lease.ts';

/** Who writes a lease, and how long it is to hold. */
export interface Claimant {
  readonly namespace: string;
  readonly lease: string;
  readonly identity: string;
  /** Milliseconds. */
  readonly leaseDuration: number;
}

/** In a lease that was deleted and put back by one who did not hold it. */
const unknownHolder = 'unknown-after-deletion';

/** The lease as `claimant` takes or renews it. @param now wall time @param found as the server has it; absent: there is none */
export function claimed(found: Lease | undefined, claimant: Claimant, now: number): Lease {
  const { namespace, lease, identity, leaseDuration } = claimant;
  const time = formatMicroTime(now);
  const ours = found?.spec?.holderIdentity === identity;
  const transitions = found?.spec?.leaseTransitions ?? 0;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: found?.metadata ?? { name: lease, namespace },
    spec: {
      ...found?.spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDuration / 1000),
      acquireTime: ours ? (found?.spec?.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: found && !ours ? transitions + 1 : transitions,
    },
  };
}

/** A lease that somebody deleted, put back as held by nobody known, so that it is taken only when its time is over. */
export function heldByUnknown({ spec }: Lease, claimant: Claimant, now: number): Lease {
  const { namespace, lease, leaseDuration } = claimant;
  const duration = Math.ceil(leaseDuration / 1000);
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: lease, namespace },
    spec: { ...spec, holderIdentity: unknownHolder, leaseDurationSeconds: duration, renewTime: formatMicroTime(now) },
  };
}

/** The lease as its holder gives it back. Without a holder rather than an empty one: every server takes it, and to every elector it is free. */
export function released(found: Lease, now: number): Lease {
  const { holderIdentity: _us, ...rest } = found.spec ?? {};
  return { ...found, spec: { ...rest, leaseDurationSeconds: 1, renewTime: formatMicroTime(now) } };
}
