import type { NodeInfo } from '../state/node-info.ts';
import type { Resources } from '../state/resources.ts';
import type { Plugin, Rejection } from './types.ts';

const name = 'NodeResourcesFit';
const tooManyPods = 'Too many pods';
const full: Rejection = { plugin: name, reasons: [tooManyPods], unresolvable: false };
/** The usual rejections, made once. */
const short = new Map<string, Rejection>();

function shortOf(reason: string, unresolvable: boolean): Rejection {
  const key = `${unresolvable ? '!' : ''}${reason}`;
  const known = short.get(key) ?? { plugin: name, reasons: [reason], unresolvable };
  if (short.size < 64) short.set(key, known);
  return known;
}

class Shortage {
  reasons: string[] | undefined;
  unresolvable = false;

  compare(resource: string, wanted: number, allocatable: number, requested: number): void {
    if (wanted === 0 || wanted <= allocatable - requested) return;
    this.reasons ??= [];
    this.reasons.push(`Insufficient ${resource}`);
    if (wanted > allocatable) this.unresolvable = true;
  }
}

function lacks(want: Resources, { allocatable, requested, pods, podLimit }: NodeInfo): Rejection | undefined {
  const crowded = pods.size + 1 > podLimit;
  const shortage = new Shortage();
  shortage.compare('cpu', want.cpu, allocatable.cpu, requested.cpu);
  shortage.compare('memory', want.memory, allocatable.memory, requested.memory);
  shortage.compare('ephemeral-storage', want.storage, allocatable.storage, requested.storage);
  for (const [scalar, amount] of want.scalars ?? [])
    shortage.compare(scalar, amount, allocatable.scalars?.get(scalar) ?? 0, requested.scalars?.get(scalar) ?? 0);
  const { reasons, unresolvable } = shortage;
  if (!reasons) return crowded ? full : undefined;
  const [reason = ''] = reasons;
  if (reasons.length === 1 && !crowded) return shortOf(reason, unresolvable);
  return { plugin: name, reasons: crowded ? [tooManyPods, ...reasons] : reasons, unresolvable };
}

function freeShare(requested: number, allocatable: number): number {
  return requested > allocatable ? 0 : Math.floor(((allocatable - requested) * 100) / allocatable);
}

/** A node has what a pod asks for; the emptier it is then, the better. */
export const resourceFit: Plugin = {
  name,
  filter({ info: { requests } }) {
    return { check: (node) => lacks(requests, node) };
  },
  weight: 1,
  score({ info }, nodes) {
    const points = new Float64Array(nodes.length);
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i];
      if (!node) continue;
      const { allocatable, assumed } = node;
      let sum = 0;
      let weights = 0;
      if (allocatable.cpu > 0) {
        sum += freeShare(assumed.cpu + info.assumed.cpu, allocatable.cpu);
        weights++;
      }
      if (allocatable.memory > 0) {
        sum += freeShare(assumed.memory + info.assumed.memory, allocatable.memory);
        weights++;
      }
      points[i] = weights > 0 ? Math.floor(sum / weights) : 0;
    }
    return points;
  },
};
