import { Node, Pod } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import { type NodeSpec, removeNode } from '../kubelet/index.ts';
import { PodAddresses } from './address.ts';
import { defaultBehaviour, type PodBehaviour } from './behaviour.ts';
import type { SimulatedPrograms } from './programs.ts';
import { SimulatedRuntime } from './simulated-runtime.ts';
import type { Stage } from './stage.ts';
import { stagedBehaviour } from './stages.ts';

export interface SimulatedNodesOptions {
  /** How many; named `node-1` … */
  readonly count: number;
  /** Whether more of them that are in the cluster go on; otherwise they are removed with their pods. Default false. */
  readonly keep?: boolean;
  readonly behaviour?: PodBehaviour;
  /** Rules that go before it. */
  readonly stages?: readonly Stage[];
  /** Whether what goes well is told in events of pods, too. Default false. */
  readonly talkative?: boolean;
  /** What stands in for the programs of containers; default nothing. */
  readonly programs?: SimulatedPrograms;
}

const capacity = { cpu: '64', memory: '256Gi', pods: '1000', 'ephemeral-storage': '1Ti' };

/** The simulated nodes of a cluster, by number; all share one runtime. */
export class SimulatedNodes {
  readonly #manager: Manager;
  readonly #options: SimulatedNodesOptions;
  readonly #runtime: SimulatedRuntime;
  readonly #addresses = new Map<string, string>();
  #next = 0;

  constructor(manager: Manager, options: SimulatedNodesOptions) {
    this.#manager = manager;
    this.#options = options;
    const { clock, random } = manager;
    const { behaviour = defaultBehaviour, stages } = options;
    this.#runtime = new SimulatedRuntime({
      clock,
      random,
      behaviour: stages?.length ? stagedBehaviour(stages, behaviour, random) : behaviour,
      programs: options.programs ?? (() => undefined),
      addresses: new PodAddresses(() => this.#taken()),
      nodeAddress: (node) => this.#addresses.get(node),
    });
  }

  /** Those that the cluster starts with. */
  async initial(): Promise<readonly NodeSpec[]> {
    const { count, keep = false } = this.#options;
    const wanted = Array.from({ length: count }, () => this.next());
    const names = new Set(wanted.map(({ name }) => name));
    const left: NodeSpec[] = [];
    for await (const { metadata, status } of this.#manager.client.of(Node).listAll()) {
      if (names.has(metadata.name) || status?.nodeInfo?.containerRuntimeVersion !== this.#runtime.version) continue;
      const address = status.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '';
      if (keep) left.push(this.#spec(metadata.name, address));
      else await removeNode(this.#manager.client, metadata.name);
    }
    return [...wanted, ...left];
  }

  /** One more. @param name default: the next number */
  next(name?: string): NodeSpec {
    const index = this.#next++;
    return this.#spec(name ?? `node-${index + 1}`, `10.77.${Math.floor(index / 250)}.${(index % 250) + 2}`);
  }

  #spec(name: string, address: string): NodeSpec {
    this.#addresses.set(name, address);
    const quiet = !this.#options.talkative;
    return { name, address, runtime: this.#runtime, capacity, kernel: 'simulated', osImage: 'simulated', quiet };
  }

  *#taken(): Iterable<string> {
    for (const { status } of this.#manager.cache.store(Pod).list())
      if (status?.podIP && status.phase !== 'Succeeded' && status.phase !== 'Failed') yield status.podIP;
  }
}
