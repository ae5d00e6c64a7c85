import { startCluster } from '@coxswain/cluster';
import { connect } from './connect.ts';
import type { Ground } from './ground.ts';
import { strictAdmission } from './options.ts';
import type { TestClusterOptions } from './types.ts';

/** The embedded server, of this test alone. */
export async function embeddedGround(options: TestClusterOptions): Promise<Ground> {
  const { clock, random, log, http = false, controlPlane = false, kruise = false } = options;
  const cluster = await startCluster({
    ...(clock ? { clock } : {}),
    ...(random ? { random } : {}),
    ...(log ? { log } : {}),
    ...(http ? { port: 0 } : {}),
    controlPlane,
    kruise,
    admissionPlugins: strictAdmission,
  });
  return {
    server: 'embedded',
    async transport(user) {
      if (http) return connect(cluster.kubeconfig(), user);
      return (user === undefined ? cluster.client : cluster.clientAs({ name: user })).transport;
    },
    kubeconfig: () => cluster.kubeconfig(),
    get idle() {
      return cluster.idle;
    },
    compact: async () => void cluster.compactNow(),
    stop: () => cluster.stop(),
  };
}
