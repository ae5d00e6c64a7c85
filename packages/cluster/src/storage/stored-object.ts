import type { KubeObject } from '@coxswain/k8s';
import { parseJson } from '@coxswain/runtime/client';
import { deepFreeze } from './deep-freeze.ts';
import { rememberJson } from './json-bytes.ts';
import type { RecentObjects } from './recent-objects.ts';
import type { StorageKey, StoredObject } from './types.ts';

/**
 * One state of an object. The text is always there; the object only while it is among the recent ones or in somebody's hands, and is
 * read from the text when it is wanted again.
 */
export class State implements StoredObject {
  readonly key: StorageKey;
  readonly json: Buffer;
  /** Whether the object was asked for since the recent ones looked last. */
  used = false;
  readonly #recent: RecentObjects;
  #revision: number | undefined;
  #object: KubeObject | WeakRef<KubeObject> | undefined;

  /** @param known what `json` says; absent: it is read when it is asked for */
  constructor(
    key: StorageKey,
    json: Buffer,
    recent: RecentObjects,
    known?: { readonly revision: number; readonly object: KubeObject },
  ) {
    this.key = key;
    this.json = json;
    this.#recent = recent;
    if (!known) return;
    this.#revision = known.revision;
    this.#keep(known.object);
  }

  get revision(): number {
    this.#revision ??= Number(this.object.metadata.resourceVersion);
    return this.#revision;
  }

  get object(): KubeObject {
    this.used = true;
    const object = this.#object instanceof WeakRef ? this.#object.deref() : this.#object;
    if (object && object !== this.#object) return this.#keep(object);
    return object ?? this.#keep(deepFreeze(parseJson(this.json.toString('utf8')) as KubeObject));
  }

  /** From now on the object lives as long as others hold it. */
  drop(): void {
    if (this.#object && !(this.#object instanceof WeakRef)) this.#object = new WeakRef(this.#object);
  }

  #keep(object: KubeObject): KubeObject {
    this.#object = object;
    rememberJson(object, this.json);
    this.#recent.add(this);
    return object;
  }
}
