import { type Node, Pod, type PodCondition, type PodDisruptionBudget } from '@coxswain/k8s';
import { type Client, strategic } from '@coxswain/runtime/client';
import { type Clock, formatTime, keyOf, type Logger, type Random } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { ignoreRace, isRace } from '../controllers/workload/tolerant.ts';
import { Decider, type Decision } from './decision.ts';
import { noNodes, rejectors, verdict } from './diagnosis.ts';
import type { Nominations } from './nominations.ts';
import type { Lookups } from './plugins/index.ts';
import { type Candidate, Preemption } from './preemption/candidates.ts';
import { evict } from './preemption/evict.ts';
import type { SchedulingQueue, Waiting } from './queue.ts';
import type { ClusterState } from './state/cluster-state.ts';
import type { PodInfo } from './state/pod-info.ts';
import type { VolumeBinder } from './volumes/volume-binder.ts';

export interface SchedulerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly state: ClusterState;
  readonly queue: SchedulingQueue;
  readonly nominations: Nominations;
  readonly lookups: Lookups;
  readonly volumes: VolumeBinder;
  readonly budgets: () => Iterable<PodDisruptionBudget>;
  /** The pod as the store has it now; `undefined` when it is gone. */
  readonly pod: (key: string) => Pod | undefined;
}

type FailedDecision = Extract<Decision, { kind: 'none' }>;

/** What a failed attempt means for the node that the pod was promised. */
type Nomination = { readonly node: string } | 'clear' | 'keep';

/** Pods being bound at a time; more wait until one is. */
const bindingsAtOnce = 64;
/** Events take no longer texts. */
const longestNote = 1024;

/** Gives pods their nodes, one decision at a time; what follows from decisions is done beside the next ones. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #decider: Decider;
  readonly #preemption: Preemption;
  #working = 0;
  #bindings = 0;
  #bound: (() => void) | undefined;

  constructor(options: SchedulerOptions) {
    const { state, random, budgets, pod } = options;
    this.#options = options;
    this.#decider = new Decider(options);
    this.#preemption = new Preemption({ state, random, budgets, current: (info) => pod(info.key) ?? info.pod });
  }

  get idle(): boolean {
    return this.#working === 0 && this.#options.queue.idle;
  }

  /** Works until the queue is closed. */
  async run(): Promise<void> {
    const { queue, clock } = this.#options;
    while (!queue.closed) {
      const entry = queue.take();
      if (!entry) {
        await queue.wait();
        continue;
      }
      this.#attempt(entry);
      if (this.#bindings >= bindingsAtOnce) await new Promise<void>((resolve) => (this.#bound = resolve));
      await clock.turn();
    }
  }

  #attempt(entry: Waiting): void {
    const { info } = entry;
    const { state, queue, recorder } = this.#options;
    if (info.pod.metadata.deletionTimestamp) {
      queue.remove(info.key);
      const message = `skip schedule deleting pod: ${info.key}`;
      recorder.event(Pod, info.pod, { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', message });
      return;
    }
    if (state.isPlaced(info)) {
      queue.remove(info.key);
      return;
    }
    const decision = this.#decider.decide(info);
    const node = decision.kind === 'node' ? decision.node.node : undefined;
    if (node) this.#place(entry, node);
    else if (decision.kind === 'none') this.#refuse(entry, decision);
  }

  #place(entry: Waiting, node: Node): void {
    const { state, nominations } = this.#options;
    const { info } = entry;
    state.assume(info, node.metadata.name);
    const promised = nominations.nodeOf(info.key);
    nominations.delete(info.key);
    this.#bindings++;
    this.#beside(async () => {
      try {
        await this.#bind(info, node);
        this.#options.queue.remove(info.key);
      } catch (error) {
        this.#takeBack(entry, error, promised);
      }
      this.#bindings--;
      this.#bound?.();
      this.#bound = undefined;
    });
  }

  async #bind(info: PodInfo, node: Node): Promise<void> {
    const { client, volumes, recorder } = this.#options;
    const plan = volumes.plan(info, node);
    if (plan) {
      await this.#promise(info, node.metadata.name);
      await this.#releasing(() => volumes.carryOut(plan, info, node));
    }
    const { namespace, pod, uid } = info;
    const { name } = pod.metadata;
    const body = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: node.metadata.name },
    };
    await client.raw({ method: 'POST', path: `/api/v1/namespaces/${namespace}/pods/${name}/binding`, body });
    const message = `Successfully assigned ${namespace}/${name} to ${node.metadata.name}`;
    recorder.event(Pod, pod, { reason: 'Scheduled', action: 'Binding', message });
  }

  /** Waiting for volumes holds up nobody else. */
  async #releasing(work: () => Promise<void>): Promise<void> {
    this.#bindings--;
    this.#working--;
    this.#bound?.();
    this.#bound = undefined;
    try {
      await work();
    } finally {
      this.#bindings++;
      this.#working++;
    }
  }

  /** Tells those who watch where the pod is going to be, while its volumes are made. */
  async #promise({ pod, uid }: PodInfo, nominatedNodeName: string): Promise<void> {
    if (pod.status?.nominatedNodeName === nominatedNodeName) return;
    const patch = strategic({ metadata: { uid }, status: { nominatedNodeName } });
    await this.#options.client.of(Pod).patch(keyOf(pod), patch, { subresource: 'status' }).catch(ignoreRace);
  }

  #takeBack(entry: Waiting, error: unknown, promised: string | undefined): void {
    const { state, queue, log, pod } = this.#options;
    const { info } = entry;
    state.forget(info);
    if (queue.closed) return;
    const now = pod(info.key);
    if (!now || now.metadata.uid !== info.uid || now.spec?.nodeName) {
      queue.remove(info.key);
      return;
    }
    log.debug({ pod: info.key, err: error }, 'a pod could not be bound to its node; another attempt follows');
    queue.rest(entry, new Set());
    if (isRace(error) && promised === undefined) return;
    const message = error instanceof Error ? error.message : String(error);
    this.#beside(() => this.#report(info, 'SchedulerError', message, 'clear'));
  }

  #refuse(entry: Waiting, { diagnosis, trial }: FailedDecision): void {
    const { queue } = this.#options;
    const { info } = entry;
    if (diagnosis.total === 0) {
      queue.rest(entry, new Set(['NodeName']));
      this.#beside(() => this.#report(info, 'Unschedulable', noNodes, 'clear'));
      return;
    }
    queue.rest(entry, rejectors(diagnosis));
    if (diagnosis.all) {
      // the odd end is the real scheduler's: another of its plugins has not begun its work then
      this.#beside(() => this.#report(info, 'Unschedulable', `${verdict(diagnosis)} not found`, 'keep'));
      return;
    }
    const outcome = this.#preempt(info, { kind: 'none', diagnosis, trial });
    const message = `${verdict(diagnosis)} preemption: ${outcome.message}`;
    this.#beside(() => this.#report(info, 'Unschedulable', message, outcome.nomination));
    if (outcome.candidate) this.#carryOut(info, outcome.candidate);
  }

  #preempt(
    info: PodInfo,
    { diagnosis, trial }: FailedDecision,
  ): { readonly message: string; readonly nomination: Nomination; readonly candidate?: Candidate } {
    const { nominations, state } = this.#options;
    if (info.pod.spec?.preemptionPolicy === 'Never')
      return { message: 'not eligible due to preemptionPolicy=Never.', nomination: 'keep' };
    const promised = state.node(nominations.nodeOf(info.key) ?? info.pod.status?.nominatedNodeName ?? '');
    if (promised && !diagnosis.byNode.get(promised.name)?.unresolvable && this.#preemption.isWaitingFor(info, promised))
      return { message: 'not eligible due to a terminating pod on the nominated node.', nomination: 'keep' };
    const candidate = this.#preemption.find(info, diagnosis, trial);
    if (typeof candidate === 'string') return { message: candidate, nomination: 'clear' };
    const { node, victims } = candidate;
    return {
      message: `found a potential placement for pod on node ${node.name}, preempting ${victims.length} victims`,
      nomination: { node: node.name },
      candidate,
    };
  }

  /** The pod is kept back until its victims have been told; their going brings it on. */
  #carryOut(info: PodInfo, { node, victims }: Candidate): void {
    const { client, clock, recorder, queue, nominations, pod, log } = this.#options;
    const release = queue.block(info.key);
    this.#beside(async () => {
      try {
        await this.#withdraw(nominations.after(info, node.name));
        for (const victim of victims) {
          const now = pod(victim.key);
          if (!now || now.metadata.uid !== victim.uid) continue;
          await evict(now, { client, clock, recorder, preemptor: info, node: node.name });
        }
      } catch (error) {
        log.warn(
          { pod: info.key, node: node.name, err: error },
          'a preemption did not go through; the pod is tried again',
        );
        release();
        queue.activate(info.key);
      }
      release();
    });
  }

  /** Less important pods that counted on the same node look for another. */
  async #withdraw(pods: readonly PodInfo[]): Promise<void> {
    const { client, nominations, queue } = this.#options;
    for (const { pod, uid, key } of pods) {
      nominations.delete(key);
      const patch = strategic({ metadata: { uid }, status: { nominatedNodeName: null } });
      await client.of(Pod).patch(keyOf(pod), patch, { subresource: 'status' }).catch(ignoreRace);
      queue.activate(key);
    }
  }

  /** Says on the pod why it has no node, and which one it may hope for. */
  async #report(info: PodInfo, reason: string, message: string, nomination: Nomination): Promise<void> {
    const { client, clock, nominations, recorder } = this.#options;
    const pod = this.#options.pod(info.key) ?? info.pod;
    if (nomination === 'clear') nominations.delete(info.key);
    else if (nomination !== 'keep') nominations.set(info, nomination.node);
    const note = message.length > longestNote ? `${message.slice(0, longestNote - 4)} ...` : message;
    recorder.event(Pod, pod, { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', message: note });
    const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    const hopes = pod.status?.nominatedNodeName;
    const wanted = nomination === 'keep' ? hopes : nomination === 'clear' ? undefined : nomination.node;
    const said = before?.status === 'False' && before.reason === reason && before.message === message;
    if (said && hopes === wanted) return;
    const { generation, uid } = pod.metadata;
    const condition: PodCondition = {
      type: 'PodScheduled',
      status: 'False',
      reason,
      message,
      lastTransitionTime:
        before?.status === 'False' && before.lastTransitionTime ? before.lastTransitionTime : formatTime(clock.now()),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
    const status = { conditions: [condition], ...(hopes === wanted ? {} : { nominatedNodeName: wanted ?? null }) };
    const patch = strategic({ metadata: { uid }, status });
    await client.of(Pod).patch(keyOf(pod), patch, { subresource: 'status' }).catch(ignoreRace);
  }

  #beside(work: () => Promise<void>): void {
    this.#working++;
    void work()
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'a decision of the scheduler was not told'))
      .finally(() => {
        this.#working--;
      });
  }
}
