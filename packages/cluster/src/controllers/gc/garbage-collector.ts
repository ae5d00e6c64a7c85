import type { KubeObject } from '@coxswain/k8s';
import { ApiError, deepEqual, isConflict, isNotFound } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import type { Manager, Runnable } from '@coxswain/runtime/manager';
import { type Taken, WorkQueue } from '@coxswain/runtime/queue';
import type { KindMonitors, Monitor, MonitorEvent } from '../kinds/index.ts';
import { Collection, UnknownOwnerKind } from './collection.ts';
import { type Item, keyOfItem, textOfItem } from './item.ts';
import { byOwner, byUid, concernsCollector, ownersOf, waitsForDependents } from './references.ts';

/** Items worked at the same time. */
const workers = 20;

/** Events of the monitors to keys, keys to work. What is to be done with one object, {@link Collection} decides. */
export class GarbageCollector implements Runnable {
  readonly name = 'garbage-collector';
  readonly leaderOnly = true;
  readonly #manager: Manager;
  readonly #monitors: KindMonitors;
  readonly #queue: WorkQueue;
  readonly #collection: Collection;
  /** Items that refer to owners of kinds nobody serves; they are looked at again when kinds change. */
  readonly #waitingForKinds = new Set<string>();
  readonly #running: Promise<void>[] = [];

  constructor(manager: Manager, monitors: KindMonitors, recorder: EventRecorder) {
    this.#manager = manager;
    this.#monitors = monitors;
    const { clock, random } = manager;
    this.#queue = new WorkQueue({ clock, random });
    this.#collection = new Collection({
      client: manager.client,
      monitors,
      recorder,
      enqueue: (item) => this.#queue.add(textOfItem(item), 'child'),
    });
    monitors.addIndex(byOwner, (object) => ownersOf(object).map(({ uid }) => uid));
    monitors.addIndex(byUid, ({ metadata }) => (metadata.uid ? [metadata.uid] : []));
  }

  get idle(): boolean {
    return this.#queue.idle;
  }

  async start(): Promise<void> {
    await this.#monitors.start();
    this.#monitors.onEvent((event) => this.#heard(event));
    this.#monitors.onKinds(() => this.#retryUnknown());
    for (let i = 0; i < workers; i++) this.#running.push(this.#work());
  }

  async stop(): Promise<void> {
    this.#queue.close();
    await Promise.all(this.#running);
  }

  #heard({ monitor, change }: MonitorEvent): void {
    if (monitor.id === 'events') return;
    const { object } = change;
    if (change.type === 'deleted') {
      this.#gone(object);
      return;
    }
    const previous = change.type === 'updated' ? change.previous : undefined;
    if (previous && previous.metadata.uid !== object.metadata.uid) this.#gone(previous);
    else if (previous && !this.#matters(previous, object)) return;
    if (previous) this.#enqueueOwners(previous);
    if (concernsCollector(object)) this.#enqueue(monitor, object);
  }

  #matters({ metadata: before }: KubeObject, { metadata: after }: KubeObject): boolean {
    return (
      before.deletionTimestamp !== after.deletionTimestamp ||
      !deepEqual(before.finalizers, after.finalizers) ||
      !deepEqual(before.ownerReferences, after.ownerReferences)
    );
  }

  /** Who it owned may have no owner left; whose deletion it held up may go on. */
  #gone(object: KubeObject): void {
    this.#collection.gone(object.metadata.uid);
    for (const { monitor, object: dependent } of this.#collection.dependentsOf(object.metadata.uid)) {
      this.#enqueue(monitor, dependent);
    }
    this.#enqueueOwners(object);
  }

  #enqueueOwners(object: KubeObject): void {
    for (const reference of ownersOf(object)) {
      const owner = this.#collection.ownerInStore(reference, object);
      if (owner && waitsForDependents(owner.object)) this.#enqueue(owner.monitor, owner.object);
    }
  }

  #enqueue(monitor: Monitor, object: KubeObject): void {
    this.#queue.add(textOfItem({ monitor, object }), 'child');
  }

  #retryUnknown(): void {
    for (const key of this.#waitingForKinds) this.#queue.add(key, 'requeue');
    this.#waitingForKinds.clear();
  }

  async #work(): Promise<void> {
    for (;;) {
      const taken = await this.#queue.take();
      if (!taken) return;
      this.#queue.done(taken.key, await this.#collect(taken));
    }
  }

  async #collect({ key }: Taken): Promise<'ok' | 'failed'> {
    const item = this.#find(key);
    if (!item) return 'ok';
    try {
      await this.#collection.collect(item);
      return 'ok';
    } catch (error) {
      return this.#failed(key, error);
    }
  }

  #find(key: string): Item | undefined {
    const { id, namespace, name } = keyOfItem(key);
    const monitor = this.#monitors.byId(id);
    const object = monitor?.store.get({ namespace, name });
    return monitor && object && { monitor, object };
  }

  /** Another writer was faster, or an object is gone already: the store will tell. Everything else is tried again. */
  #failed(key: string, error: unknown): 'ok' | 'failed' {
    if (error instanceof UnknownOwnerKind) {
      this.#waitingForKinds.add(key);
      this.#manager.log.debug({ item: key }, error.message);
      return 'ok';
    }
    if (isNotFound(error)) return 'ok';
    if (!isConflict(error)) {
      const reason = error instanceof ApiError ? error.reason : undefined;
      this.#manager.log.error({ item: key, reason, err: error }, 'garbage collection failed; it is retried');
    }
    return 'failed';
  }
}
