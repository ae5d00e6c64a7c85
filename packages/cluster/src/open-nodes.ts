import type { Clock, Logger, Random } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { controlPlaneUsers } from './apiserver/authorization/index.ts';
import type { NodeConnection, UserInfo } from './apiserver/index.ts';
import type { ServiceNetwork } from './embedded-server.ts';
import { NodePool, SimulatedNodes } from './node/index.ts';
import { NetworkError } from './node/network/errors.ts';
import type { ProcessNodes } from './node/process-nodes.ts';
import type { ClusterNodes, ClusterOptions } from './types.ts';

/** The nodes of a cluster, from before its server is there. */
export interface OpenNodes {
  /** How the API server reaches them, by name. */
  readonly connections: Map<string, NodeConnection>;
  /** Where Services get their addresses from; absent: as on a real cluster. */
  readonly claim?: (stored: string | undefined) => Promise<ServiceNetwork>;
  readonly control: ClusterNodes;
  /** Adds them to managers of their own, to be started with the others. */
  run(manager: (user: UserInfo) => Manager): Manager[];
  close(): Promise<void>;
}

export interface OpenNodesOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly options: ClusterOptions;
  /** First number of the addresses of process-backed nodes, their pods and Services; default 127. */
  readonly net?: number;
}

/** Both sorts of nodes, with the pool that plays them once it runs. */
class Nodes implements OpenNodes {
  readonly connections = new Map<string, NodeConnection>();
  readonly claim?: NonNullable<OpenNodes['claim']>;
  readonly control: ClusterNodes;
  readonly #options: ClusterOptions;
  readonly #processes: ProcessNodes | undefined;
  #pool: NodePool | undefined;
  #simulated: SimulatedNodes | undefined;

  constructor(options: ClusterOptions, processes: ProcessNodes | undefined) {
    this.#options = options;
    this.#processes = processes;
    if (processes) this.claim = (stored) => processes.network.claim(stored);
    this.control = this.#makeControl();
  }

  run(manager: (user: UserInfo) => Manager): Manager[] {
    const nodes = manager(controlPlaneUsers.nodes);
    const { options } = { options: this.#options };
    const processes = this.#processes;
    const simulated = new SimulatedNodes(nodes, {
      count: options.nodes ?? (processes ? 0 : 1),
      keep: options.keepNodes ?? options.nodes === undefined,
      ...(options.programs ? { programs: options.programs } : {}),
      ...(options.behaviour ? { behaviour: options.behaviour } : {}),
      ...(options.stages ? { stages: options.stages } : {}),
      talkative: options.podEvents ?? false,
    });
    this.#simulated = simulated;
    this.#pool = new NodePool(nodes, {
      nodes: async () => [...(await simulated.initial()), ...((await processes?.initial(nodes.client)) ?? [])],
      connections: this.connections,
      ...(processes ? { dialNode: (node, port, signal) => processes.dialNode(node, port, signal) } : {}),
      sighted: processes !== undefined,
    });
    if (!processes) return [nodes];
    const network = manager(controlPlaneUsers.network);
    processes.network.run(network, this.connections);
    return [network, nodes];
  }

  async close(): Promise<void> {
    await this.#processes?.close();
  }

  get #running(): NodePool {
    if (!this.#pool) throw new Error('this cluster has no control plane, and so no nodes of its own');
    return this.#pool;
  }

  #makeControl(): ClusterNodes {
    const names = () => this.#pool?.names ?? [];
    return {
      get names() {
        return names();
      },
      state: (name) => this.#pool?.stateOf(name),
      stop: async (name) => this.#running.turn(name, 'down'),
      partition: async (name) => this.#running.turn(name, 'partitioned'),
      start: async (name) => this.#running.turn(name, 'up'),
      add: async (name) => {
        const pool = this.#running;
        const spec = this.#simulated?.next(name);
        if (!spec) throw new Error('this cluster has no simulated nodes');
        await pool.join(spec);
        return spec.name;
      },
      remove: async (name) => this.#running.leave(name),
    };
  }
}

const usualPodCidr = '10.244.0.0/16';

/** Where pods in namespaces have their addresses; `undefined`: they are not to be in some. @throws NetworkError */
function podCidrOf({ podNetwork = 'loopback', podCIDR, processNodes = 0 }: ClusterOptions): string | undefined {
  if (podNetwork !== 'loopback' && podNetwork !== 'namespaces')
    throw new NetworkError(`there is no pod network ${JSON.stringify(podNetwork)}: loopback and namespaces are known`);
  if (podNetwork === 'namespaces' && processNodes === 0)
    throw new NetworkError(
      'pods have network namespaces on process-backed nodes only, and there are none: ask for some',
    );
  if (podNetwork === 'loopback' && podCIDR !== undefined)
    throw new NetworkError('pods have addresses of a range of your own in the pod network `namespaces` only');
  return podNetwork === 'namespaces' ? (podCIDR ?? usualPodCidr) : undefined;
}

/**
 * Prepares the nodes of a cluster. What process-backed ones need is loaded only when there are some.
 * @throws NetworkError for a pod network that cannot be
 */
export async function openNodes({ clock, random, log, options, net }: OpenNodesOptions): Promise<OpenNodes> {
  const podCIDR = podCidrOf(options);
  const count = options.controlPlane === false ? 0 : (options.processNodes ?? 0);
  if (count === 0) return new Nodes(options, undefined);
  const { ProcessNodes } = await import('./node/process-nodes.ts');
  const { dataDir, images = [] } = options;
  const settings = { clock, random, log, count, images };
  const processes = new ProcessNodes({
    ...settings,
    ...(dataDir ? { dataDir } : {}),
    ...(net === undefined ? {} : { net }),
    ...(podCIDR === undefined ? {} : { podCIDR }),
  });
  return new Nodes(options, processes);
}
