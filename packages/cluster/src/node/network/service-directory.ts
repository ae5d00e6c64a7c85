import { EndpointSlice, Namespace, Service } from '@coxswain/k8s';
import type { Cache, Informer } from '@coxswain/runtime/cache';
import { keyOf, keyString, type ObjectKey } from '@coxswain/runtime/core';

const serviceLabel = 'kubernetes.io/service-name';

/** The Services of a cluster and what is behind them, as last seen. */
export class ServiceDirectory {
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice>;
  readonly #namespaces: Informer<Namespace>;

  constructor(cache: Cache) {
    this.#services = cache.informer(Service);
    this.#services.addIndex('address', ({ spec }) => spec?.clusterIPs ?? []);
    this.#slices = cache.informer(EndpointSlice);
    this.#slices.addIndex('service', ({ metadata }) => {
      const name = metadata.labels?.[serviceLabel];
      return name === undefined ? [] : [`${metadata.namespace}/${name}`];
    });
    this.#slices.addIndex('address', ({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses));
    this.#namespaces = cache.informer(Namespace, { metadataOnly: true });
  }

  services(): Iterable<Service> {
    return this.#services.store.list();
  }

  service(key: ObjectKey): Service | undefined {
    return this.#services.store.get(key);
  }

  /** The Service with a cluster IP. */
  serviceAt(address: string): Service | undefined {
    return [...this.#services.store.by('address', address)][0];
  }

  slices(key: ObjectKey): readonly EndpointSlice[] {
    return [...this.#slices.store.by('service', keyString(key))];
  }

  /** Slices that an address is in. */
  slicesAt(address: string): readonly EndpointSlice[] {
    return [...this.#slices.store.by('address', address)];
  }

  hasNamespace(name: string): boolean {
    return this.#namespaces.store.get({ name }) !== undefined;
  }

  /** Tells of each Service that, or whose endpoints, changed; first of all there are. Ends with the answer. */
  onChange(changed: (key: ObjectKey) => void): () => void {
    const ends = [
      this.#services.onEvent(({ object }) => changed(keyOf(object))),
      this.#slices.onEvent((event) => {
        const { namespace = '', labels } = event.object.metadata;
        const names = new Set([labels?.[serviceLabel]]);
        if (event.type === 'updated') names.add(event.previous.metadata.labels?.[serviceLabel]);
        for (const name of names) if (name !== undefined) changed({ namespace, name });
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }
}
