import { Node, Pod, type PodStatus, Service } from '@coxswain/k8s';
import { strategic } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { keyOf, type ObjectKey } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import type { PodReference } from '../../apiserver/index.ts';
import { ignoreRace } from '../../controllers/workload/tolerant.ts';
import { objectFinder } from '../find-object.ts';
import type { PodVolumes } from '../volumes/index.ts';
import { type AdmissionRefusal, admit, ClaimSum, claimOf, type Neighbours } from './admission.ts';
import type { ManagedNode } from './managed-node.ts';
import { refusedStatus, statusDifference } from './pod-status.ts';
import { PodWorker, type Step } from './pod-worker.ts';
import type { PodSurroundings } from './surroundings.ts';

export interface KubeletOptions {
  readonly recorder: EventRecorder;
  readonly volumes: PodVolumes;
  /** A node by its name; `undefined` when it is not one of ours. */
  readonly nodeOf: (name: string) => ManagedNode | undefined;
  /** Brings another pass over a pod, after so many milliseconds. */
  readonly touched: (key: ObjectKey, delay?: number) => void;
  /** Told when a pod is gone from the cluster, of which something may be left on its node. */
  readonly gone: () => void;
}

/** Milliseconds until what a pod has left is tried to be removed again. */
const removalRetry = 2_000;

/**
 * Milliseconds after which a pod is refused. They pass on a real node, too; without them a controller that makes such pods anew would do so
 * without end while no time passes.
 */
const refusalTakes = 100;

const nameOf = ({ namespace, name }: { readonly namespace?: string; readonly name: string }) => `${namespace}/${name}`;
const hasEnded = ({ status }: Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** The workers on a node, and what their pods take of it. */
interface Workers {
  readonly all: Set<PodWorker>;
  readonly sum: ClaimSum;
}

/** Runs the pods of its nodes: a level-triggered step per pod, and a worker that remembers. */
export class Kubelet implements Reconciler {
  readonly #options: KubeletOptions;
  readonly #workers = new Map<string, PodWorker>();
  /** Workers of pods that are here no more, and what they had is: by name. */
  readonly #leaving = new Map<string, Set<PodWorker>>();
  /** Pods that are about to be refused: uids by name. */
  readonly #doubted = new Map<string, string | undefined>();
  readonly #byNode = new Map<string, Workers>();

  constructor(options: KubeletOptions) {
    this.#options = options;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const { key, cache } = context;
    const pod = cache.store(Pod).get(key);
    const name = nameOf(key);
    for (const worker of [...(this.#leaving.get(name) ?? [])]) await this.#finish(key, worker);
    const known = this.#workers.get(name);
    const node = this.#options.nodeOf((pod ?? known?.pod)?.spec?.nodeName ?? '');
    // A node that is down or cut off does not hear of its pods.
    if (node && node.state !== 'up') return undefined;
    if (known && known.pod.metadata.uid !== pod?.metadata.uid) await this.#forget(key, known);
    if (!pod) {
      this.#doubted.delete(name);
      this.#options.gone();
    }
    if (!pod || !node) return undefined;
    const going = pod.metadata.deletionTimestamp !== undefined;
    const worker = this.#workers.get(name) ?? (await this.#take(context, pod, node));
    if (!worker) return going ? this.#release(context, pod) : undefined;
    if (worker === 'refused') return undefined;
    if (worker === 'doubted') return { requeueAfter: refusalTakes };
    if (!going) return this.#report(context, pod, await worker.advance(pod));
    const step = await worker.terminate(pod, (pod.metadata.deletionGracePeriodSeconds ?? 30) * 1000);
    const result = await this.#report(context, pod, step);
    if (!step.stopped) return result;
    if (pod.metadata.finalizers?.length) return this.#release(context, pod);
    // As by the kubelet: a pod is gone when what it had on its node is.
    if (!(await this.#removed(worker))) return { requeueAfter: removalRetry };
    await this.#release(context, pod);
    await this.#forget(key, worker);
    return undefined;
  }

  /** Probes and graces end with the kubelet; what becomes of the containers is the runtime's. */
  stop(): void {
    for (const worker of this.#workers.values()) worker.containers.abandon();
  }

  /** A pod on one of the nodes, also one that has ended. */
  workerOf({ namespace, name, uid }: PodReference): PodWorker | undefined {
    const worker = this.#workers.get(nameOf({ namespace, name }));
    return worker?.pod.metadata.uid === uid ? worker : undefined;
  }

  /** Everything on a node is lost: its containers end, and it remembers nothing. */
  async lose(node: string): Promise<void> {
    for (const worker of [...this.workersOn(node)]) await this.#forget(keyOf(worker.pod), worker);
  }

  workersOn(node: string): Iterable<PodWorker> {
    return this.#byNode.get(node)?.all ?? [];
  }

  #workersOf(node: string): Workers {
    const known = this.#byNode.get(node);
    if (known) return known;
    const workers: Workers = { all: new Set(), sum: new ClaimSum() };
    this.#byNode.set(node, workers);
    return workers;
  }

  /** Takes a pod on; `undefined` when there is nothing to be done with it, `refused` when the node does not take it, `doubted` when it will not. */
  async #take(
    context: ReconcileContext,
    pod: Pod,
    node: ManagedNode,
  ): Promise<PodWorker | 'refused' | 'doubted' | undefined> {
    if (hasEnded(pod)) return undefined;
    const fresh = pod.status?.startTime === undefined;
    if (fresh && pod.metadata.deletionTimestamp) return undefined;
    const refusal = fresh ? await this.#refusal(context, pod, node.name) : undefined;
    const name = nameOf(pod.metadata);
    const doubted = this.#doubted.get(name) === pod.metadata.uid;
    this.#doubted.delete(name);
    if (refusal && !doubted) {
      this.#doubted.set(name, pod.metadata.uid);
      return 'doubted';
    }
    if (refusal) {
      this.#tell(pod, 'Warning', refusal.reason, refusal.message);
      const { reason, message } = refusal;
      void this.#write(context, pod, refusedStatus(pod, reason, message, context.clock.now()));
      return 'refused';
    }
    const worker = new PodWorker(pod, this.#surroundings(context, node));
    this.#workers.set(name, worker);
    const workers = this.#workersOf(node.name);
    workers.all.add(worker);
    workers.sum.add(worker.claim);
    return worker;
  }

  /** Why the node does not take the pod. What is known of the node may be late: before a pod fails, the server is asked. */
  async #refusal({ cache, client }: ReconcileContext, pod: Pod, name: string): Promise<AdmissionRefusal | undefined> {
    const { all, sum } = this.#workersOf(name);
    const others: Neighbours = {
      most: sum,
      live: () => [...all].filter(({ ended }) => !ended).map(({ claim }) => claim),
    };
    const known = cache.store(Node).get({ name });
    const first = known && admit(known, pod, claimOf(pod), others);
    if (!first) return undefined;
    const now = await client.of(Node).find({ name });
    return now && admit(now, pod, claimOf(pod), others);
  }

  #surroundings({ client, cache, clock, log }: ReconcileContext, node: ManagedNode): PodSurroundings {
    return {
      clock,
      log,
      runtime: node.runtime,
      hostIP: node.address,
      volumes: this.#options.volumes,
      find: objectFinder({ client, cache }),
      services: () => cache.store(Service).list(),
      node: () => cache.store(Node).get({ name: node.name }),
      tell: (pod, type, reason, message, fieldPath) => {
        if (type === 'Warning' || !node.quiet) this.#tell(pod, type, reason, message, fieldPath);
      },
      stepwise: !node.quiet,
      touched: ({ metadata: { namespace, name } }) => this.#options.touched({ namespace: namespace ?? '', name }),
    };
  }

  #tell(pod: Pod, type: 'Normal' | 'Warning', reason: string, message: string, fieldPath?: string): void {
    const place = fieldPath ? { fieldPath } : {};
    this.#options.recorder.event(Pod, pod, { type, reason, action: reason, message, ...place });
  }

  async #report(context: ReconcileContext, pod: Pod, { status, next }: Step): Promise<Result> {
    await this.#write(context, pod, status);
    return next === undefined ? undefined : { requeueAfter: Math.max(0, next - context.clock.now()) };
  }

  async #write({ client, key }: ReconcileContext, pod: Pod, wanted: PodStatus): Promise<void> {
    const status = statusDifference(pod, wanted);
    if (!status) return;
    const metadata = { uid: pod.metadata.uid };
    await client.of(Pod).patch(key, strategic({ metadata, status }), { subresource: 'status' }).catch(ignoreRace);
  }

  /** Nothing of the pod runs any more: it may go. */
  async #release({ client, key }: ReconcileContext, pod: Pod): Promise<undefined> {
    const { uid, deletionGracePeriodSeconds, finalizers } = pod.metadata;
    if (deletionGracePeriodSeconds === 0 && finalizers?.length) return undefined;
    await client
      .of(Pod)
      .delete(key, { gracePeriodSeconds: 0, ...(uid ? { preconditions: { uid } } : {}) })
      .catch(ignoreRace);
    return undefined;
  }

  /** A pod is here no more, and so its name and its place are free; what it had goes now, or as soon as it can. */
  async #forget(key: ObjectKey, worker: PodWorker): Promise<void> {
    const name = nameOf(key);
    if (this.#workers.get(name) === worker) this.#workers.delete(name);
    const workers = this.#byNode.get(worker.pod.spec?.nodeName ?? '');
    if (workers?.all.delete(worker)) workers.sum.add(worker.claim, -1);
    await this.#finish(key, worker);
  }

  async #finish(key: ObjectKey, worker: PodWorker): Promise<void> {
    const name = nameOf(key);
    const leaving = this.#leaving.get(name) ?? new Set();
    this.#leaving.set(name, leaving.add(worker));
    if (!(await this.#removed(worker))) return this.#options.touched(key, removalRetry);
    leaving.delete(worker);
    if (leaving.size === 0) this.#leaving.delete(name);
  }

  /** Has everything of a pod go from its node. Answers whether it is gone; what is in its way is told. */
  async #removed(worker: PodWorker): Promise<boolean> {
    try {
      await worker.remove();
      return true;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#tell(worker.pod, 'Warning', 'FailedKillPod', `error killing pod: ${why}`);
      return false;
    }
  }
}
