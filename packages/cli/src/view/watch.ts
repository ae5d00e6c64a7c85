import { Deployment, Job, type Kind, type KubeObject, Pod, ReplicaSet, StatefulSet, sameResource } from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import type { Cache, Informer } from '@coxswain/runtime/cache';
import type { Clock } from '@coxswain/runtime/core';
import { type Applied, displayName } from '../manifests/apply.ts';
import type { LiveView } from './live.ts';
import { readinessOf } from './readiness.ts';
import { buildTree } from './tree.ts';

const workloads: readonly Kind[] = [Deployment, ReplicaSet, StatefulSet, Job, Pod];
const kruiseWorkloads: readonly Kind[] = [KruiseStatefulSet, CloneSet];

export interface WatchOptions {
  readonly cache: Cache;
  readonly clock: Clock;
  readonly view: LiveView;
  /** What was applied: the roots of the picture, and what must become ready. */
  readonly applied: readonly Applied[];
  /** Kinds of the installed operators. */
  readonly operatorKinds: readonly Kind[];
  /** Whether the Kruise kinds are served. */
  readonly kruise: boolean;
  readonly signal: AbortSignal;
}

/** The objects on screen, kept by informers. */
export interface ClusterWatch {
  /** Resolves when all applied objects are ready; rejects when the signal is aborted. */
  readonly ready: Promise<void>;
  /** A line for each applied object that is not ready: the unmet condition and its reason. */
  unmet(): string[];
  release(): void;
}

function uniqueKinds(kinds: readonly Kind[]): Kind[] {
  return kinds.filter((kind, i) => kinds.findIndex((other) => sameResource(kind, other)) === i);
}

/** Draws at most once a turn, however many events come in it. */
function coalesce(clock: Clock, draw: () => void): () => void {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    clock.after(20, () => {
      waiting = false;
      draw();
    });
  };
}

function unmetLine(item: Applied, object: KubeObject | undefined, expectsCondition: boolean): string | undefined {
  const name = displayName(item.kind, item.key.name);
  if (!object) return `${name}: it does not exist any more`;
  const { ready, phase, reason, condition } = readinessOf(object, expectsCondition);
  if (ready) return undefined;
  if (condition)
    return `${name}: condition ${condition.type} is ${condition.status}: ${condition.reason}: ${condition.message}`;
  return `${name}: ${phase}${reason ? `: ${reason}` : ''}: no condition Ready yet`;
}

/** Starts showing `applied` and what belongs to it. */
export function watchCluster(options: WatchOptions): ClusterWatch {
  const { applied, cache, clock, operatorKinds, signal, view } = options;
  const kinds = uniqueKinds([
    ...applied.map(({ kind }) => kind),
    ...operatorKinds,
    ...workloads,
    ...(options.kruise ? kruiseWorkloads : []),
  ]);
  const informers = new Map<Kind, Informer<KubeObject>>(kinds.map((kind) => [kind, cache.informer(kind)]));
  const isOperators = (kind: Pick<Kind, 'group' | 'kind'>) =>
    operatorKinds.some((own) => own.group === kind.group && own.kind === kind.kind);
  const current = (item: Applied) => {
    const kind = kinds.find((candidate) => sameResource(candidate, item.kind));
    return kind && informers.get(kind)?.store.get(item.key);
  };
  const unmet = () =>
    applied.map((item) => unmetLine(item, current(item), isOperators(item.kind))).filter((line) => line !== undefined);
  const allObjects = function* () {
    for (const informer of informers.values()) yield* informer.store.list();
  };
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  ready.catch(() => {});
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  const draw = () => {
    const roots = applied.map(current).filter((object) => object !== undefined);
    const expects = (object: KubeObject) =>
      isOperators({ group: (object.apiVersion ?? '').split('/')[0] ?? '', kind: object.kind ?? '' });
    view.show(buildTree(roots, allObjects(), expects));
    if (unmet().length === 0) resolve();
  };
  const changed = coalesce(clock, draw);
  for (const informer of informers.values()) informer.onEvent(changed);
  Promise.all([...informers.values()].map((informer) => informer.synced)).then(draw, reject);
  return {
    ready,
    unmet,
    release: () =>
      informers.forEach((informer) => {
        informer.release();
      }),
  };
}
