import type { DynamicObject, KubeObject } from '@coxswain/k8s';
import { ApiError, deepFreeze, type Timer } from '@coxswain/runtime/core';
import type { StorageEvent, StoragePage, StorageSubscription } from '../../storage/types.ts';
import type { OutgoingEvent, ResourceInfo, WatchStream } from '../types.ts';
import { isObject } from './clone.ts';
import type { ServerContext } from './context.ts';
import type { Selection } from './list-options.ts';
import type { Projector } from './projection.ts';
import { prepareServed, servedForm } from './served.ts';
import { servedTexts } from './stored-reply.ts';
import type { WatchFeed } from './watch-feed.ts';
import type { HubMember } from './watch-hub.ts';

/** How a watch starts and ends. */
export interface WatchPlan {
  readonly resource: ResourceInfo;
  readonly selection: Selection;
  /** Names what other watches of the resource see the same; absent: no other does. */
  readonly feed?: string;
  readonly projector: Projector;
  /** Send the present objects as ADDED first; the changes follow from there. */
  readonly snapshot: boolean;
  /** Without a snapshot: send what came after this revision. */
  readonly since: number;
  /** Send periodic bookmarks. */
  readonly bookmarks: boolean;
  /** Mark the end of the snapshot with a bookmark. */
  readonly endMark: boolean;
  /** Milliseconds until the stream ends. */
  readonly timeout: number;
  /** Sent as the only event instead of anything else. */
  readonly refusal: ApiError | undefined;
}

/** The last bookmark comes this long before the deadline, in milliseconds. */
const lastBookmarkLead = 2_000;

const departed = new WeakMap<object, DynamicObject>();

/** What a watcher sees of an object that left its selection: the content before, with the revision of the change. */
function departedFrom(previous: DynamicObject, revision: number): DynamicObject {
  let object = departed.get(previous);
  if (!object) {
    object = deepFreeze({ ...previous, metadata: { ...previous.metadata, resourceVersion: String(revision) } });
    departed.set(previous, object);
  }
  return object;
}

/**
 * One running watch. `new → running → ended`: `start` runs it; the deadline, a cancel, an abort, an error event or the
 * server's close end it.
 */
export class ObjectWatch implements WatchStream, HubMember {
  readonly #server: ServerContext;
  readonly #plan: WatchPlan;
  readonly #signal: AbortSignal | undefined;
  readonly #timers: Timer[] = [];
  #state: 'new' | 'running' | 'ended' = 'new';
  #subscription: StorageSubscription | undefined;
  #emit: (events: readonly OutgoingEvent[]) => void = () => {};
  #done: () => void = () => {};
  #headerSent = false;
  #feed: WatchFeed | undefined;
  /** What waits for forms that are made elsewhere, in order; absent when nothing does. */
  #backlog: StorageEvent[] | undefined;

  constructor(server: ServerContext, plan: WatchPlan, signal: AbortSignal | undefined) {
    this.#server = server;
    this.#plan = plan;
    this.#signal = signal;
  }

  get resource(): ResourceInfo {
    return this.#plan.resource;
  }

  start(onEvents: (events: readonly OutgoingEvent[]) => void, onEnd: () => void): void {
    if (this.#state === 'ended' || this.#signal?.aborted) {
      this.#state = 'ended';
      onEnd();
      return;
    }
    if (this.#state === 'running') throw new Error('a watch can be started once only');
    this.#state = 'running';
    this.#emit = onEvents;
    this.#done = onEnd;
    if (this.#plan.refusal) {
      this.#fail(this.#plan.refusal);
      return;
    }
    this.#signal?.addEventListener('abort', this.#onAbort, { once: true });
    const { watches } = this.#server;
    const { resource, feed } = this.#plan;
    watches.add(this);
    if (feed !== undefined) this.#feed = watches.feeds.take(resource, feed);
    this.#setDeadline();
    this.#run();
  }

  cancel(): void {
    this.end();
  }

  bookmark(): void {
    // A bookmark says that everything up to it has been sent.
    if (this.#state === 'running' && this.#plan.bookmarks && !this.#backlog) this.#emit([this.#bookmark({})]);
  }

  end(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#subscription?.cancel();
    for (const timer of this.#timers) timer.cancel();
    this.#signal?.removeEventListener('abort', this.#onAbort);
    const { watches } = this.#server;
    const { resource, feed } = this.#plan;
    watches.delete(this);
    if (this.#feed && feed !== undefined) watches.feeds.leave(resource, feed);
    this.#done();
  }

  readonly #onAbort = (): void => this.end();

  #setDeadline(): void {
    const { timeout, bookmarks } = this.#plan;
    const { clock } = this.#server;
    if (bookmarks && timeout > lastBookmarkLead) {
      this.#timers.push(clock.after(timeout - lastBookmarkLead, () => this.bookmark()));
    }
    this.#timers.push(clock.after(timeout, () => this.end()));
  }

  #run(): void {
    const { snapshot, resource, since, selection } = this.#plan;
    if (!snapshot) {
      this.#follow(since);
      return;
    }
    const { storage } = this.#server;
    const { namespace } = selection;
    const page = storage.list(resource.storage, namespace === undefined ? {} : { namespace });
    if (this.#sendTexts(page)) {
      this.#follow(page.revision);
      return;
    }
    const { objects } = page;
    const pending = prepareServed(resource, objects);
    if (!pending) {
      this.#sendPresent(objects, storage.revision);
      this.#follow(storage.revision);
      return;
    }
    const { revision } = storage;
    this.#backlog = [];
    this.#follow(revision);
    void pending.then(
      () => {
        if (this.#state !== 'running') return;
        this.#sendPresent(objects, revision);
        void this.#drain();
      },
      (error: unknown) => this.#failWith(error),
    );
  }

  /** The objects there are, and the mark of their end. */
  #sendPresent(present: readonly KubeObject[], revision: number): void {
    const { resource, selection, endMark } = this.#plan;
    const served = servedForm(resource);
    const events: OutgoingEvent[] = [];
    for (const stored of present) {
      const object = served(stored);
      if (!selection.matches || selection.matches(object)) events.push(this.#event('ADDED', object));
    }
    if (endMark) events.push(this.#endMark(revision));
    if (events.length > 0) this.#emit(events);
  }

  /** The same as they are stored, where that is what the watch wants. Answers whether it is. */
  #sendTexts({ states, revision }: StoragePage): boolean {
    const { resource, selection, projector, endMark } = this.#plan;
    if (selection.matches || projector.form !== 'Object' || !servedTexts(resource, states)) return false;
    const events: OutgoingEvent[] = states.map((state) => ({
      type: 'ADDED',
      json: state.json,
      get object() {
        return state.object;
      },
    }));
    if (endMark) events.push(this.#endMark(revision));
    if (events.length > 0) this.#emit(events);
    return true;
  }

  #endMark(revision: number): OutgoingEvent {
    return this.#bookmark({ 'k8s.io/initial-events-end': 'true' }, revision);
  }

  /** Everything after a revision: first the record of the past, in one batch, then what comes. */
  #follow(from: number): void {
    if (this.#state !== 'running') return;
    const { resource } = this.#plan;
    let recorded: StorageEvent[] | undefined = [];
    try {
      const onEvent = (event: StorageEvent) => {
        if (event.revision <= from || this.#state !== 'running') return;
        if (recorded) recorded.push(event);
        else if (resource.conversion?.remote) this.#queue([event]);
        else this.#emitAll([event]);
      };
      const { namespace, name } = this.#plan.selection;
      const scope = { namespace: resource.namespaced ? namespace : '', name };
      this.#subscription = this.#server.storage.subscribe(resource.storage, from, onEvent, scope);
    } catch (error) {
      this.#failWith(error);
      return;
    }
    const past = recorded;
    recorded = undefined;
    if (past.length > 0 && resource.conversion?.remote) this.#queue(past);
    else if (past.length > 0) this.#emitAll(past);
    if ((this.#state as string) === 'ended') this.#subscription.cancel();
  }

  /** Events whose forms are made elsewhere wait for them. */
  #queue(events: readonly StorageEvent[]): void {
    const mine = events.filter((event) => this.#concerns(event));
    if (this.#backlog) this.#backlog.push(...mine);
    else if (mine.length > 0) {
      this.#backlog = mine;
      void this.#drain();
    }
  }

  #emitAll(events: readonly StorageEvent[]): void {
    const outgoing: OutgoingEvent[] = [];
    for (const event of events) {
      const one = this.#outgoing(event);
      if (one) outgoing.push(one);
    }
    if (outgoing.length > 0) this.#emit(outgoing);
  }

  /** Sends the backlog as its forms get ready; what comes meanwhile queues up behind it. */
  async #drain(): Promise<void> {
    const { resource, selection } = this.#plan;
    const { matches } = selection;
    try {
      while (this.#backlog && this.#backlog.length > 0 && this.#state === 'running') {
        const events = this.#backlog;
        this.#backlog = [];
        const objects = events.flatMap(({ object, previous }) => (previous && matches ? [previous, object] : [object]));
        await prepareServed(resource, objects);
        if (this.#state === 'running') this.#emitAll(events);
      }
    } catch (error) {
      this.#failWith(error);
    }
    this.#backlog = undefined;
  }

  /** Whether an event can be of this watch, as far as its key tells. */
  #concerns({ key }: StorageEvent): boolean {
    const { namespace, name } = this.#plan.selection;
    return (namespace === undefined || key.namespace === namespace) && (name === undefined || key.name === name);
  }

  #outgoing(event: StorageEvent): OutgoingEvent | undefined {
    if (!this.#concerns(event)) return undefined;
    return this.#feed ? this.#feed.of(event, this.#seen) : this.#seen(event);
  }

  readonly #seen = (event: StorageEvent): OutgoingEvent | undefined => {
    const { resource, selection } = this.#plan;
    const { matches } = selection;
    const served = servedForm(resource);
    const object = served(event.object);
    const selected = !matches || matches(object);
    if (event.type === 'created') return selected ? this.#event('ADDED', object) : undefined;
    const previous = event.previous && matches ? served(event.previous) : undefined;
    const before = previous && matches ? matches(previous) : selected;
    if (event.type === 'deleted') return before ? this.#event('DELETED', object) : undefined;
    if (selected) return this.#event(before ? 'MODIFIED' : 'ADDED', object);
    return before && previous ? this.#event('DELETED', departedFrom(previous, event.revision)) : undefined;
  };

  #event(type: OutgoingEvent['type'], object: DynamicObject): OutgoingEvent {
    return { type, object: this.#project(object) };
  }

  #project(object: DynamicObject): unknown {
    const projected = this.#plan.projector.object(object);
    if (this.#plan.projector.form !== 'Table') return projected;
    // A table's column definitions go out once.
    if (!this.#headerSent) {
      this.#headerSent = true;
      return projected;
    }
    return deepFreeze({ ...(isObject(projected) ? projected : {}), columnDefinitions: null });
  }

  #bookmark(annotations: Readonly<Record<string, string>>, revision = this.#server.storage.revision): OutgoingEvent {
    const metadata = {
      resourceVersion: String(revision),
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    };
    return { type: 'BOOKMARK', object: this.#plan.projector.bookmark(metadata) };
  }

  #failWith(error: unknown): void {
    if (this.#state !== 'running') return;
    if (error instanceof ApiError) this.#fail(error);
    else throw error;
  }

  #fail(error: ApiError): void {
    this.#emit([{ type: 'ERROR', object: error.status }]);
    this.end();
  }
}
