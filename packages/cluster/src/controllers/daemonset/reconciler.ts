import { DaemonSet, Node, Pod } from '@coxswain/k8s';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { keyString } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { type RevisionOwner, revisionLabel, syncRevisions, truncateRevisions } from '../revision/revisions.ts';
import { claimPods, controlledPods, deletePod, sooner, untilAvailable } from '../workload/pods.ts';
import { isRace, isTerminatingNamespace } from '../workload/tolerant.ts';
import { writeStatus } from '../workload/write-status.ts';
import { FailedPods } from './failed-pods.ts';
import { judge, podsByNode } from './nodes.ts';
import { isAvailable, isRolling, type Moves, rollingMoves, type Situation, updateLimits } from './rolling-update.ts';
import { daemonSetStatus } from './status.ts';
import { daemonPod, isUpdated, podForNode } from './template.ts';

/** Most pods made or removed in one pass. */
const burst = 250;

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function revisionOwner(object: DaemonSet): RevisionOwner {
  const { template, selector, revisionHistoryLimit = 10 } = object.spec;
  return {
    kind: DaemonSet,
    object,
    template,
    selector,
    currentName: undefined,
    collisionCount: object.status?.collisionCount ?? 0,
    historyLimit: revisionHistoryLimit,
    hashLabel: revisionLabel,
  };
}

/** Keeps a pod on each node that a DaemonSet's template allows, and moves them to a new template. */
export class DaemonSetReconciler implements Reconciler {
  readonly #recorder: EventRecorder;
  readonly #failed = new FailedPods();

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const set = context.cache.store(DaemonSet).get(context.key);
    if (!set) this.#failed.forget(`${keyString(context.key)}@`);
    if (!set || set.metadata.deletionTimestamp) return undefined;
    const { selector } = set.spec;
    const { matchLabels = {}, matchExpressions = [] } = selector;
    if (Object.keys(matchLabels).length + matchExpressions.length === 0) {
      const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
      this.#tell(set, 'SelectingAll', message, 'Warning');
      return undefined;
    }
    const owner = revisionOwner(set);
    const revisions = await syncRevisions(context, owner);
    const pods = await claimPods(context, { kind: DaemonSet, object: set, selector });
    const hash = revisions.update.metadata.labels?.[revisionLabel] ?? '';
    const situation = (now: readonly Pod[]): Situation => ({
      set,
      pod: daemonPod(set),
      nodes: [...context.cache.store(Node).list()],
      pods: now,
      hash,
      now: context.clock.now(),
    });
    let failure: unknown;
    let wait: number | undefined;
    try {
      wait = await this.#place(context, situation(pods));
      if (isRolling(set)) await this.#make(context, set, rollingMoves(situation(controlledPods(context, set))), hash);
      const hashes = new Set(controlledPods(context, set).map(({ metadata }) => metadata.labels?.[revisionLabel]));
      const inUse = revisions.all.filter(({ metadata }) => hashes.has(metadata.labels?.[revisionLabel]));
      const names = new Set(inUse.map(({ metadata }) => metadata.name));
      await truncateRevisions(context, owner, revisions, names);
    } catch (error) {
      failure = error;
    }
    const after = situation(controlledPods(context, set));
    await writeStatus(context, DaemonSet, set, daemonSetStatus(after, revisions.collisionCount));
    if (failure) throw failure;
    for (const pod of after.pods) {
      const left = untilAvailable(pod, set.spec.minReadySeconds ?? 0, after.now);
      if (left) wait = sooner(wait, left);
    }
    return wait === undefined ? undefined : { requeueAfter: wait };
  }

  /** Nodes that should have a pod get one, those that may not lose theirs; pods that have ended are replaced. Answers the wait for the next. */
  async #place(context: ReconcileContext, situation: Situation): Promise<number | undefined> {
    const { set, pod, nodes, pods, hash } = situation;
    const byNode = podsByNode(pods);
    const desired = nodes.filter((node) => judge(pod, node).run).length;
    const twice = isRolling(set) && updateLimits(set, desired).surge > 0;
    const create: string[] = [];
    const remove: Pod[] = [];
    let wait: number | undefined;
    for (const node of nodes) {
      const { name } = node.metadata;
      const here = byNode.get(name) ?? [];
      const { run, keep } = judge(pod, node);
      const alive = here.filter(({ metadata }) => !metadata.deletionTimestamp);
      if (run && here.length === 0) create.push(name);
      else if (!keep) remove.push(...alive);
      else {
        const { gone, left } = this.#ended(situation, name, alive);
        wait = sooner(wait, left);
        remove.push(
          ...gone,
          ...extra(
            situation,
            alive.filter(({ status }) => !isOver(status?.phase)),
            twice,
          ),
        );
      }
    }
    // a node that is gone keeps no pod that is only meant for it
    const known = new Set(nodes.map(({ metadata }) => metadata.name));
    for (const [name, list] of byNode)
      if (!known.has(name))
        remove.push(...list.filter(({ metadata, spec }) => !metadata.deletionTimestamp && !spec?.nodeName));
    const more = create.length > burst || remove.length > burst;
    await this.#make(context, set, { create: create.slice(0, burst), remove: remove.slice(0, burst) }, hash);
    return more ? 0 : wait;
  }

  /** Pods that have ended and are to be replaced now. */
  #ended({ set, now }: Situation, node: string, alive: readonly Pod[]) {
    const gone: Pod[] = [];
    let left: number | undefined;
    const place = `${keyString({ namespace: set.metadata.namespace ?? '', name: set.metadata.name })}@${set.status?.observedGeneration ?? 0}/${node}`;
    for (const pod of alive) {
      const phase = pod.status?.phase;
      if (!isOver(phase)) continue;
      const delay = phase === 'Failed' ? this.#failed.wait(place, now) : 0;
      if (delay > 0) {
        left = sooner(left, delay);
        continue;
      }
      const [type, reason, plan] =
        phase === 'Failed'
          ? (['Warning', 'FailedDaemonPod', 'will try to kill it'] as const)
          : (['Normal', 'SucceededDaemonPod', 'will try to delete it'] as const);
      const what = phase === 'Failed' ? 'failed' : 'succeeded';
      this.#tell(set, reason, `Found ${what} daemon pod ${key(pod)} on node ${node}, ${plan}`, type);
      gone.push(pod);
    }
    return { gone, left };
  }

  async #make(context: ReconcileContext, set: DaemonSet, { create, remove }: Moves, hash: string): Promise<void> {
    const pod = daemonPod(set);
    const removals = remove.map((one) => async () => this.#remove(context, set, one));
    const results = await Promise.allSettled(removals.map((one) => one()));
    // one, two, four … at once: what is wrong with all of them fails once, not as often as there are nodes
    for (let done = 0, batch = 1; done < create.length; done += batch, batch *= 2) {
      const names = create.slice(done, done + batch);
      const made = await Promise.allSettled(
        names.map((node) => this.#create(context, set, podForNode(set, pod, node, hash))),
      );
      results.push(...made);
      if (made.some(({ status }) => status === 'rejected')) break;
    }
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #create({ client }: ReconcileContext, set: DaemonSet, pod: Pod): Promise<void> {
    try {
      const { metadata } = await client.of(Pod).create(pod);
      this.#tell(set, 'SuccessfulCreate', `Created pod: ${metadata.name}`);
    } catch (error) {
      // where everything goes nothing is missed
      if (isTerminatingNamespace(error)) return;
      if (!isRace(error)) this.#tell(set, 'FailedCreate', `Error creating: ${textOf(error)}`, 'Warning');
      throw error;
    }
  }

  async #remove({ client }: ReconcileContext, set: DaemonSet, pod: Pod): Promise<void> {
    try {
      await deletePod(client, pod);
      this.#tell(set, 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
    } catch (error) {
      this.#tell(set, 'FailedDelete', `Error deleting: ${textOf(error)}`, 'Warning');
      throw error;
    }
  }

  #tell(set: DaemonSet, reason: string, message: string, type: 'Normal' | 'Warning' = 'Normal'): void {
    this.#recorder.event(DaemonSet, set, { type, reason, message });
  }
}

function isOver(phase: string | undefined): boolean {
  return phase === 'Failed' || phase === 'Succeeded';
}

function key({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Pods of a node that are too many: all but the oldest, or with a surge all but the oldest of the present template and of older ones. */
function extra(situation: Situation, running: readonly Pod[], twice: boolean): readonly Pod[] {
  if (!twice) return running.slice(1);
  const [fresh, ...moreFresh] = running.filter((pod) => isUpdated(situation.set, pod, situation.hash));
  const [old, ...moreOld] = running.filter((pod) => !isUpdated(situation.set, pod, situation.hash));
  const replaced = fresh && old && isAvailable(situation, fresh) ? [old] : [];
  return [...moreFresh, ...moreOld, ...replaced];
}
