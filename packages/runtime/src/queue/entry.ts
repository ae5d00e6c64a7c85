import type { HeapEntry } from './heap.ts';
import type { Lane } from './lane.ts';

/** A delayed add of one key. */
export interface Delay extends HeapEntry {
  readonly entry: Entry;
  /** Where it is put when it is due. */
  lane: Lane;
}

/**
 * Why a key has a delay, each on its own so that none takes another's place: `later` was asked for by hand, `again` by the outcome of the
 * last run, `burst` collects events.
 */
export type Slot = 'later' | 'again' | 'burst';

export interface Entry extends Record<Slot, Delay | undefined> {
  readonly key: string;
  /** Waiting in this lane; while the key is worked: to be put there when done. */
  lane: Lane | undefined;
  /** When it began to wait in its lane. Lane items made at another time are void. */
  since: number;
  added: number;
  working: boolean;
  started: number;
  failures: number;
}

export interface Ticket {
  readonly entry: Entry;
  readonly since: number;
}

export function newEntry(key: string): Entry {
  return {
    key,
    lane: undefined,
    since: 0,
    added: 0,
    working: false,
    started: 0,
    failures: 0,
    later: undefined,
    again: undefined,
    burst: undefined,
  };
}
