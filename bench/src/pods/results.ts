import type { Cost } from './world.ts';

export interface Pods {
  readonly cold: Cost;
  readonly gone: Cost;
  readonly warm: Cost;
}

/** Bytes. */
export interface Memory {
  readonly heap: number;
  readonly resident: number;
}

/** Memory with one node, with `count` nodes more, and with `count` pods besides. */
export interface Sizes {
  readonly count: number;
  readonly empty: Memory;
  readonly withNodes: Memory;
  readonly withPods: Memory;
}

export interface Servers {
  readonly ready: Cost;
  readonly stop: Cost;
  /** CPU seconds of the containers' processes, all in all. */
  readonly processes: number;
}
