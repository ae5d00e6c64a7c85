import type { Rejection } from './plugins/index.ts';

/** Why no node can take a pod. */
export interface Diagnosis {
  /** Nodes there are. */
  readonly total: number;
  /** No node was even asked. */
  readonly all?: Rejection;
  /** By name of the node. */
  readonly byNode: ReadonlyMap<string, Rejection>;
  /** Of the nodes that were not asked because others were named. */
  readonly absent?: Rejection;
}

/** The pod has no node to be placed on, because there is none. */
export const noNodes = 'no nodes available to schedule pods';

/** `2 Insufficient cpu, 1 node(s) were unschedulable` in the order of the texts. */
function histogram({ total, byNode, absent }: Diagnosis): string {
  const counts = new Map<string, number>();
  const count = (rejection: Rejection, by: number) => {
    for (const reason of rejection.reasons) counts.set(reason, (counts.get(reason) ?? 0) + by);
  };
  for (const rejection of byNode.values()) count(rejection, 1);
  if (absent && byNode.size < total) count(absent, total - byNode.size);
  const lines = [...counts].map(([reason, number]) => `${number} ${reason}`);
  return lines.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).join(', ');
}

/** `0/3 nodes are available: 3 Insufficient cpu.` */
export function verdict(diagnosis: Diagnosis): string {
  const why = diagnosis.all ? diagnosis.all.reasons.join(', ') : histogram(diagnosis);
  return `0/${diagnosis.total} nodes are available:${why ? ` ${why}.` : ''}`;
}

/** The plugins that stood against the pod: what may help it is what may change their minds. */
export function rejectors({ all, byNode, absent }: Diagnosis): ReadonlySet<string> {
  const names = new Set([...byNode.values()].map(({ plugin }) => plugin));
  for (const rejection of [all, absent]) if (rejection) names.add(rejection.plugin);
  return names;
}
