import { startCluster } from '@coxswain/cluster';
import { httpTransport, loadKubeconfig } from '@coxswain/runtime/client';
import type { Ground } from './ground.ts';
import type { TestClusterOptions } from './types.ts';

/** The embedded server, of this test alone. */
export async function embeddedGround(options: TestClusterOptions): Promise<Ground> {
  const { clock, random, log, http = false, controlPlane = false } = options;
  const cluster = await startCluster({
    ...(clock ? { clock } : {}),
    ...(random ? { random } : {}),
    ...(log ? { log } : {}),
    ...(http ? { port: 0 } : {}),
    controlPlane,
    kruise: false,
  });
  return {
    server: 'embedded',
    transport: async () =>
      http ? httpTransport(await loadKubeconfig({ text: cluster.kubeconfig() })) : cluster.client.transport,
    kubeconfig: () => cluster.kubeconfig(),
    get idle() {
      return cluster.idle;
    },
    compact: async () => void cluster.compactNow(),
    stop: () => cluster.stop(),
  };
}
