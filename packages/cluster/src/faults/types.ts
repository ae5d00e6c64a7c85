/** Text to be matched whole, where `*` stands for any characters; of several one must match. */
export type Pattern = string | readonly string[];

/** Which requests a rule is for: those that match everything that is said. */
export interface FaultMatch {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; `get` for discovery. */
  readonly verb?: Pattern;
  /** Plural: `pods`. With it (or group, subresource, namespace, name) only requests for resources match. */
  readonly resource?: Pattern;
  /** `''` is the core group. */
  readonly group?: Pattern;
  /** `status`, `scale`, `eviction` …; `''` is the object itself. Absent: both. */
  readonly subresource?: Pattern;
  /** `''` is no namespace: cluster scope, and lists over all namespaces. */
  readonly namespace?: Pattern;
  /** For a create the name in its body. */
  readonly name?: Pattern;
  /** As authenticated: `kubernetes-admin`, `system:serviceaccount:ns:name`, `system:kube-controller-manager` … */
  readonly user?: Pattern;
  readonly userAgent?: Pattern;
}

/** Which of the matching requests fail: those for which everything that is said holds. Default: all. */
export interface FaultWhen {
  /** Only the n-th, from 1. */
  readonly nth?: number;
  /** The n-th, 2n-th … */
  readonly every?: number;
  /** From 0 to 1. */
  readonly probability?: number;
  /** At most so many. */
  readonly times?: number;
  /** Not before so many milliseconds after the rule was added. */
  readonly after?: number;
  /** Not from so many milliseconds after the rule was added. */
  readonly until?: number;
}

/**
 * How a watch is disturbed; only watches match such a rule.
 * - `drop`: ends `ms` after it was opened (default 0: with its first events, which are lost to it);
 * - `delay`: all that it says comes `ms` later (default 1000);
 * - `duplicate`: each change is told twice;
 * - `reorderless-late`: each batch waits a time of its own, up to `ms` (default 1000), but never overtakes another.
 */
export type WatchFault = 'drop' | 'delay' | 'duplicate' | 'reorderless-late';

/** What happens instead of, or to, the request. */
export type FaultAction =
  /** It is held up for so many milliseconds, then goes on (to the next rule). */
  | { readonly latency: number }
  /** It is refused, and nothing is done. `retryAfter` in seconds; default 1 for 429, else none. */
  | { readonly status: 409 | 410 | 429 | 500 | 503 | 504; readonly retryAfter?: number }
  /** The connection breaks before anything is done. */
  | { readonly reset: true }
  /** It is done, then the connection breaks. */
  | { readonly loseReply: true }
  | { readonly watch: WatchFault; readonly ms?: number };

/** Plain JSON, so that rules can be sent to a server in another process. */
export interface FaultRule {
  /** Default: every request. */
  readonly match?: FaultMatch;
  readonly when?: FaultWhen;
  readonly action: FaultAction;
}

export interface FaultCounts {
  /** Requests that matched. */
  readonly matched: number;
  /** Of these, how many the fault was done to. */
  readonly fired: number;
}

/** A rule in force. */
export interface FaultHandle {
  readonly id: string;
  readonly rule: FaultRule;
  readonly counts: FaultCounts;
  /** Takes the rule away; what it has begun (a delayed watch) goes on. Twice does nothing. */
  remove(): void;
}

/**
 * The rules of a server. A request meets them in the order in which they were added, until one ends it; later rules do not
 * see it. Health, metrics and the server's own `/_coxswain/…` are never disturbed.
 */
export interface Faults {
  /** @throws ApiError 400 when the rule is not one: the message says where */
  add(rule: FaultRule): FaultHandle;
  list(): readonly FaultHandle[];
  /** Takes all rules away; answers how many there were. */
  clear(): number;
}
