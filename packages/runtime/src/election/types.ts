/**
 * Where an elector stands:
 * - `standby`: another holds the lease, or none yet; it tries to acquire.
 * - `leading`: it holds the lease and may write until its local deadline, which each renewal moves on.
 * - `lost`: it led and does no more, or was stopped. Final: a process that lost should end and start afresh.
 */
export type ElectionState = 'standby' | 'leading' | 'lost';

/** Takes part in the election by one Lease object. */
export interface Elector {
  /** `namespace/lease`. */
  readonly name: string;
  readonly state: ElectionState;
  /** Whether this process may write at this very moment: leading, and before the local deadline. */
  readonly leads: boolean;
  /** Aborted, with {@link NotLeading}, the moment leadership ends. */
  readonly signal: AbortSignal;
  /** Resolves when it leads; rejects when it is stopped before. */
  readonly leading: Promise<void>;
  /** Resolves when the state becomes `lost`. */
  readonly lost: Promise<void>;
  start(): void;
  /**
   * A write is about to be sent under the lease. Call what it answers when the write has ended, with whether the server
   * answered: one that was cut off may still arrive, and until then the lease must not go to another.
   */
  writing(): (answered: boolean) => void;
  /**
   * Ends the election; a leader stops writing at once and gives the lease back, so that the next need not wait. When a
   * write was cut off a moment ago the lease is left to expire.
   */
  stop(): Promise<void>;
}
