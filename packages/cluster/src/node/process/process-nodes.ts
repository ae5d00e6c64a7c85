import { mkdir, readFile, statfs } from 'node:fs/promises';
import { availableParallelism, release, totalmem } from 'node:os';
import type { NodeSpec } from '../kubelet/managed-node.ts';
import type { PodNetwork } from '../network/index.ts';
import type { ContainerRuntime } from '../runtime.ts';

export interface ProcessNodesOptions {
  readonly names: readonly string[];
  readonly network: PodNetwork;
  readonly runtime: ContainerRuntime;
  /** Of the runtime. */
  readonly dataDir: string;
}

/** A node's label by which pods choose nodes that run processes. */
export const nodeTypeLabel = 'coxswain.io/node-type';

async function osImage(): Promise<string> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return /^PRETTY_NAME="?([^"\n]*)/m.exec(text)?.[1] || 'Linux';
}

/** What the machine has: each of its nodes believes to have it all. */
async function machineCapacity(dataDir: string): Promise<Record<string, string>> {
  await mkdir(dataDir, { recursive: true });
  const { blocks, bsize } = await statfs(dataDir);
  return {
    cpu: String(availableParallelism()),
    memory: `${Math.floor(totalmem() / 1024)}Ki`,
    pods: '110',
    'ephemeral-storage': `${Math.floor((blocks * bsize) / 1024)}Ki`,
  };
}

/** Nodes that run processes of this machine, each with its place in the network. */
export async function processNodes({ names, network, runtime, dataDir }: ProcessNodesOptions): Promise<NodeSpec[]> {
  const [capacity, system] = [await machineCapacity(dataDir), await osImage()];
  const nodes: NodeSpec[] = [];
  for (const name of names) {
    const { address, podRange } = await network.joinNode(name);
    nodes.push({
      name,
      address,
      podCIDR: podRange,
      runtime,
      capacity,
      labels: { [nodeTypeLabel]: 'process' },
      kernel: release(),
      osImage: system,
    });
  }
  return nodes;
}
