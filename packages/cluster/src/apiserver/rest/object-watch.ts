import type { DynamicObject } from '@coxswain/k8s';
import { ApiError, deepFreeze, type Timer } from '@coxswain/runtime/core';
import type { StorageEvent, StorageSubscription } from '../../storage/types.ts';
import type { OutgoingEvent, ResourceInfo, WatchStream } from '../types.ts';
import { isObject } from './clone.ts';
import type { ServerContext } from './context.ts';
import type { Selection } from './list-options.ts';
import type { Projector } from './projection.ts';
import { servedForm } from './served.ts';
import type { HubMember } from './watch-hub.ts';

/** How a watch starts and ends. */
export interface WatchPlan {
  readonly resource: ResourceInfo;
  readonly selection: Selection;
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
function departedFrom(event: StorageEvent): DynamicObject {
  let object = departed.get(event.object);
  if (!object) {
    const previous = (event.previous ?? event.object) as DynamicObject;
    object = deepFreeze({ ...previous, metadata: { ...previous.metadata, resourceVersion: String(event.revision) } });
    departed.set(event.object, object);
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
    this.#server.watches.add(this);
    this.#setDeadline();
    this.#run();
  }

  cancel(): void {
    this.end();
  }

  bookmark(): void {
    if (this.#state === 'running' && this.#plan.bookmarks) this.#emit([this.#bookmark({})]);
  }

  end(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#subscription?.cancel();
    for (const timer of this.#timers) timer.cancel();
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#server.watches.delete(this);
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
    const { snapshot, endMark, resource, since } = this.#plan;
    let from = since;
    if (snapshot) {
      from = this.#server.storage.revision;
      const events = this.#snapshot();
      if (endMark) events.push(this.#bookmark({ 'k8s.io/initial-events-end': 'true' }));
      if (events.length > 0) this.#emit(events);
    }
    if (this.#state !== 'running') return;
    // The record of the past comes in one batch, before the subscription returns.
    let recorded: OutgoingEvent[] | undefined = [];
    try {
      this.#subscription = this.#server.storage.subscribe(resource.storage, from, (event) => {
        const outgoing = event.revision > from ? this.#outgoing(event) : undefined;
        if (!outgoing || this.#state !== 'running') return;
        if (recorded) recorded.push(outgoing);
        else this.#emit([outgoing]);
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#fail(error);
      return;
    }
    const past = recorded;
    recorded = undefined;
    if (past.length > 0) this.#emit(past);
    if ((this.#state as string) === 'ended') this.#subscription.cancel();
  }

  #snapshot(): OutgoingEvent[] {
    const { resource, selection } = this.#plan;
    const { namespace, matches } = selection;
    const served = servedForm(resource);
    const page = this.#server.storage.list(resource.storage, namespace === undefined ? {} : { namespace });
    const events: OutgoingEvent[] = [];
    for (const stored of page.objects) {
      const object = served(stored);
      if (!matches || matches(object)) events.push({ type: 'ADDED', object: this.#project(object) });
    }
    return events;
  }

  #outgoing(event: StorageEvent): OutgoingEvent | undefined {
    const { resource, selection } = this.#plan;
    const { namespace, name, matches } = selection;
    if (namespace !== undefined && event.key.namespace !== namespace) return undefined;
    if (name !== undefined && event.key.name !== name) return undefined;
    const served = servedForm(resource);
    const object = served(event.object);
    const selected = (candidate: DynamicObject): boolean => !matches || matches(candidate);
    if (event.type === 'created') return selected(object) ? this.#event('ADDED', object) : undefined;
    const before = event.previous && selected(served(event.previous));
    if (event.type === 'deleted') return (before ?? selected(object)) ? this.#event('DELETED', object) : undefined;
    if (selected(object)) return this.#event(before ? 'MODIFIED' : 'ADDED', object);
    return before ? this.#event('DELETED', served(departedFrom(event))) : undefined;
  }

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

  #bookmark(annotations: Readonly<Record<string, string>>): OutgoingEvent {
    const metadata = {
      resourceVersion: String(this.#server.storage.revision),
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    };
    return { type: 'BOOKMARK', object: this.#plan.projector.bookmark(metadata) };
  }

  #fail(error: ApiError): void {
    this.#emit([{ type: 'ERROR', object: error.status }]);
    this.end();
  }
}
