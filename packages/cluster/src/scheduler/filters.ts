import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod, Taint, Toleration } from '@coxswain/k8s';
import type { NodeLoad } from './node-load.ts';
import { podRequests } from './node-load.ts';

/** Why a pod cannot run on a node, in the words `kubectl describe pod` shows; `undefined` when it can. */
export type Filter = (pod: Pod, node: Node, load: NodeLoad) => string | undefined;

function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  return (toleration.operator ?? 'Equal') === 'Exists' || (toleration.value ?? '') === (taint.value ?? '');
}

export function tolerated(pod: Pod, taint: Taint): boolean {
  return pod.spec?.tolerations?.some((toleration) => tolerates(toleration, taint)) ?? false;
}

const unschedulable: Filter = (pod, node) => {
  if (!node.spec?.unschedulable) return undefined;
  const taint: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  return tolerated(pod, taint) ? undefined : 'node(s) were unschedulable';
};

const taints: Filter = (pod, node) => {
  const hard = (node.spec?.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule');
  return hard.every((taint) => tolerated(pod, taint)) ? undefined : 'node(s) had untolerated taint(s)';
};

function requirementHolds(requirement: NodeSelectorRequirement, values: Readonly<Record<string, string>>): boolean {
  const value = values[requirement.key];
  const wanted = requirement.values ?? [];
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && wanted.includes(value);
    case 'NotIn':
      return value === undefined || !wanted.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(wanted[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(wanted[0]);
    default:
      return false;
  }
}

export function termHolds(term: NodeSelectorTerm, node: Node): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length + fields.length === 0) return false;
  const byField = { 'metadata.name': node.metadata.name };
  return (
    expressions.every((one) => requirementHolds(one, node.metadata.labels ?? {})) &&
    fields.every((one) => requirementHolds(one, byField))
  );
}

const nodeAffinity: Filter = (pod, node) => {
  const selector = Object.entries(pod.spec?.nodeSelector ?? {}).every(
    ([key, value]) => node.metadata.labels?.[key] === value,
  );
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const affinity = !required || required.nodeSelectorTerms.some((term) => termHolds(term, node));
  return selector && affinity ? undefined : "node(s) didn't match Pod's node affinity/selector";
};

const resources: Filter = (pod, _node, { allocatable, requested, count }) => {
  if ((count + 1) * 1000 > (allocatable.get('pods') ?? 0)) return 'Too many pods';
  for (const [name, amount] of podRequests(pod))
    if (amount > 0 && amount > (allocatable.get(name) ?? 0) - (requested.get(name) ?? 0)) return `Insufficient ${name}`;
  return undefined;
};

function hostPorts(pod: Pod): string[] {
  return (pod.spec?.containers ?? []).flatMap(({ ports }) =>
    (ports ?? []).filter(({ hostPort }) => hostPort).map((port) => `${port.protocol ?? 'TCP'}/${port.hostPort}`),
  );
}

const ports: Filter = (pod, _node, load) => {
  const wanted = hostPorts(pod);
  const taken =
    wanted.length > 0 && [...load.pods].some((other) => hostPorts(other).some((port) => wanted.includes(port)));
  return taken ? "node(s) didn't have free ports for the requested pod ports" : undefined;
};

/** In the order in which their reasons count. */
export const filters: readonly Filter[] = [unschedulable, taints, nodeAffinity, ports, resources];
