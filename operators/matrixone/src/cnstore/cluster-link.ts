import { abortable, type Clock } from '@coxswain/runtime/core';
import type { ClusterDetails, CnLabels, HaKeeper, WorkState } from '../mo/index.ts';

/** Milliseconds for which what HAKeeper said is not asked again: it answers these questions one after the other. */
const fresh = 1_000;

type Node = ClusterDetails['cnStores'][number];
type Change = (details: ClusterDetails) => ClusterDetails;

/**
 * One cluster's HAKeeper, and what it last said. All who ask within a second share one answer, in which our own writes
 * show at once.
 */
export class ClusterLink {
  readonly #keeper: HaKeeper;
  readonly #clock: Clock;
  #last: { readonly at: number; readonly details: ClusterDetails } | undefined;
  #reading: Promise<ClusterDetails> | undefined;
  /** What was written since the question under way was sent; its answer may not show it. */
  #written: Change[] = [];
  /** Writes that may or may not have been done. */
  #doubts = 0;

  constructor(keeper: HaKeeper, clock: Clock) {
    this.#keeper = keeper;
    this.#clock = clock;
  }

  /**
   * All stores of the cluster.
   * @param age milliseconds since when they may be known; default and least a second
   * @throws as `HaKeeper` does
   */
  async details(signal: AbortSignal, age = fresh): Promise<ClusterDetails> {
    const last = this.#last;
    if (last && this.#clock.monotonic() - last.at < Math.max(age, fresh)) return last.details;
    this.#reading ??= this.#read();
    // Not the signal of whoever asks first: others wait for the same answer.
    return abortable(this.#reading, signal);
  }

  /** Sets a node's state and, when they are given, its labels. @throws as `HaKeeper.patchCnStore` does */
  async patch(uuid: string, workState: WorkState, labels: CnLabels | undefined, signal: AbortSignal): Promise<void> {
    const lists = labels && new Map([...labels].map(([key, values]) => [key, { labels: [...values] }]));
    const patched = (node: Node): Node => ({ ...node, workState, ...(lists ? { labels: lists } : {}) });
    await this.#write(
      () => this.#keeper.patchCnStore(uuid, workState, labels, { signal }),
      (details) => ({
        ...details,
        cnStores: details.cnStores.map((node) => (node.uuid === uuid ? patched(node) : node)),
      }),
    );
  }

  /** Makes HAKeeper forget a node. */
  async remove(uuid: string, signal: AbortSignal): Promise<void> {
    await this.#write(
      () => this.#keeper.deleteCnStore(uuid, { signal }),
      (details) => ({ ...details, cnStores: details.cnStores.filter((node) => node.uuid !== uuid) }),
    );
  }

  async #write(write: () => Promise<void>, change: Change): Promise<void> {
    try {
      await write();
    } catch (error) {
      // It may have been done all the same.
      this.#doubts++;
      this.#last = undefined;
      throw error;
    }
    this.#written.push(change);
    if (this.#last) this.#last = { ...this.#last, details: change(this.#last.details) };
  }

  async #read(): Promise<ClusterDetails> {
    const doubts = this.#doubts;
    this.#written = [];
    try {
      const said = await this.#keeper.clusterDetails();
      const details = this.#written.reduce((before, change) => change(before), said);
      if (doubts === this.#doubts) this.#last = { at: this.#clock.monotonic(), details };
      return details;
    } finally {
      this.#reading = undefined;
    }
  }
}
