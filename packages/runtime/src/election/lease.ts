import type { Kind, KubeObject } from '@coxswain/k8s';

/** `coordination.k8s.io/v1` Lease. Times are MicroTime. */
export interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** The Lease of `coordination.k8s.io/v1`, as far as an election needs it. */
export const leaseKind: Kind<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
};
