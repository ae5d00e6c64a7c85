import type { DaemonSet, Node, Pod } from '@coxswain/k8s';
import { intOrPercent } from '../workload/int-or-percent.ts';
import { untilAvailable } from '../workload/pods.ts';
import { judge, podsByNode } from './nodes.ts';
import { isUpdated } from './template.ts';

/** A set with the nodes and pods it is decided for. */
export interface Situation {
  readonly set: DaemonSet;
  /** As the template says, without a node. */
  readonly pod: Pod;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  /** Of the template's revision. */
  readonly hash: string;
  readonly now: number;
}

/** What a pass does. */
export interface Moves {
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

/** How many nodes may have two pods, or none that is available, while a new template is rolled out. */
export interface UpdateLimits {
  readonly surge: number;
  readonly unavailable: number;
}

export function isRolling({ spec }: DaemonSet): boolean {
  return (spec.updateStrategy?.type ?? 'RollingUpdate') === 'RollingUpdate';
}

/** @param desired nodes that should have a pod */
export function updateLimits({ spec }: DaemonSet, desired: number): UpdateLimits {
  const rolling = spec.updateStrategy?.rollingUpdate;
  const surge = intOrPercent(rolling?.maxSurge, desired, 'up', 0);
  const unavailable = intOrPercent(rolling?.maxUnavailable, desired, 'up', 1);
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

export function isAvailable({ set, now }: Situation, pod: Pod): boolean {
  return untilAvailable(pod, set.spec.minReadySeconds ?? 0, now) === 0;
}

interface Pair {
  readonly fresh: Pod | undefined;
  readonly old: Pod | undefined;
}

/** The one pod of the new template and the one of an older template on a node; `undefined` when there are more: the extra ones go first. */
function pairOn({ set, hash }: Situation, pods: readonly Pod[]): Pair | undefined {
  const alive = pods.filter(({ metadata }) => !metadata.deletionTimestamp);
  const fresh = alive.filter((pod) => isUpdated(set, pod, hash));
  const old = alive.filter((pod) => !isUpdated(set, pod, hash));
  return fresh.length > 1 || old.length > 1 ? undefined : { fresh: fresh[0], old: old[0] };
}

/** Old pods go, so many that no more nodes than allowed are without an available pod. Old pods that are not available need no leave. */
function replace(situation: Situation, byNode: ReadonlyMap<string, readonly Pod[]>, limit: number): Moves {
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const pods of byNode.values()) {
    const pair = pairOn(situation, pods);
    const shown = pair?.fresh ?? pair?.old;
    const available = shown !== undefined && isAvailable(situation, shown);
    if (!available) unavailable++;
    if (!pair?.old || pair.fresh) continue;
    (available ? candidates : broken).push(pair.old);
  }
  const leave = Math.max(0, limit - unavailable);
  return { create: [], remove: [...broken, ...candidates.slice(0, leave)] };
}

/** New pods come beside old ones, on so many nodes at a time as allowed; the old one goes when the new one is available. */
function surge(situation: Situation, byNode: ReadonlyMap<string, readonly Pod[]>, limit: number): Moves {
  const allowed: string[] = [];
  const candidates: string[] = [];
  const remove: Pod[] = [];
  let surging = 0;
  const mayRun = new Set(
    situation.nodes.filter((node) => judge(situation.pod, node).run).map(({ metadata }) => metadata.name),
  );
  for (const [node, pods] of byNode) {
    const pair = pairOn(situation, pods);
    if (!pair) surging++;
    else if (!pair.old) continue;
    else if (!pair.fresh) {
      if (!mayRun.has(node)) continue;
      (isAvailable(situation, pair.old) ? candidates : allowed).push(node);
    } else if (!isAvailable(situation, pair.old) || isAvailable(situation, pair.fresh)) remove.push(pair.old);
    else surging++;
  }
  return { create: [...allowed, ...candidates.slice(0, Math.max(0, limit - surging))], remove };
}

/** The next step from older templates to the present one. */
export function rollingMoves(situation: Situation): Moves {
  const { set, pod, nodes, pods } = situation;
  const byNode = podsByNode(pods);
  const desired = nodes.filter((node) => judge(pod, node).run).length;
  const limits = updateLimits(set, desired);
  return limits.surge > 0 ? surge(situation, byNode, limits.surge) : replace(situation, byNode, limits.unavailable);
}
