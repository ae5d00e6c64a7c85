import {
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  EndpointSlice,
  Event,
  Job,
  type Kind,
  type KubeObject,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  resourceName,
  StatefulSet,
} from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';

/** What was seen of one object: every state a watch told of. */
export interface Sighting {
  readonly kind: Kind;
  readonly states: KubeObject[];
  gone: boolean;
}

/** One thing that was told, in the order it came. */
export interface Seen {
  readonly kind: Kind;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

/** What every scenario records. */
const kinds: readonly Kind[] = [
  Pod,
  ReplicaSet,
  Deployment,
  StatefulSet,
  DaemonSet,
  ControllerRevision,
  Job,
  CronJob,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  EndpointSlice,
  Event,
];

/** Watches the objects of a namespace from before anything is in it. */
export class Recorder {
  readonly sightings = new Map<string, Sighting>();
  readonly seen: Seen[] = [];
  readonly #current = new Map<string, Map<string, KubeObject>>();
  readonly #followed: { readonly kind: string; readonly names: RegExp }[] = [];
  readonly #end = new AbortController();
  readonly #readers: Promise<void>[] = [];
  #failure: unknown;

  /** @param also further kinds, and which of them by name */
  async start(
    client: Client,
    namespace: string,
    also: readonly { readonly kind: Kind; readonly names: RegExp }[] = [],
  ): Promise<void> {
    for (const kind of kinds) await this.#watch(client, kind, { namespace }, /./);
    await this.#watch(client, Namespace, {}, new RegExp(`^${namespace}$`));
    for (const { kind, names } of also) await this.#watch(client, kind, {}, names);
  }

  async #watch(client: Client, kind: Kind, scope: { readonly namespace?: string }, names: RegExp): Promise<void> {
    const resource = client.of(kind);
    this.#followed.push({ kind: kind.kind, names });
    const { items, metadata } = await resource.list(scope);
    for (const object of items) this.#take(kind, 'ADDED', object, names);
    const { resourceVersion = '' } = metadata;
    const stream = await resource.watch({ ...scope, resourceVersion, signal: this.#end.signal });
    const read = async () => {
      try {
        for await (const batch of stream)
          for (const { type, object } of batch)
            if (type !== 'BOOKMARK' && type !== 'ERROR') this.#take(kind, type, object, names);
        if (!this.#end.signal.aborted) throw new Error(`the watch of ${resourceName(kind)} ended`);
      } catch (error) {
        if (!this.#end.signal.aborted) this.#failure ??= error;
      }
    };
    this.#readers.push(read());
  }

  #take(kind: Kind, type: Seen['type'], object: KubeObject, names: RegExp): void {
    const { name, uid = '' } = object.metadata;
    if (!names.test(name)) return;
    this.seen.push({ kind, type, object });
    const sighting = this.sightings.get(uid) ?? { kind, states: [], gone: false };
    this.sightings.set(uid, sighting);
    sighting.states.push(object);
    sighting.gone = type === 'DELETED';
    const current = this.#current.get(kind.kind) ?? new Map<string, KubeObject>();
    this.#current.set(kind.kind, current);
    if (type === 'DELETED') current.delete(name);
    else current.set(name, object);
  }

  /** Those that are there now, by name. @throws what broke a watch */
  current(kind: Kind): ReadonlyMap<string, KubeObject> {
    if (this.#failure) throw this.#failure;
    return this.#current.get(kind.kind) ?? new Map();
  }

  /** Whether this state of an object, or a later one, has been told; true for what nobody watches. */
  has(kind: Kind, { name, resourceVersion }: KubeObject['metadata']): boolean {
    const followed = this.#followed.some((one) => one.kind === kind.kind && one.names.test(name));
    if (!followed) return true;
    const told = this.seen.findLast((one) => one.kind.kind === kind.kind && one.object.metadata.name === name);
    return Number(told?.object.metadata.resourceVersion ?? 0) >= Number(resourceVersion);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#readers);
  }
}
