import { Pod } from '@coxswain/k8s';
import { createClient, httpTransport, loadKubeconfig } from '@coxswain/runtime/client';

/** Names of the web pods of a cluster. */
export async function webPods(path: string): Promise<string[]> {
  const connection = await loadKubeconfig({ path }); // or defaultConnection({ env: process.env })
  const transport = httpTransport(connection);
  const client = createClient({ transport, fieldManager: 'my-operator' });
  const names: string[] = [];
  for await (const { metadata } of client.of(Pod).listAll({ namespace: 'default', labels: { app: 'web' } }))
    names.push(metadata.name);
  const first = await client.of(Pod).find({ namespace: 'default', name: 'web-0' }); // undefined: there is none
  await transport.close();
  return first ? names : [];
}
