/**
 * The life of a manager:
 * - `new`: controllers and runnables are declared.
 * - `starting`: caches fill, and the lease is waited for. A standby stays here, warm.
 * - `running`: workers run.
 * - `stopping`: sources, workers, lease, events and caches end, in this order.
 * - `stopped`: final.
 */
export type ManagerState = 'new' | 'starting' | 'running' | 'stopping' | 'stopped';
