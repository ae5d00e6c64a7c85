import type { Server } from '../test-cluster/index.ts';
import type { HeapSample } from './heap.ts';

/** What {@link EchoReport}s come from. */
export interface EchoProgramOptions {
  /** Path. */
  readonly kubeconfig: string;
  readonly namespace: string;
  /** Its field manager, and what its ConfigMaps say as `by`. */
  readonly identity: string;
  /** Name of the election's Lease; absent: it leads at once. */
  readonly lease?: string;
  /** Milliseconds a call may take; default the client's 30 000. */
  readonly callTimeout?: number;
  /** Milliseconds of silence after which a watch is dead; default the transport's. */
  readonly watchIdle?: number;
}

/** A line of the operator: its caches are full; it works; or what it has done so far. */
export type EchoReport =
  | { readonly report: 'warm' | 'leads' }
  | {
      readonly report: 'stats';
      /** What was asked. */
      readonly id: string;
      readonly passes: number;
      /** Bytes in use after a collection. */
      readonly heap: number;
    };

/** How large the world is, how often each fault comes and how long it lasts. */
export interface FaultRunOptions {
  readonly server: Server;
  /** Echoes in the world, of which a tenth changes during each fault. */
  readonly objects: number;
  /** How often each fault comes. */
  readonly cycles: number;
  /** Milliseconds that half-open and 429 last. */
  readonly lasts: number;
  /** As the operator's program has them. */
  readonly callTimeout?: number;
  readonly watchIdle?: number;
  /** Milliseconds until what is not right counts as missed. */
  readonly patience: number;
  /** Told what is done, a line each. Default: nobody. */
  readonly say?: (line: string) => void;
}

/** What one kind of fault did, over all cycles. */
export interface FaultResult {
  readonly fault: string;
  readonly cycles: number;
  /** Objects changed meanwhile. */
  readonly changed: number;
  /** Of these, not right in time. */
  readonly missed: number;
  /** Milliseconds from the fault's beginning until everything was right: the median and the longest. */
  readonly median: number;
  readonly longest: number;
  /** Lists that the operator asked for, streamed ones included. */
  readonly lists: number;
  /** As many lists as the fault must lead to at least. */
  readonly listsWanted: number;
  /** Passes beyond one for each change. */
  readonly repeats: number;
  /** Of the operator, at a tenth of the cycles, in their middle and at their end. */
  readonly heap: readonly HeapSample[];
}
