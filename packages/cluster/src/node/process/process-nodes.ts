import type { NodeSpec } from '../kubelet/index.ts';
import type { PodNetwork } from '../network/index.ts';
import type { ContainerRuntime } from '../runtime.ts';
import { machineFacts } from './machine-facts.ts';

export interface ProcessNodesOptions {
  readonly names: readonly string[];
  readonly network: PodNetwork;
  readonly runtime: ContainerRuntime;
  /** Of the runtime. */
  readonly dataDir: string;
}

/** A node's label by which pods choose nodes that run processes. */
const nodeTypeLabel = 'coxswain.io/node-type';

/** Nodes that run processes of this machine, each with its place in the network. */
export async function processNodes({ names, network, runtime, dataDir }: ProcessNodesOptions): Promise<NodeSpec[]> {
  const facts = await machineFacts(dataDir);
  const nodes: NodeSpec[] = [];
  for (const name of names) {
    const { address, podRange } = await network.joinNode(name);
    nodes.push({ name, address, podCIDR: podRange, runtime, labels: { [nodeTypeLabel]: 'process' }, ...facts });
  }
  return nodes;
}
