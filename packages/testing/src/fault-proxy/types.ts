import type { Clock } from '@coxswain/runtime/core';

/** Which requests a fault is for: those that match everything that is said. */
export interface RequestFilter {
  /** As RBAC says them: `get`, `list`, `watch`, `create` …; one of several. */
  readonly verb?: string | readonly string[];
  /** Plural: `configmaps`. */
  readonly resource?: string;
  /** Prefix of the user agent. */
  readonly userAgent?: string;
  /** Whether it is a watch that goes on from a version, and no streamed list. */
  readonly resumes?: boolean;
}

/** What goes wrong. Plain JSON, so that a script can be kept and played again. Times are milliseconds. */
export type NetworkFault =
  /** All connections break at once, with RST. */
  | { readonly fault: 'reset' }
  /**
   * The other end is lost: for `ms` nothing passes and nobody is told. New connections are held until then; those that were open stay
   * silent for good, and break when the client says something on them.
   */
  | { readonly fault: 'halfOpen'; readonly ms: number }
  /** For `lasts`, all bytes arrive `ms` later, in both directions. */
  | { readonly fault: 'delay'; readonly ms: number; readonly lasts: number }
  /** For `lasts`, the client reads no faster than this. */
  | { readonly fault: 'slow'; readonly bytesPerSecond: number; readonly lasts: number }
  /** The next `times` (default 1) pieces of matching answers (default: watches) end in their middle, and the connection with them. */
  | { readonly fault: 'truncate'; readonly times?: number; readonly match?: RequestFilter }
  /**
   * For `lasts`, matching requests (default: all; the first `times` of them) are answered so and not done. `retryAfter` in seconds.
   * `inStream`: as a watch that was opened, tells the status as an ERROR event and ends.
   */
  | {
      readonly fault: 'answer';
      readonly status: 410 | 429 | 500 | 503;
      readonly retryAfter?: number;
      readonly match?: RequestFilter;
      readonly lasts: number;
      readonly times?: number;
      readonly inStream?: boolean;
    };

/** A fault, and when it comes: milliseconds after the script began. */
export interface ScriptedFault {
  readonly at: number;
  readonly what: NetworkFault;
}

/** Faults and their times, played in order. */
export type FaultScript = readonly ScriptedFault[];

/** Since the start. */
export interface ProxyCounts {
  readonly connections: number;
  readonly requests: number;
  /** Lists, pages counted each, and streamed lists (`sendInitialEvents`). */
  readonly lists: number;
  /** Watches opened, streamed lists included. */
  readonly watches: number;
  readonly writes: number;
  /** Connections broken, lost or cut, and requests answered in place of the server. */
  readonly disturbed: number;
}

/** Which server the proxy stands before. */
export interface FaultProxyOptions {
  /** Of the server to stand before, YAML; its credentials are the ones the proxy uses. */
  readonly kubeconfig: string;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** A proxy on a free port of 127.0.0.1. Upgrades (exec, port-forward) and HTTP/2 do not go through it. */
export interface FaultProxy extends AsyncDisposable {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** A kubeconfig (YAML) for clients of the proxy. Holds a secret. */
  kubeconfig(): string;
  readonly counts: ProxyCounts;
  /** Begins a fault; it ends by itself. */
  inject(fault: NetworkFault): void;
  /** Injects each fault of a script at its time. Resolves when the last has begun, or the signal is aborted. */
  play(script: FaultScript, signal?: AbortSignal): Promise<void>;
  /** Ends all faults that last. Connections that are lost stay so. */
  calm(): void;
  /** Breaks all connections and frees the ports. */
  stop(): Promise<void>;
}
