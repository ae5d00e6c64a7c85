import type { Pod, Service } from '@coxswain/k8s';
import type { StoreEvent } from '@coxswain/runtime/cache';
import { keyOf, keyString, type ObjectKey } from '@coxswain/runtime/core';

type Labels = Readonly<Record<string, string>>;

/** Services that select by the same labels, by the values they want. */
interface Shape {
  readonly labels: readonly string[];
  readonly services: Map<string, Map<string, ObjectKey>>;
}

function wanted(namespace: string | undefined, labels: readonly string[], values: Labels): string {
  return JSON.stringify([namespace, ...labels.map((label) => values[label])]);
}

/**
 * Finds the services that select a pod without a look at each: there are many services, but they select by few combinations of
 * labels, and within one of these the pod's own values say which. A service without a selector selects nothing.
 */
export class ServiceSelectors {
  readonly #shapes = new Map<string, Shape>();

  /** Takes in what the store of services tells. */
  heed(event: StoreEvent<Service>): void {
    if (event.type === 'updated') this.#remove(event.previous);
    if (event.type === 'deleted') this.#remove(event.object);
    else this.#add(event.object);
  }

  /** Keys of the services that select a pod. */
  *of({ metadata: { namespace, labels = {} } }: Pod): Iterable<ObjectKey> {
    for (const shape of this.#shapes.values()) {
      if (shape.labels.some((label) => labels[label] === undefined)) continue;
      yield* shape.services.get(wanted(namespace, shape.labels, labels))?.values() ?? [];
    }
  }

  #add(service: Service): void {
    const { name, labels, value } = selection(service);
    if (labels.length === 0) return;
    const shape = this.#shapes.get(name) ?? { labels, services: new Map() };
    this.#shapes.set(name, shape);
    const keys = shape.services.get(value) ?? new Map<string, ObjectKey>();
    shape.services.set(value, keys);
    const key = keyOf(service);
    keys.set(keyString(key), key);
  }

  #remove(service: Service): void {
    const { name, value } = selection(service);
    const shape = this.#shapes.get(name);
    const keys = shape?.services.get(value);
    keys?.delete(keyString(keyOf(service)));
    if (keys?.size === 0) shape?.services.delete(value);
    if (shape?.services.size === 0) this.#shapes.delete(name);
  }
}

function selection({ metadata, spec }: Service) {
  const selector = spec?.selector ?? {};
  const labels = Object.keys(selector).sort();
  return { name: JSON.stringify(labels), labels, value: wanted(metadata.namespace, labels, selector) };
}
