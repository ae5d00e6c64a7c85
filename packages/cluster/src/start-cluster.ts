import { type Client, createClient } from '@coxswain/runtime/client';
import { type Clock, type Logger, type Random, silentLogger, systemClock, systemRandom } from '@coxswain/runtime/core';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { controlPlaneUsers, masters } from './apiserver/authorization/index.ts';
import type { UserInfo } from './apiserver/index.ts';
import { cleanupControllers, kruiseControllers, kruiseCrds, workloadControllers } from './controllers/index.ts';
import { type EmbeddedServer, startServer } from './embedded-server.ts';
import { kubeconfigFor } from './http/index.ts';
import { type OpenNodes, openNodes } from './open-nodes.ts';
import { scheduler } from './scheduler/index.ts';
import { tryAll } from './try-all.ts';
import type { Cluster, ClusterOptions, ClusterUser } from './types.ts';

interface Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly nodes: OpenNodes;
}

function clientFor(server: EmbeddedServer, { name, groups = [] }: ClusterUser, clock: Clock): Client {
  const transport = server.transport({ name, groups });
  return createClient({ transport, fieldManager: name.split(':').at(-1) ?? name, userAgent: name, clock });
}

/** The built-in controllers, the scheduler and the nodes, each as a user of its own who may do what its work needs. */
function controlPlane(
  server: EmbeddedServer,
  { clock, random, log, nodes }: Surroundings,
  options: ClusterOptions,
): Manager[] {
  const manager = (user: UserInfo) => {
    const name = user.name.slice('system:'.length);
    const component = log.child({ component: name });
    return createManager({ client: clientFor(server, user, clock), name, clock, random, log: component });
  };
  const controllers = manager(controlPlaneUsers.controllers);
  cleanupControllers(controllers);
  workloadControllers(controllers, {
    tokens: server.tokens,
    authority: server.authority,
    nodeMonitorGracePeriod: options.nodeMonitorGracePeriod,
  });
  if (options.kruise !== false) kruiseControllers(controllers);
  const scheduling = manager(controlPlaneUsers.scheduler);
  scheduler(scheduling);
  return [controllers, scheduling, ...nodes.run(manager)];
}

/**
 * Starts an embedded Kubernetes: API server, control plane and simulated nodes, all in this process.
 * @throws ListenError when the port cannot be had, DataDirError when the data directory cannot be used
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { clock = systemClock, random = systemRandom, log = silentLogger } = options;
  const nodes = await openNodes({ clock, random, log, options });
  const surroundings: Surroundings = { clock, random, log, nodes };
  const kruise = options.controlPlane !== false && options.kruise !== false;
  const server = await startServer({
    clock,
    random,
    log,
    nodes: nodes.connections,
    ...(nodes.claim ? { loopbackPods: nodes.claim } : {}),
    options,
    definitions: [...(kruise ? kruiseCrds() : []), ...(options.definitions ?? [])],
  });
  let managers: Manager[] = [];
  const { faults, compactNow, health } = server.operations;
  const stop = async () => {
    health.stopping = true;
    const ending = managers.splice(0).reverse();
    await tryAll([...ending.map((manager) => () => manager.stop()), () => nodes.close(), () => server.close()]);
  };
  try {
    if (options.controlPlane !== false) {
      health.controllers = 'starting';
      managers = controlPlane(server, surroundings, options);
      await Promise.all(managers.map((one) => one.start()));
      health.controllers = 'running';
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const url = server.port === undefined ? undefined : `https://127.0.0.1:${server.port}`;
  return {
    client: clientFor(server, { name: 'kubernetes-admin', groups: [masters] }, clock),
    clientAs: (user) => clientFor(server, user, clock),
    clock,
    log,
    faults,
    nodes: nodes.control,
    compactNow,
    ...(url ? { url } : {}),
    kubeconfig({ name = 'coxswain' } = {}) {
      if (!url) throw new Error('this cluster serves no HTTPS: start it with a port to get a kubeconfig');
      const { cert, key } = server.authority.issueClient({ name: 'kubernetes-admin', groups: [masters] });
      return kubeconfigFor({ url, ca: server.authority.cert, cert, key, name });
    },
    get idle() {
      return managers.every((manager) => manager.idle);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
