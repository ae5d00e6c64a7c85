import type { ContainerPort, Node, Pod } from '@coxswain/k8s';
import {
  addResources,
  HostPorts,
  noResources,
  podAllowsNode,
  podLimit,
  podRequests,
  type Resources,
  resourcesOf,
} from '../../scheduler/index.ts';

/** Why a node does not take a pod that was given to it: reason and message of the pod that fails. */
export interface AdmissionRefusal {
  readonly reason: string;
  readonly message: string;
}

/** What a pod takes of its node. */
export interface PodClaim {
  readonly requests: Resources;
  readonly ports: readonly ContainerPort[];
}

/** What several pods take together. */
export class ClaimSum {
  readonly requests = noResources();
  #pods = 0;

  /** How many there are. */
  get pods(): number {
    return this.#pods;
  }

  /** @param factor -1 takes away what was added */
  add({ requests }: PodClaim, factor: 1 | -1 = 1): void {
    addResources(this.requests, requests, factor);
    this.#pods += factor;
  }
}

/** The pods on a node. */
export interface Neighbours {
  /** What all of them take, also those that have ended: kept, so that not every pod is looked at for each new one. */
  readonly most: ClaimSum;
  /** What those have that have not ended. */
  readonly live: () => readonly PodClaim[];
}

export function claimOf(pod: Pod): PodClaim {
  const ports = (pod.spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return { requests: podRequests(pod), ports: ports.filter(({ hostPort }) => hostPort) };
}

const reasons: Readonly<Record<string, string>> = {
  cpu: 'OutOfcpu',
  memory: 'OutOfmemory',
  'ephemeral-storage': 'OutOfephemeral-storage',
  pods: 'OutOfpods',
};

function tooLittle(name: string, requested: number, used: number, capacity: number): AdmissionRefusal | undefined {
  if (requested === 0 || requested <= capacity - used) return undefined;
  const figures = `requested: ${requested}, used: ${used}, capacity: ${capacity}`;
  return {
    reason: reasons[name] ?? `OutOf${name}`,
    message: `Node didn't have enough resource: ${name}, ${figures}`,
  };
}

function predicate(name: string, what: string): AdmissionRefusal {
  return { reason: name, message: `Predicate ${name} failed: ${what}` };
}

function refuseResources(node: Node, { requests }: PodClaim, others: ClaimSum): AdmissionRefusal | undefined {
  const { allocatable } = node.status ?? {};
  const count = tooLittle('pods', 1, others.pods, podLimit(allocatable));
  if (count) return count;
  const have = resourcesOf(allocatable);
  const amounts: (readonly [string, (resources: Resources) => number])[] = [
    ['cpu', ({ cpu }) => cpu],
    ['memory', ({ memory }) => memory],
    ['ephemeral-storage', ({ storage }) => storage],
    // What the node does not have at all is not counted here: it may have been taken away since the pod was placed.
    ...[...(requests.scalars?.keys() ?? [])]
      .filter((name) => have.scalars?.has(name))
      .map((name) => [name, ({ scalars }: Resources) => scalars?.get(name) ?? 0] as const),
  ];
  for (const [name, pick] of amounts) {
    const refusal = tooLittle(name, pick(requests), pick(others.requests), pick(have));
    if (refusal) return refusal;
  }
  return undefined;
}

function sumOf(claims: readonly PodClaim[]): ClaimSum {
  const sum = new ClaimSum();
  for (const claim of claims) sum.add(claim);
  return sum;
}

/**
 * Whether a node takes a pod: what the scheduler has checked is checked again, as pods may come by other ways. The first thing that is
 * wrong counts.
 */
export function admit(node: Node, pod: Pod, claim: PodClaim, others: Neighbours): AdmissionRefusal | undefined {
  const full = refuseResources(node, claim, others.most) && refuseResources(node, claim, sumOf(others.live()));
  if (full) return full;
  if (!podAllowsNode(pod, node)) return predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
  if (claim.ports.length === 0) return undefined;
  const held = new HostPorts();
  for (const { ports } of others.live()) held.add(ports);
  return held.clashes(claim.ports)
    ? predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports")
    : undefined;
}
