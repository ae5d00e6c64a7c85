import type { NodeInfo } from '../state/node-info.ts';
import type { Plugin } from './types.ts';

/** 100 when cpu and memory are used to the same share, 50 when one is full and the other empty. */
function balance(cpu: number, memory: number, { allocatable }: NodeInfo): number {
  if (allocatable.cpu === 0 || allocatable.memory === 0) return 100;
  const shares = [Math.min(1, cpu / allocatable.cpu), Math.min(1, memory / allocatable.memory)] as const;
  return Math.trunc((1 - Math.abs(shares[0] - shares[1]) / 2) * 100);
}

/** Nodes whose cpu and memory are used more evenly with the pod than without it. */
export const balancedAllocation: Plugin = {
  name: 'NodeResourcesBalancedAllocation',
  weight: 1,
  score({ info: { requests } }, nodes) {
    if (requests.cpu === 0 && requests.memory === 0) return undefined;
    const points = new Float64Array(nodes.length);
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i];
      if (!node) continue;
      const { cpu, memory } = node.requested;
      const better = balance(cpu + requests.cpu, memory + requests.memory, node) - balance(cpu, memory, node);
      points[i] = 50 + Math.trunc((50 + better) / 2);
    }
    return points;
  },
};
