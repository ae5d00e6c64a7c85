import { Deployment, Job, type Kind, type KubeObject, Pod, ReplicaSet, StatefulSet, sameResource } from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import type { Cache, Informer } from '@coxswain/runtime/cache';
import type { Clock } from '@coxswain/runtime/core';
import { type Applied, displayName } from '../manifests/apply.ts';
import type { LiveView } from './live.ts';
import { isWaitedFor } from './readiness.ts';
import { buildTree } from './tree.ts';
import { unmetLines } from './unmet.ts';

const workloads: readonly Kind[] = [Deployment, ReplicaSet, StatefulSet, Job, Pod, KruiseStatefulSet, CloneSet];

export interface WatchOptions {
  readonly cache: Cache;
  readonly clock: Clock;
  readonly view: LiveView;
  /** What was applied: the roots of the picture, and what must become ready. */
  readonly applied: readonly Applied[];
  /** Kinds of the installed operators. */
  readonly operatorKinds: readonly Kind[];
  readonly signal: AbortSignal;
}

/** The objects on screen, kept by informers. */
export interface ClusterWatch {
  /** Resolves when all applied objects are ready; rejects when the signal is aborted. */
  readonly ready: Promise<void>;
  /** For each applied object that is not ready the unmet condition, and below it where the trouble is. */
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

/** Starts showing `applied` and what belongs to it. */
export function watchCluster(options: WatchOptions): ClusterWatch {
  const { applied, cache, clock, operatorKinds, signal, view } = options;
  const kinds = uniqueKinds([...applied.map(({ kind }) => kind), ...operatorKinds, ...workloads]);
  const informers = new Map<Kind, Informer<KubeObject>>(kinds.map((kind) => [kind, cache.informer(kind)]));
  const isOperators = (kind: Pick<Kind, 'group' | 'kind'>) =>
    operatorKinds.some((own) => own.group === kind.group && own.kind === kind.kind);
  const current = (item: Applied) => {
    const kind = kinds.find((candidate) => sameResource(candidate, item.kind));
    return kind && informers.get(kind)?.store.get(item.key);
  };
  const allObjects = function* () {
    for (const informer of informers.values()) yield* informer.store.list();
  };
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  ready.catch(() => {});
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  const expects = (object: KubeObject) =>
    isOperators({ group: (object.apiVersion ?? '').split('/')[0] ?? '', kind: object.kind ?? '' });
  const treesOf = (roots: readonly KubeObject[]) => buildTree(roots, allObjects(), expects);
  const unmet = () =>
    applied.flatMap((item) => {
      const root = current(item);
      return unmetLines(displayName(item.kind, item.key.name), root && treesOf([root])[0]);
    });
  let released = false;
  const draw = () => {
    if (released) return;
    const roots = applied.map(current).filter((object) => object !== undefined);
    const trees = treesOf(roots);
    view.show(trees);
    if (roots.length === applied.length && !trees.some(({ readiness }) => isWaitedFor(readiness))) resolve();
  };
  const changed = coalesce(clock, draw);
  for (const informer of informers.values()) informer.onEvent(changed);
  Promise.all([...informers.values()].map((informer) => informer.synced)).then(draw, reject);
  return {
    ready,
    unmet,
    release() {
      released = true;
      for (const informer of informers.values()) informer.release();
    },
  };
}
