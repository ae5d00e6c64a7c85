import type { Pod } from '@coxswain/k8s';
import { matchesLabels, type Selector } from '@coxswain/runtime/core';
import { compileSelector, withLabelKeys } from '../state/affinity-term.ts';
import type { NodeInfo } from '../state/node-info.ts';
import { podAllowsNode } from '../state/node-selection.ts';
import type { CountsByNode } from '../state/pod-counters.ts';
import type { PodInfo } from '../state/pod-info.ts';
import { tolerated } from '../state/tolerations.ts';
import { ownSelector } from './own-selector.ts';
import type { Cycle, NodeFilter, NodeScores, Plugin, Rejection } from './types.ts';

const name = 'PodTopologySpread';
const uneven = "node(s) didn't match pod topology spread constraints";
const mismatch: Rejection = { plugin: name, reasons: [uneven], unresolvable: false };
const unlabelled: Rejection = { plugin: name, reasons: [`${uneven} (missing required label)`], unresolvable: true };
const hostname = 'kubernetes.io/hostname';

interface Constraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly selector: Selector;
  readonly heedsAffinity: boolean;
  readonly heedsTaints: boolean;
}

/** What pods of a workload are spread by when they do not say. */
const defaults = [
  { topologyKey: hostname, maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5 },
] as const;

function constraintsOf(pod: Pod, action: 'DoNotSchedule' | 'ScheduleAnyway'): Constraint[] {
  return (pod.spec?.topologySpreadConstraints ?? [])
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action)
    .map((one) => ({
      topologyKey: one.topologyKey,
      maxSkew: one.maxSkew,
      minDomains: one.minDomains ?? 1,
      selector: withLabelKeys(compileSelector(one.labelSelector), one.matchLabelKeys, pod.metadata.labels),
      heedsAffinity: (one.nodeAffinityPolicy ?? 'Honor') === 'Honor',
      heedsTaints: one.nodeTaintsPolicy === 'Honor',
    }));
}

function defaultConstraints(cycle: Cycle): Constraint[] {
  if (cycle.info.pod.spec?.topologySpreadConstraints?.length) return [];
  const selector = ownSelector(cycle);
  if (!selector) return [];
  return defaults.map((one) => ({ ...one, minDomains: 1, selector, heedsAffinity: true, heedsTaints: false }));
}

/** Whether the pods of a node count for a constraint. */
function counts({ heedsAffinity, heedsTaints }: Constraint, { info: { pod } }: Cycle, { node }: NodeInfo): boolean {
  if (!node) return false;
  if (heedsAffinity && !podAllowsNode(pod, node)) return false;
  const hard = heedsTaints ? (node.spec?.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule') : [];
  return hard.every((taint) => tolerated(pod.spec?.tolerations, taint));
}

function hasLabels(node: NodeInfo, constraints: readonly Constraint[]): boolean {
  return constraints.every(({ topologyKey }) => node.label(topologyKey) !== undefined);
}

function podsByNode({ state, info }: Cycle, { selector }: Constraint): CountsByNode {
  // as the real scheduler counts: a selector without requirements selects nobody here
  if (selector.length === 0) return new Map();
  const { namespace } = info;
  return state.counts(
    `spread ${namespace} ${JSON.stringify(selector)}`,
    ({ metadata }) =>
      metadata.namespace === namespace && !metadata.deletionTimestamp && matchesLabels(selector, metadata.labels),
  );
}

/** A hard constraint with the matching pods of each domain. */
class Domains {
  readonly constraint: Constraint;
  readonly #counts = new Map<string, number>();

  constructor(constraint: Constraint) {
    this.constraint = constraint;
  }

  add(domain: string, by: number): void {
    this.#counts.set(domain, (this.#counts.get(domain) ?? 0) + by);
  }

  /** How far above the emptiest domain this one would be. */
  skew(domain: string, own: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (const count of this.#counts.values()) least = Math.min(least, count);
    if (this.#counts.size < this.constraint.minDomains || least === Number.POSITIVE_INFINITY) least = 0;
    return (this.#counts.get(domain) ?? 0) + own - least;
  }
}

function hardFilter(cycle: Cycle): NodeFilter | undefined {
  const constraints = constraintsOf(cycle.info.pod, 'DoNotSchedule');
  if (constraints.length === 0) return undefined;
  const { state, info } = cycle;
  const all = constraints.map((constraint) => new Domains(constraint));
  const pods = constraints.map((constraint) => podsByNode(cycle, constraint));
  for (const node of state.nodes) {
    if (!hasLabels(node, constraints)) continue;
    all.forEach((domains, i) => {
      if (counts(domains.constraint, cycle, node))
        domains.add(node.label(domains.constraint.topologyKey) ?? '', pods[i]?.get(node.name) ?? 0);
    });
  }
  const own = constraints.map(({ selector }) => (matchesLabels(selector, info.pod.metadata.labels) ? 1 : 0));
  return {
    check(node) {
      for (const [i, domains] of all.entries()) {
        const domain = node.label(domains.constraint.topologyKey);
        if (domain === undefined) return unlabelled;
        if (domains.skew(domain, own[i] ?? 0) > domains.constraint.maxSkew) return mismatch;
      }
      return undefined;
    },
    change(other, node, by) {
      if (other.namespace !== info.namespace || !hasLabels(node, constraints)) return;
      if (other.pod.metadata.deletionTimestamp) return;
      for (const domains of all) {
        const { constraint } = domains;
        if (matchesLabels(constraint.selector, other.pod.metadata.labels) && counts(constraint, cycle, node))
          domains.add(node.label(constraint.topologyKey) ?? '', by);
      }
    },
  };
}

/** Soft constraints: points for each node, before they are scaled; `undefined` for nodes that lack a label. */
function softPoints(cycle: Cycle, nodes: readonly NodeInfo[], constraints: readonly Constraint[], strict: boolean) {
  const left = nodes.map((node) => strict && !hasLabels(node, constraints));
  const kept = left.filter((one) => !one).length;
  const points = new Float64Array(nodes.length);
  for (const constraint of constraints) {
    const { topologyKey, maxSkew } = constraint;
    const pods = podsByNode(cycle, constraint);
    const perHost = topologyKey === hostname;
    const domains = new Map<string, number>();
    if (!perHost) {
      nodes.forEach((node, i) => {
        const domain = left[i] ? undefined : node.label(topologyKey);
        if (domain !== undefined) domains.set(domain, 0);
      });
      for (const node of cycle.state.nodes) {
        if ((strict && !hasLabels(node, constraints)) || !counts(constraint, cycle, node)) continue;
        const domain = node.label(topologyKey) ?? '';
        const sum = domains.get(domain);
        if (sum !== undefined) domains.set(domain, sum + (pods.get(node.name) ?? 0));
      }
    }
    const weight = Math.log((perHost ? kept : domains.size) + 2);
    nodes.forEach((node, i) => {
      const domain = node.label(topologyKey);
      if (left[i] || domain === undefined) return;
      const count = perHost ? (pods.get(node.name) ?? 0) : (domains.get(domain) ?? 0);
      points[i] = (points[i] ?? 0) + count * weight + maxSkew - 1;
    });
  }
  return nodes.map((_, i) => (left[i] ? undefined : Math.round(points[i] ?? 0)));
}

function softScores(cycle: Cycle, nodes: readonly NodeInfo[]): NodeScores | undefined {
  const stated = (cycle.info.pod.spec?.topologySpreadConstraints?.length ?? 0) > 0;
  const constraints = stated ? constraintsOf(cycle.info.pod, 'ScheduleAnyway') : defaultConstraints(cycle);
  if (constraints.length === 0) return undefined;
  const points = softPoints(cycle, nodes, constraints, stated);
  const known = points.filter((point) => point !== undefined);
  const least = known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = known.reduce((a, b) => Math.max(a, b), 0);
  return points.map((point) => {
    if (point === undefined) return 0;
    return most === 0 ? 100 : Math.floor((100 * (most + least - point)) / most);
  });
}

/** Whether a hard constraint of a pod counts another one. */
export function spreadCounts({ pod, namespace }: PodInfo, other: PodInfo): boolean {
  if (other.namespace !== namespace) return false;
  return constraintsOf(pod, 'DoNotSchedule').some(({ selector }) => matchesLabels(selector, other.pod.metadata.labels));
}

/** Pods of a workload spread over domains: as hard rules, as wishes, and by default where they say nothing. */
export const topologySpread: Plugin = { name, filter: hardFilter, weight: 2, score: softScores };
