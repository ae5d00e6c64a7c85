import type { Pattern } from '../../faults/index.ts';

/** Which containers a stage is for: those that are all that is said. */
export interface StageMatch {
  readonly namespace?: Pattern;
  readonly pod?: Pattern;
  readonly container?: Pattern;
  readonly image?: Pattern;
  readonly node?: Pattern;
  /** A selector over the pod's labels: `app=web,tier!=db`. */
  readonly labels?: string;
}

/** Which runs of those. */
export interface StageWhen {
  /** Only the first so many runs of each container; for `pull`, pulls. Default: all. */
  readonly times?: number;
  /** Of how many, drawn for each run; default 1. */
  readonly probability?: number;
}

/** How long something takes, in milliseconds. */
export interface StageDelay {
  /** Default 0. */
  readonly delay?: number;
  /** So much more at most, drawn for each run. Default 0. */
  readonly jitter?: number;
}

/** When a probe fails, in milliseconds since the start of a run. */
export interface StageProbe {
  /** Default 0. */
  readonly from?: number;
  /** How long; default for ever. */
  readonly for?: number;
  /** Again every so often, counted from `from`. Default: once. */
  readonly every?: number;
}

/**
 * What becomes of containers on simulated nodes, by rule; plain JSON. Of each part (`pull`, `start`, …) the first stage counts that matches
 * and has it; what no stage says is as without stages. Chance is drawn from the cluster's `random`.
 */
export interface Stage {
  readonly match?: StageMatch;
  readonly when?: StageWhen;
  /** With `error` the pull fails with these words. */
  readonly pull?: StageDelay & { readonly error?: string };
  /** With `error` the container cannot be started, and that is why. */
  readonly start?: StageDelay & { readonly error?: string };
  /** It ends by itself, `delay` after its start. `code` is 0 and `reason` `Completed` or `Error` unless they are said. */
  readonly exit?: StageDelay & { readonly code?: number; readonly reason?: string };
  /** How it ends when it is asked to: after `delay`, with `code` (default 0), or with `deaf` only when its grace is over. */
  readonly stop?: StageDelay & { readonly code?: number; readonly deaf?: boolean };
  /** Its probes are asked, and fail then. */
  readonly probes?: {
    readonly startup?: StageProbe;
    readonly liveness?: StageProbe;
    readonly readiness?: StageProbe;
  };
}
