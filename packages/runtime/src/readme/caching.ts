import { Pod } from '@coxswain/k8s';
import { createCache } from '@coxswain/runtime/cache';
import type { Client } from '@coxswain/runtime/client';

/** Names of the web pods on a node, from a store that is kept equal to the server. */
export async function webPodsOn(client: Client, node: string): Promise<string[]> {
  const cache = createCache({ client });
  const pods = cache.informer(Pod, { labels: { app: 'web' } });
  pods.addIndex('node', (pod) => [pod.spec?.nodeName ?? '']); // built in: 'namespace', 'label' ('app=web'), 'owner' and 'controller' (UID)
  await cache.synced();
  const names = [...pods.store.by('node', node)].map(({ metadata }) => metadata.name);
  await cache.stop();
  return names;
}
