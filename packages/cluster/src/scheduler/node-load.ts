import type { Container, Node, Pod } from '@coxswain/k8s';
import { parseQuantity, quantityMilliValue } from '@coxswain/runtime/core';

/** Amounts by resource (`cpu`, `memory`, `example.com/gpu` …), in thousandths. */
export type Amounts = ReadonlyMap<string, number>;

/** A node with what runs on it. Pods that have ended take nothing. */
export interface NodeLoad {
  readonly requested: Amounts;
  readonly allocatable: Amounts;
  readonly pods: Iterable<Pod>;
  /** Number of pods. */
  readonly count: number;
}

function amountsOf(quantities: Readonly<Record<string, string>> | undefined): Amounts {
  return new Map(
    Object.entries(quantities ?? {}).map(([name, text]) => [name, Number(quantityMilliValue(parseQuantity(text)))]),
  );
}

function add(sum: Map<string, number>, amounts: Amounts, factor = 1): void {
  for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0) + factor * amount);
}

const requestsByPod = new WeakMap<Pod, Amounts>();
const allocatableByNode = new WeakMap<Node, Amounts>();

/** A pod needs the sum of its containers and sidecars, or its largest init container if that is more, and its overhead. */
export function podRequests(pod: Pod): Amounts {
  const known = requestsByPod.get(pod) ?? addRequests(pod);
  requestsByPod.set(pod, known);
  return known;
}

function addRequests(pod: Pod): Amounts {
  const requests = (container: Container) => amountsOf(container.resources?.requests);
  const need = new Map<string, number>();
  for (const container of pod.spec?.containers ?? []) add(need, requests(container));
  for (const container of pod.spec?.initContainers ?? []) {
    const own = requests(container);
    if (container.restartPolicy === 'Always') add(need, own);
    else for (const [name, amount] of own) need.set(name, Math.max(need.get(name) ?? 0, amount));
  }
  add(need, amountsOf(pod.spec?.overhead));
  return need;
}

/** What a node has for pods. */
export function allocatableOf(node: Node): Amounts {
  const known = allocatableByNode.get(node) ?? amountsOf(node.status?.allocatable);
  allocatableByNode.set(node, known);
  return known;
}

/** Adds (or with -1 takes away) a pod's requests. */
export function addPod(sum: Map<string, number>, pod: Pod, factor: 1 | -1): void {
  add(sum, podRequests(pod), factor);
}
