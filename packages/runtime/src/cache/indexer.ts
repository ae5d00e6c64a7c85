import type { KubeObject } from '@coxswain/k8s';

type Bucket<T> = Map<string, T>;

/** Finds objects by values computed from them. Kept up to date by its store. */
export class Indexer<T extends KubeObject> {
  readonly values: (object: T) => readonly string[];
  readonly #buckets = new Map<string, Bucket<T>>();

  constructor(values: (object: T) => readonly string[]) {
    this.values = values;
  }

  find(value: string): ReadonlyMap<string, T> | undefined {
    return this.#buckets.get(value);
  }

  set(key: string, object: T, previous: T | undefined): void {
    if (previous) this.remove(key, previous);
    for (const value of this.values(object)) {
      const bucket = this.#buckets.get(value);
      if (bucket) bucket.set(key, object);
      else this.#buckets.set(value, new Map([[key, object]]));
    }
  }

  remove(key: string, object: T): void {
    for (const value of this.values(object)) {
      const bucket = this.#buckets.get(value);
      if (bucket?.delete(key) && bucket.size === 0) this.#buckets.delete(value);
    }
  }
}

/** Indexes every store has. They are built when first asked for. */
export const builtInIndexes: Readonly<Record<string, (object: KubeObject) => readonly string[]>> = {
  /** By namespace; `''` for cluster-scoped objects. */
  namespace: (object) => [object.metadata.namespace ?? ''],
  /** By `key=value` of each label. */
  label: (object) => Object.entries(object.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`),
  /** By the UID of each owner. */
  owner: (object) => (object.metadata.ownerReferences ?? []).map((owner) => owner.uid),
  /** By the UID of the owner that controls it. */
  controller: (object) =>
    (object.metadata.ownerReferences ?? []).filter((owner) => owner.controller === true).map((owner) => owner.uid),
};
