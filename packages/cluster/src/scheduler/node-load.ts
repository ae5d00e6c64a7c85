import type { Container, Node, Pod } from '@coxswain/k8s';
import { parseQuantity, quantityMilliValue } from '@coxswain/runtime/core';

/** What is asked of, or left on, a node, in thousandths: CPU in millicores, memory in millibytes. */
export interface Amounts {
  readonly cpu: number;
  readonly memory: number;
}

/** A node with what runs on it. */
export interface NodeLoad extends Amounts {
  readonly allocatable: Amounts & { readonly pods: number };
  readonly pods: number;
  readonly running: readonly Pod[];
}

function amount(text: string | undefined): number {
  return text === undefined ? 0 : Number(quantityMilliValue(parseQuantity(text)));
}

function requestsOf(container: Container): Amounts {
  const requests = container.resources?.requests;
  return { cpu: amount(requests?.['cpu']), memory: amount(requests?.['memory']) };
}

const requestsByPod = new WeakMap<Pod, Amounts>();

/** A pod needs the sum of its containers, or its largest init container if that is more, and its overhead. */
export function podRequests(pod: Pod): Amounts {
  const known = requestsByPod.get(pod) ?? addRequests(pod);
  requestsByPod.set(pod, known);
  return known;
}

function addRequests(pod: Pod): Amounts {
  const main = (pod.spec?.containers ?? []).map(requestsOf);
  const init = (pod.spec?.initContainers ?? []).map(requestsOf);
  const need = (resource: keyof Amounts) => {
    const sum = main.reduce((total, one) => total + one[resource], 0);
    return Math.max(sum, ...init.map((one) => one[resource])) + amount(pod.spec?.overhead?.[resource]);
  };
  return { cpu: need('cpu'), memory: need('memory') };
}

/** Adds up the pods of a node. Pods that have ended take nothing. */
export function nodeLoad(node: Node, pods: Iterable<Pod>): NodeLoad {
  const running = [...pods].filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
  const allocatable = node.status?.allocatable;
  let cpu = 0;
  let memory = 0;
  for (const pod of running) {
    const requests = podRequests(pod);
    cpu += requests.cpu;
    memory += requests.memory;
  }
  return {
    cpu,
    memory,
    pods: running.length,
    running,
    allocatable: {
      cpu: amount(allocatable?.['cpu']),
      memory: amount(allocatable?.['memory']),
      pods: amount(allocatable?.['pods']) / 1000,
    },
  };
}
