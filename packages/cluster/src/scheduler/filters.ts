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

const unschedulable: Filter = (pod, node) => {
  if (!node.spec?.unschedulable) return undefined;
  const taint: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  return pod.spec?.tolerations?.some((toleration) => tolerates(toleration, taint))
    ? undefined
    : 'node(s) were unschedulable';
};

const taints: Filter = (pod, node) => {
  const hard = (node.spec?.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule');
  const bad = hard.find((taint) => !pod.spec?.tolerations?.some((toleration) => tolerates(toleration, taint)));
  return bad && `node(s) had untolerated taint(s)`;
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

function termHolds(term: NodeSelectorTerm, node: Node): boolean {
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

const resources: Filter = (pod, _node, load) => {
  if (load.pods + 1 > load.allocatable.pods) return 'Too many pods';
  const wanted = podRequests(pod);
  if (wanted.cpu > load.allocatable.cpu - load.cpu) return 'Insufficient cpu';
  if (wanted.memory > load.allocatable.memory - load.memory) return 'Insufficient memory';
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
    wanted.length > 0 && load.running.some((other) => hostPorts(other).some((port) => wanted.includes(port)));
  return taken ? "node(s) didn't have free ports for the requested pod ports" : undefined;
};

/** In the order in which their reasons count. */
export const filters: readonly Filter[] = [unschedulable, taints, nodeAffinity, ports, resources];
