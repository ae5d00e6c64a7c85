import type { KubeObject, OwnerReference } from '@coxswain/k8s';
import { type Client, merge } from '@coxswain/runtime/client';
import { isNotFound, keyOf, type ObjectKey } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import type { KindMonitors, Monitor } from '../kinds/index.ts';
import type { Item } from './item.ts';
import {
  blocks,
  byOwner,
  byUid,
  foregroundFinalizer,
  hasFinalizer,
  isDeleting,
  orphanFinalizer,
  ownersOf,
  waitsForDependents,
} from './references.ts';

/** An owner's kind is not served (yet): whether the owner exists cannot be said. */
export class UnknownOwnerKind extends Error {
  constructor({ metadata }: KubeObject, { apiVersion, kind, name }: OwnerReference) {
    super(`${metadata.name} is owned by ${kind} ${name} of ${apiVersion}, a kind that is not served; it is left alone`);
    this.name = 'UnknownOwnerKind';
  }
}

export interface CollectionParts {
  readonly client: Client;
  readonly monitors: KindMonitors;
  readonly recorder: EventRecorder;
  /** Has another object looked at. */
  enqueue(item: Item): void;
}

/**
 * The owners of an object, sorted:
 * - `solid` exist, and keep it;
 * - `dangling` do not exist;
 * - `waiting` are being deleted in the foreground, and wait for it.
 */
interface Owners {
  readonly solid: readonly OwnerReference[];
  readonly dangling: readonly OwnerReference[];
  readonly waiting: readonly OwnerReference[];
}

/** Owners known to be gone, or not to be at a place, are remembered: a uid never comes back, and never moves. */
const rememberedAbsences = 1_000;

/** What is to be done with one object. Idempotent: every step looks at the newest state and asks for it in its writes. */
export class Collection {
  readonly #parts: CollectionParts;
  readonly #absent = new Set<string>();

  constructor(parts: CollectionParts) {
    this.#parts = parts;
  }

  /** @throws ApiError, UnknownOwnerKind */
  async collect(item: Item): Promise<void> {
    const { object } = item;
    if (isDeleting(object)) {
      if (hasFinalizer(object, foregroundFinalizer)) await this.#waitForDependents(item);
      else if (hasFinalizer(object, orphanFinalizer)) await this.#orphanDependents(item);
      return;
    }
    if (ownersOf(object).length === 0) return;
    const owners = await this.#classify(item);
    if (owners.solid.length > 0) await this.#dropReferences(item, [...owners.dangling, ...owners.waiting]);
    else await this.#delete(item, owners);
  }

  /** An object with this uid was seen to go. */
  gone(uid: string | undefined): void {
    if (uid) this.#remember(uid);
  }

  *dependentsOf(uid: string | undefined): Iterable<Item> {
    if (!uid) return;
    for (const monitor of this.#parts.monitors.all()) {
      for (const object of monitor.store.by(byOwner, uid)) yield { monitor, object };
    }
  }

  /** The owner as the stores show it; an owner elsewhere, or another object of its name, is none. */
  ownerInStore(reference: OwnerReference, dependent: KubeObject): Item | undefined {
    const monitor = this.#parts.monitors.byReference(reference);
    const object = monitor?.store.get(ownerKey(monitor, reference, dependent));
    return monitor && object?.metadata.uid === reference.uid ? { monitor, object } : undefined;
  }

  async #waitForDependents(item: Item): Promise<void> {
    const { uid } = item.object.metadata;
    let blocked = false;
    for (const dependent of this.dependentsOf(uid)) {
      blocked ||= blocks(dependent.object, uid);
      if (!isDeleting(dependent.object)) this.#parts.enqueue(dependent);
    }
    if (!blocked) await this.#removeFinalizer(item, foregroundFinalizer);
  }

  async #orphanDependents(item: Item): Promise<void> {
    const { uid } = item.object.metadata;
    const dependents = [...this.dependentsOf(uid)];
    await Promise.all(
      dependents.map(async (dependent) => {
        const gone = ownersOf(dependent.object).filter((reference) => reference.uid === uid);
        try {
          await this.#dropReferences(dependent, gone);
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
      }),
    );
    await this.#removeFinalizer(item, orphanFinalizer);
  }

  async #classify({ object }: Item): Promise<Owners> {
    const solid: OwnerReference[] = [];
    const dangling: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    for (const reference of ownersOf(object)) {
      const owner = await this.#owner(reference, object);
      if (owner === 'absent') dangling.push(reference);
      else if (owner !== 'unknowable' && waitsForDependents(owner)) waiting.push(reference);
      else solid.push(reference);
    }
    return { solid, dangling, waiting };
  }

  /** What the stores do not show is asked for: only the server can say that something is not there. */
  async #owner(reference: OwnerReference, dependent: KubeObject): Promise<KubeObject | 'absent' | 'unknowable'> {
    const known = this.ownerInStore(reference, dependent);
    if (known) return known.object;
    if (this.#absent.has(reference.uid)) return 'absent';
    const monitor = this.#parts.monitors.byReference(reference);
    if (!monitor) throw new UnknownOwnerKind(dependent, reference);
    // A cluster-scoped object cannot say in which namespace its owner is.
    if (monitor.kind.scope === 'Namespaced' && !dependent.metadata.namespace) return 'unknowable';
    const key = ownerKey(monitor, reference, dependent);
    const place = `${reference.uid}|${monitor.id}|${key.namespace ?? ''}|${key.name}`;
    if (this.#absent.has(place)) return 'absent';
    const owner = await this.#parts.client.of(monitor.kind).find(key);
    if (owner?.metadata.uid === reference.uid) return owner;
    this.#remember(place);
    this.#warnOfNamespace(monitor, reference, dependent);
    return 'absent';
  }

  #remember(absence: string): void {
    if (this.#absent.size >= rememberedAbsences) {
      for (const oldest of this.#absent) {
        this.#absent.delete(oldest);
        break;
      }
    }
    this.#absent.add(absence);
  }

  #warnOfNamespace(monitor: Monitor, { apiVersion, kind, name, uid }: OwnerReference, dependent: KubeObject): void {
    const [elsewhere] = monitor.store.by(byUid, uid);
    if (!elsewhere || elsewhere.metadata.namespace === dependent.metadata.namespace) return;
    const of = this.#parts.monitors.byReference({ apiVersion: dependent.apiVersion ?? '', kind: dependent.kind ?? '' });
    if (!of) return;
    const reference = `[${apiVersion}/${kind}, namespace: ${dependent.metadata.namespace}, name: ${name}, uid: ${uid}]`;
    this.#parts.recorder.event(of.kind, dependent, {
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      message: `ownerRef ${reference} does not exist in namespace "${dependent.metadata.namespace}"`,
    });
  }

  async #delete(item: Item, { waiting }: Owners): Promise<void> {
    const { object, monitor } = item;
    const { uid, resourceVersion } = object.metadata;
    const dependents = waiting.length > 0 ? [...this.dependentsOf(uid)] : [];
    let propagation: 'Background' | 'Foreground' | 'Orphan' = 'Background';
    if (dependents.length > 0) {
      propagation = 'Foreground';
      // A circle in which each waits for the other would never go.
      if (dependents.some((dependent) => waitsForDependents(dependent.object))) return this.#deleteUnblocked(item);
    } else if (hasFinalizer(object, orphanFinalizer)) propagation = 'Orphan';
    else if (hasFinalizer(object, foregroundFinalizer)) propagation = 'Foreground';
    const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
    await this.#parts.client.of(monitor.kind).delete(keyOf(object), { propagation, preconditions });
  }

  async #deleteUnblocked(item: Item): Promise<void> {
    const { object, monitor } = item;
    const references = ownersOf(object).map((reference) => ({ ...reference, blockOwnerDeletion: false }));
    await this.#patchMetadata(item, { ownerReferences: references });
    const preconditions = object.metadata.uid ? { uid: object.metadata.uid } : {};
    await this.#parts.client.of(monitor.kind).delete(keyOf(object), { propagation: 'Foreground', preconditions });
  }

  async #dropReferences(item: Item, gone: readonly OwnerReference[]): Promise<void> {
    if (gone.length === 0) return;
    const uids = new Set(gone.map(({ uid }) => uid));
    const kept = ownersOf(item.object).filter(({ uid }) => !uids.has(uid));
    await this.#patchMetadata(item, { ownerReferences: kept.length > 0 ? kept : null });
  }

  async #removeFinalizer(item: Item, finalizer: string): Promise<void> {
    const kept = (item.object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
    await this.#patchMetadata(item, { finalizers: kept.length > 0 ? kept : null });
  }

  /** Pinned to the version that was looked at: a list is replaced whole, so nobody else's change may be in between. */
  async #patchMetadata({ monitor, object }: Item, change: object): Promise<void> {
    const { uid, resourceVersion } = object.metadata;
    const patch = merge({ metadata: { uid, resourceVersion, ...change } });
    await this.#parts.client.of(monitor.kind).patch(keyOf(object), patch);
  }
}

function ownerKey(monitor: Monitor, { name }: OwnerReference, dependent: KubeObject): ObjectKey {
  if (monitor.kind.scope === 'Cluster') return { name };
  return { namespace: dependent.metadata.namespace ?? '', name };
}
