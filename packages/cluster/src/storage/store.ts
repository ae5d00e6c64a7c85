import type { KubeObject } from '@coxswain/k8s';
import { stringifyJson } from '@coxswain/runtime/client';
import { expired } from '@coxswain/runtime/core';
import { Change } from './change.ts';
import { deepFreeze } from './deep-freeze.ts';
import { History } from './history.ts';
import type { Journal } from './journal.ts';
import { type HistoryOptions, historyDefaults, type StorageOptions } from './options.ts';
import { PastView } from './past-view.ts';
import { RecentObjects } from './recent-objects.ts';
import { SortedKeys } from './sorted-keys.ts';
import { State } from './stored-object.ts';
import { Subscribers } from './subscribers.ts';
import { Timeline } from './timeline.ts';
import { checkSize } from './too-large.ts';
import type {
  Storage,
  StorageEvent,
  StorageKey,
  StoragePage,
  StorageScope,
  StorageSubscription,
  StoredObject,
} from './types.ts';

/** All objects of one resource. Ids are `namespace/name`, or `name` for cluster scope: their order is that of real listings. */
interface Table {
  readonly states: Map<string, StoredObject>;
  readonly ids: SortedKeys;
  readonly history: History;
  /** Of the revision that was listed last. */
  past?: PastView;
}

interface Range {
  readonly start: string;
  /** Exclusive. */
  readonly end: string | undefined;
}

/** Revision of an empty store: 0 means "any" to clients, so the first one to be seen is 1. */
export const firstRevision = 1;

/** Bytes of text of the objects that are kept beside it. */
const recentBytes = 16 * 1024 * 1024;

export function idOf(key: StorageKey): string {
  return key.namespace === '' ? key.name : `${key.namespace}/${key.name}`;
}

function rangeOf(namespace: string | undefined, after: string | undefined): Range {
  // '0' is the character after '/': together they enclose the ids of one namespace.
  const [start, end] = namespace ? [`${namespace}/`, `${namespace}0`] : ['', undefined];
  if (after === undefined) return { start, end };
  const next = `${after.startsWith('/') ? after.slice(1) : after}\0`;
  return { start: next > start ? next : start, end };
}

function within(id: string, range: Range): boolean {
  return id >= range.start && (range.end === undefined || id < range.end);
}

/** The objects, in memory. With a journal every commit is also handed to it. */
export class Store implements Storage {
  readonly #limits: Required<HistoryOptions>;
  readonly #tables = new Map<string, Table>();
  readonly #recent: RecentObjects;
  readonly #subscribers: Subscribers;
  readonly #timeline: Timeline;
  #journal: Journal | undefined;
  #revision = firstRevision;
  /** Lists of the past start here or later. */
  #floor = 0;
  /** Watches of resources without recorded events start here or later. */
  #baseFloor = 0;
  #closed: Promise<void> | undefined;

  constructor(options: Pick<StorageOptions, 'clock' | 'log' | 'history' | 'recentBytes'>) {
    this.#recent = new RecentObjects(options.recentBytes ?? recentBytes);
    this.#limits = { ...historyDefaults, ...options.history };
    this.#subscribers = new Subscribers(options.log);
    this.#timeline = new Timeline(options.clock, this.#limits.age);
  }

  get revision(): number {
    return this.#revision;
  }

  get compacted(): number {
    return this.#floor;
  }

  get(key: StorageKey): KubeObject | undefined {
    return this.find(key)?.object;
  }

  find(key: StorageKey): StoredObject | undefined {
    return this.#tables.get(key.resource)?.states.get(idOf(key));
  }

  get fault(): string | undefined {
    try {
      this.#checkWritable();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  list(
    resource: string,
    options: { namespace?: string; after?: string; limit?: number; revision?: number } = {},
  ): StoragePage {
    const revision = Math.min(options.revision ?? this.#revision, this.#revision);
    if (revision < this.#revision) this.#checkAge(resource, revision);
    const table = this.#tables.get(resource);
    if (!table) return pageWith([], revision, 0);
    const past = revision < this.#revision ? pastOf(table, revision) : noChanges;
    const range = rangeOf(options.namespace, options.after);
    const { states, remaining } = pageOf(table, past, range, options.limit || undefined);
    return pageWith(states, revision, remaining);
  }

  put(key: StorageKey, object: KubeObject): KubeObject {
    this.#checkWritable();
    const table = this.#table(key.resource);
    const id = idOf(key);
    const before = table.states.get(id);
    const { resource, namespace, name } = key;
    const { state, stored } = this.#stamp(before?.key ?? { resource, namespace, name }, object);
    table.states.set(id, state);
    if (!before) table.ids.add(id);
    this.#commit(table, new Change(before ? 'updated' : 'created', state, before));
    return stored;
  }

  delete(key: StorageKey): KubeObject {
    const table = this.#table(key.resource);
    const id = idOf(key);
    const before = table.states.get(id);
    if (!before) throw new Error(`storage: ${key.resource} has no ${id} to delete`);
    this.#checkWritable();
    const { state, stored } = this.#stamp(before.key, before.object);
    table.states.delete(id);
    table.ids.delete(id);
    this.#commit(table, new Change('deleted', state, before));
    return stored;
  }

  subscribe(
    resource: string,
    since: number,
    onEvent: (event: StorageEvent) => void,
    scope: StorageScope = {},
  ): StorageSubscription {
    const table = this.#table(resource);
    table.history.trim(this.#limits, this.#timeline.note(this.#revision));
    if (since < table.history.floor) throw tooOld(since, table.history.floor);
    return this.#subscribers.add({ resource, ...scope }, since, (revision) => table.history.after(revision), onEvent);
  }

  resources(): readonly string[] {
    return [...this.#tables].filter(([, table]) => table.states.size > 0).map(([resource]) => resource);
  }

  compact(revision: number): void {
    const floor = Math.min(revision, this.#revision);
    this.#floor = Math.max(this.#floor, floor);
    this.#baseFloor = Math.max(this.#baseFloor, floor);
    for (const table of this.#tables.values()) {
      table.history.compact(floor);
      delete table.past;
    }
  }

  flushed(): Promise<void> {
    return this.#journal ? this.#journal.flushed() : Promise.resolve();
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#subscribers.clear();
      this.#closed = this.#journal ? this.#journal.close() : Promise.resolve();
    }
    return this.#closed;
  }

  /** Puts back what a data directory held, before anything else happens. History starts here. */
  restore(revision: number, entries: Iterable<readonly [StorageKey, Buffer]>): void {
    this.#revision = Math.max(firstRevision, revision);
    this.#floor = this.#revision;
    this.#baseFloor = this.#revision;
    for (const [key, json] of entries) {
      const table = this.#table(key.resource);
      table.states.set(idOf(key), new State(key, json, this.#recent));
      table.ids.add(idOf(key));
    }
  }

  /** From now on commits go to `journal` too. */
  attach(journal: Journal): void {
    this.#journal = journal;
  }

  /** All objects at this moment. */
  *all(): Iterable<StoredObject> {
    for (const table of this.#tables.values()) yield* table.states.values();
  }

  #table(resource: string): Table {
    let table = this.#tables.get(resource);
    if (!table) {
      table = { states: new Map(), ids: new SortedKeys(), history: new History(this.#baseFloor) };
      this.#tables.set(resource, table);
    }
    return table;
  }

  /** The object as stored by the next commit. */
  #stamp(key: StorageKey, object: KubeObject): { readonly state: State; readonly stored: KubeObject } {
    const revision = this.#revision + 1;
    const stored = deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } });
    const json = Buffer.from(stringifyJson(stored));
    checkSize(json.length + idOf(key).length + key.resource.length);
    this.#revision = revision;
    return { state: new State(key, json, this.#recent, { revision, object: stored }), stored };
  }

  #commit(table: Table, event: StorageEvent): void {
    table.history.push(event);
    this.#floor = Math.max(this.#floor, this.#timeline.note(event.revision));
    table.history.trim(this.#limits, this.#floor);
    if (table.past && table.past.revision < this.#floor) delete table.past;
    this.#journal?.append(event);
    this.#subscribers.publish(event);
  }

  #checkWritable(): void {
    if (this.#closed) throw new Error('storage: it is closed and takes no more writes');
    this.#journal?.check();
  }

  #checkAge(resource: string, revision: number): void {
    this.#floor = Math.max(this.#floor, this.#timeline.note(this.#revision));
    const floor = Math.max(this.#floor, this.#tables.get(resource)?.history.floor ?? 0);
    if (revision < floor) throw tooOld(revision, floor);
  }
}

function tooOld(revision: number, floor: number): Error {
  return expired(`too old resource version: ${revision} (${floor})`);
}

function pageWith(states: readonly StoredObject[], revision: number, remaining: number): StoragePage {
  let objects: readonly KubeObject[] | undefined;
  return {
    states,
    revision,
    remaining,
    get objects() {
      objects ??= states.map((state) => state.object);
      return objects;
    },
  };
}

type Past = Pick<PastView, 'states' | 'moved'>;
const noChanges: Past = { states: new Map(), moved: new Set() };

function pastOf(table: Table, revision: number): Past {
  if (table.past?.revision !== revision) table.past = new PastView(revision, idOf);
  return table.past.update(table.history);
}

/** One page of a table as it was in the `past`. */
function pageOf(
  table: Table,
  past: Past,
  range: Range,
  limit = Number.POSITIVE_INFINITY,
): Pick<StoragePage, 'states' | 'remaining'> {
  let total = table.ids.count(range.start, range.end);
  const gone: string[] = [];
  for (const id of past.moved) {
    if (!within(id, range)) continue;
    const then = past.states.get(id) !== undefined;
    const now = table.states.has(id);
    if (then && !now) gone.push(id);
    total += Number(then) - Number(now);
  }
  const ids = table.ids.slice(range.start, range.end, limit + past.moved.size);
  const states: StoredObject[] = [];
  for (const id of gone.length > 0 ? [...ids, ...gone].sort() : ids) {
    if (states.length >= limit) break;
    const state = past.states.has(id) ? past.states.get(id) : table.states.get(id);
    if (state) states.push(state);
  }
  return { states, remaining: total - states.length };
}
