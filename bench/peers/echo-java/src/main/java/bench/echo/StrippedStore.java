package bench.echo;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;

/** A cache that keeps no managed fields. */
final class StrippedStore<T extends HasMetadata> extends BasicItemStore<T> {
  StrippedStore() {
    super(Cache::metaNamespaceKeyFunc);
  }

  @Override
  public T put(String key, T object) {
    object.getMetadata().setManagedFields(null);
    return super.put(key, object);
  }
}
