import type { Clock, Timer } from '@coxswain/runtime/core';
import { PriorityHeap } from './priority-heap.ts';
import type { PodInfo } from './state/pod-info.ts';

/** What has happened in the cluster that may make room for a pod. */
export type ClusterEvent =
  | 'node-added'
  | 'node-capacity'
  | 'node-labels'
  | 'node-taints'
  | 'node-gone'
  | 'pod-placed'
  | 'pod-gone'
  | 'pod-labels'
  | 'claim'
  | 'volume'
  | 'storage-class'
  | 'csi-node'
  | 'namespace';

/** A pod that waits for a node. */
export interface Waiting {
  info: PodInfo;
  /** Attempts that found no node. */
  attempts: number;
  /** Order of arrival among pods of the same priority. */
  order: number;
  /** Plugins that stood against it at the last attempt; empty: an error did. */
  rejectedBy: ReadonlySet<string>;
}

/** By which events a plugin's rejection may be undone. */
const helps: Readonly<Record<string, readonly ClusterEvent[]>> = {
  NodeName: ['node-added'],
  NodeUnschedulable: ['node-added', 'node-taints'],
  TaintToleration: ['node-added', 'node-taints'],
  NodeAffinity: ['node-added', 'node-labels'],
  NodePorts: ['node-added', 'pod-gone'],
  NodeResourcesFit: ['node-added', 'node-capacity', 'pod-gone'],
  VolumeRestrictions: ['pod-gone', 'claim'],
  NodeVolumeLimits: ['node-added', 'pod-gone', 'csi-node', 'claim', 'volume'],
  VolumeBinding: ['node-added', 'node-labels', 'claim', 'volume', 'storage-class', 'csi-node'],
  VolumeZone: ['node-added', 'node-labels', 'claim', 'volume', 'storage-class'],
  PodTopologySpread: ['node-added', 'node-labels', 'node-taints', 'node-gone', 'pod-placed', 'pod-gone', 'pod-labels'],
  InterPodAffinity: ['node-added', 'node-labels', 'pod-placed', 'pod-gone', 'pod-labels', 'namespace'],
};

const firstBackoff = 1_000;
const longestBackoff = 10_000;
/** Milliseconds after which a pod that no event has helped is tried again all the same. */
const longestWait = 300_000;
const flushEvery = 30_000;

/**
 * The pods that wait for a node: the most important first, then the one that waits longest. A pod for which there was no node rests
 * until something happens that may help it; one that failed with an error rests for a time that doubles from 1 s to 10 s.
 */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #active = new PriorityHeap(before);
  readonly #known = new Map<string, Waiting>();
  readonly #resting = new Map<string, { readonly entry: Waiting; readonly since: number }>();
  /** Resting pods by the plugins that stood against them. */
  readonly #byPlugin = new Map<string, Set<Waiting>>();
  readonly #blocked = new Set<string>();
  readonly #missed = new Set<string>();
  readonly #timers = new Map<string, Timer>();
  #wake: (() => void) | undefined;
  #order = 0;
  #flush: Timer | undefined;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get idle(): boolean {
    return this.#active.size === 0;
  }

  /** A pod is there to be placed, or has changed itself. */
  add(info: PodInfo): void {
    const known = this.#known.get(info.key);
    if (known && known.info.uid === info.uid) {
      known.info = info;
      return;
    }
    if (known) this.remove(info.key);
    const entry: Waiting = { info, attempts: 0, order: this.#order++, rejectedBy: new Set() };
    this.#known.set(info.key, entry);
    this.#activate(entry);
  }

  /** The pod has a node, or is gone, or may not be placed. */
  remove(key: string): void {
    const entry = this.#known.get(key);
    if (!entry) return;
    this.#known.delete(key);
    this.#stopResting(entry);
    this.#active.delete(entry);
  }

  /** The next pod to be placed; `undefined` when none is. It is the caller's until it is given back by {@link rest} or removed. */
  take(): Waiting | undefined {
    return this.#active.take();
  }

  /** No node was found. With no plugins the reason was an error, and time alone helps. */
  rest(entry: Waiting, rejectedBy: ReadonlySet<string>): void {
    const { key } = entry.info;
    if (this.#known.get(key) !== entry) return;
    entry.attempts++;
    entry.order = this.#order++;
    entry.rejectedBy = rejectedBy;
    this.#resting.set(key, { entry, since: this.#clock.monotonic() });
    for (const plugin of rejectedBy) this.#restingBy(plugin).add(entry);
    if (rejectedBy.size === 0) {
      const wait = Math.min(longestBackoff, firstBackoff * 2 ** (entry.attempts - 1));
      this.#timers.get(key)?.cancel();
      this.#timers.set(
        key,
        this.#clock.after(wait, () => this.activate(key)),
      );
    }
    if (!this.#closed) this.#flush ??= this.#clock.after(flushEvery, () => this.#flushLeftover());
  }

  /** Something has happened; pods it may help are tried again. `concerns` narrows them down, asked for each plugin that stood against them. */
  happened(event: ClusterEvent, concerns: (plugin: string, entry: Waiting) => boolean = () => true): void {
    for (const [plugin, entries] of this.#byPlugin) {
      if (!helps[plugin]?.includes(event)) continue;
      for (const entry of [...entries]) if (concerns(plugin, entry)) this.activate(entry.info.key);
    }
  }

  /** Tries a pod again now. */
  activate(key: string): void {
    const resting = this.#resting.get(key);
    if (!resting) return;
    if (this.#blocked.has(key)) {
      this.#missed.add(key);
      return;
    }
    this.#stopResting(resting.entry);
    this.#activate(resting.entry);
  }

  /** Keeps a pod back until the function returned is called; if something happened for it meanwhile, it is tried then. */
  block(key: string): () => void {
    this.#blocked.add(key);
    return () => {
      this.#blocked.delete(key);
      if (this.#missed.delete(key)) this.activate(key);
    };
  }

  /** Resolves when there may be work. */
  wait(): Promise<void> {
    if (this.#active.size > 0 || this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  close(): void {
    this.#closed = true;
    this.#flush?.cancel();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#wake?.();
  }

  get closed(): boolean {
    return this.#closed;
  }

  #activate(entry: Waiting): void {
    this.#active.add(entry);
    this.#wake?.();
    this.#wake = undefined;
  }

  #restingBy(plugin: string): Set<Waiting> {
    const entries = this.#byPlugin.get(plugin) ?? new Set();
    this.#byPlugin.set(plugin, entries);
    return entries;
  }

  #stopResting(entry: Waiting): void {
    const { key } = entry.info;
    this.#resting.delete(key);
    this.#missed.delete(key);
    for (const plugin of entry.rejectedBy) this.#byPlugin.get(plugin)?.delete(entry);
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
  }

  #flushLeftover(): void {
    this.#flush = undefined;
    const now = this.#clock.monotonic();
    for (const [key, { since }] of [...this.#resting]) if (now - since > longestWait) this.activate(key);
    if (this.#resting.size > 0 && !this.#closed)
      this.#flush = this.#clock.after(flushEvery, () => this.#flushLeftover());
  }
}

function before(a: Waiting, b: Waiting): boolean {
  return a.info.priority > b.info.priority || (a.info.priority === b.info.priority && a.order < b.order);
}
