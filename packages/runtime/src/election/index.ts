// Election: one replica leads, by a Lease, and only it writes. The fence holds even when this process was paused: it
// asks the local clock, not the server. Knows the client only.
export { LeaseElector } from './elector.ts';
export { NotLeading } from './errors.ts';
export { fenced } from './fence.ts';
export { type Guard, guardedClient, type WriteReport, type WriteTarget, withSignal } from './guard.ts';
export { type Lease, leaseKind } from './lease.ts';
export { leaseTrouble } from './lease-trouble.ts';
export { checkTimes, defaultTimes, type ElectionTimes, type ElectorOptions } from './options.ts';
export type { ElectionState, Elector } from './types.ts';
