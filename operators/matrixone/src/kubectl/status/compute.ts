import type { Pod } from '@coxswain/k8s';
import {
  ANNOTATION_DRAINING_START,
  ANNOTATION_SCORE,
  ANNOTATION_STORE_CORDON,
  type CNSet,
  CONDITION_CN_STORE,
  LABEL_CLAIMED_BY,
  LABEL_CN_UUID,
  LABEL_POOL,
  phaseOf,
} from '../../api/index.ts';
import { drainTimeout, storeState } from '../../cnstore/index.ts';
import { age, counted } from '../text.ts';
import { type Health, known, type StatusNode } from './node.ts';
import { elapsed, lifecycle, podFacts, podTrouble } from './pod.ts';
import { podNode } from './stores.ts';

/** What a compute node serves, as the operator last noted it. */
export interface NotedLoad {
  readonly sessions: number;
  readonly pipelines: number;
  readonly replicas: number;
}

/** The load on a pod's annotation; `undefined` when there is none, or something else is written there. */
export function notedLoad({ metadata }: Pod): NotedLoad | undefined {
  try {
    const score: unknown = JSON.parse(metadata.annotations?.[ANNOTATION_SCORE] ?? 'null');
    if (typeof score !== 'object' || score === null) return undefined;
    const { sessionCount, pipelineCount, replicaCount } = score as Readonly<Record<string, unknown>>;
    return { sessions: count(sessionCount), pipelines: count(pipelineCount), replicas: count(replicaCount) };
  } catch {
    return undefined;
  }
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** `3 sessions, 1 pipeline`; `no sessions` when nothing is left. */
export function loadText({ sessions, pipelines, replicas }: NotedLoad): string {
  const parts = [
    sessions > 0 ? [counted(sessions, 'session')] : [],
    pipelines > 0 ? [counted(pipelines, 'pipeline')] : [],
    replicas > 0 ? [counted(replicas, 'shard replica')] : [],
  ].flat();
  return parts.length > 0 ? parts.join(', ') : 'no sessions';
}

/** A drain under way. */
interface Drain {
  readonly since: string;
  readonly ms: number;
  /** Milliseconds until the node is stopped whatever it has. */
  readonly left: number;
}

function drainOf({ metadata }: Pod, set: CNSet | undefined, now: number): Drain | undefined {
  const since = metadata.annotations?.[ANNOTATION_DRAINING_START];
  const ms = elapsed(since, now);
  if (since === undefined || ms === undefined) return undefined;
  return { since, ms, left: Math.max(0, drainTimeout(set?.spec.scalingConfig) - ms) };
}

function stateText(pod: Pod, state: string, drain: Drain | undefined, isCordoned: boolean): string {
  const gate = pod.status?.conditions?.find(({ type }) => type === CONDITION_CN_STORE);
  const why = gate?.status === 'True' ? '' : gate?.message;
  if (isCordoned) return `Cordoned (kubectl mo undrain ${pod.metadata.name} takes it back)`;
  if (drain) return `Draining for ${age(drain.ms)}, ${why || 'begins'}, at most ${age(drain.left)} more`;
  // the drain is over, and what it waited for last is still written there
  if (state === 'Draining' && lifecycle(pod) === 'Updating') return 'Drained';
  if (state === 'Up' && isUnready(pod)) return 'Up, and its pod is not ready';
  return why ? `${state}: ${why}` : state;
}

/** One compute node. */
export function computeNode(pod: Pod, set: CNSet | undefined, now: number): StatusNode {
  const { name, annotations, labels } = pod.metadata;
  const isCordoned = annotations?.[ANNOTATION_STORE_CORDON] !== undefined;
  const drain = drainOf(pod, set, now);
  const load = notedLoad(pod);
  const state = storeState(pod);
  const isPooled = labels?.[LABEL_POOL] !== undefined;
  const phase = isPooled ? phaseOf(pod) : undefined;
  const claim = labels?.[LABEL_CLAIMED_BY];
  const text = [
    stateText(pod, state, drain, isCordoned),
    ...(phase ? [claim ? `${phase} to ${claim}` : phase] : []),
    // a drain says itself what is left
    ...(load && (isCordoned || !drain) ? [loadText(load)] : []),
  ];
  const node = podNode(name, pod, health(pod, state, isCordoned), text.join(', '), set?.spec.image);
  return {
    ...node,
    facts: known({
      uuid: labels?.[LABEL_CN_UUID],
      state,
      ...load,
      cordoned: isCordoned || undefined,
      drainingSince: drain?.since,
      drainSecondsLeft: drain && Math.ceil(drain.left / 1000),
      lifecycle: lifecycle(pod),
      pool: labels?.[LABEL_POOL],
      phase,
      claim,
      ...podFacts(pod, set?.spec.image),
    }),
  };
}

/** What its gate says may be old: the node of a pod that is lost tells nothing more. */
function isUnready({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is !== 'True') ?? false;
}

function health(pod: Pod, state: string, isCordoned: boolean): Health {
  if (podTrouble(pod) || isCordoned) return 'failed';
  return state === 'Up' && !pod.metadata.deletionTimestamp && !isUnready(pod) ? 'ok' : 'waiting';
}
