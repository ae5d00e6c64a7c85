import type { Container, Node, Pod } from '@coxswain/k8s';
import { parseQuantity } from '@coxswain/runtime/core';
import type { Storage } from '../../storage/types.ts';
import type { ContainerUsage, NodeConnections } from '../nodes.ts';

/** What a running pod uses. */
export interface PodUsage {
  readonly pod: Pod;
  /** By name of the container, in the order of the spec. */
  readonly containers: ReadonlyMap<string, ContainerUsage>;
}

export interface UsageOptions {
  readonly storage: Storage;
  /** Nodes that can measure say so. */
  readonly nodes: NodeConnections;
  /** Share of its requests that a container uses which nobody measures. Default 0.5. */
  readonly share?: number;
}

/** Of containers that are not measured and request nothing. */
const least: ContainerUsage = { cpuNanoCores: 1_000_000, memoryBytes: 16 * 1024 * 1024 };

function byRule({ resources }: Container, share: number): ContainerUsage {
  const { cpu, memory } = resources?.requests ?? {};
  return {
    cpuNanoCores: cpu === undefined ? least.cpuNanoCores : Math.round(Number(parseQuantity(cpu).nano) * share),
    memoryBytes:
      memory === undefined ? least.memoryBytes : Math.round((Number(parseQuantity(memory).nano) / 1e9) * share),
  };
}

function runningContainers({ spec, status }: Pod): readonly Container[] {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const runs = ({ name }: Container) => statuses.some((one) => one.name === name && one.state?.running);
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].filter(runs);
}

function usageOf(pod: Pod, { nodes, share = 0.5 }: UsageOptions): PodUsage {
  const { namespace = '', name, uid = '' } = pod.metadata;
  const measured = nodes.get(pod.spec?.nodeName ?? '')?.usage?.({ namespace, name, uid });
  const containers = runningContainers(pod).map(
    (container) => [container.name, measured?.get(container.name) ?? byRule(container, share)] as const,
  );
  return { pod, containers: new Map(containers) };
}

/** What all running pods use now. */
export function podUsages(options: UsageOptions): readonly PodUsage[] {
  const pods = options.storage.list('/pods').objects as readonly unknown[] as readonly Pod[];
  return pods.filter(({ status }) => status?.phase === 'Running').map((pod) => usageOf(pod, options));
}

export function sumOf(usages: Iterable<ContainerUsage>): ContainerUsage {
  let cpuNanoCores = 0;
  let memoryBytes = 0;
  for (const usage of usages) {
    cpuNanoCores += usage.cpuNanoCores;
    memoryBytes += usage.memoryBytes;
  }
  return { cpuNanoCores, memoryBytes };
}

/** What the nodes that are ready use now: the sum of their pods. Others cannot be asked. */
export function nodeUsages(options: UsageOptions): readonly (readonly [Node, ContainerUsage])[] {
  const byNode = Map.groupBy(podUsages(options), ({ pod }) => pod.spec?.nodeName ?? '');
  const nodes = options.storage.list('/nodes').objects as readonly unknown[] as readonly Node[];
  return nodes
    .filter(({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'))
    .map((node) => {
      const pods = byNode.get(node.metadata.name) ?? [];
      return [node, sumOf(pods.flatMap(({ containers }) => [...containers.values()]))] as const;
    });
}
