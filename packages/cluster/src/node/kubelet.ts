import { Pod } from '@coxswain/k8s';
import { strategic } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { deepEqual, type Random } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import type { PodReference } from '../apiserver/index.ts';
import { ignoreRace } from '../controllers/workload/tolerant.ts';
import { PodAddresses } from './address.ts';
import { defaultBehaviour, type PodBehaviour } from './behaviour.ts';
import { ContainerRuns } from './container-runs.ts';
import { missingEnvironment } from './environment.ts';
import { podStatus, waitingStatus } from './pod-status.ts';
import type { SimulatedPrograms } from './programs.ts';
import { Sandbox } from './sandbox.ts';
import { missingVolume } from './volumes.ts';

export interface KubeletOptions {
  readonly random: Random;
  readonly recorder: EventRecorder;
  readonly behaviour?: PodBehaviour;
  /** Default: none. */
  readonly programs?: SimulatedPrograms;
  /** Address of a node by name; `undefined` when the node is not one of ours. */
  readonly nodeAddress: (node: string) => string | undefined;
}

const volumeRetry = 2_000;

/** The fields of `wanted` that the pod's status does not have yet; conditions only those that differ. */
function statusDifference(pod: Pod, wanted: NonNullable<Pod['status']>): object | undefined {
  const have: Readonly<Record<string, unknown>> = { ...pod.status };
  const changed = Object.entries(wanted).filter(
    ([field, value]) => field !== 'conditions' && !deepEqual(have[field], value),
  );
  const conditions = (wanted.conditions ?? []).filter((condition) => {
    const before = pod.status?.conditions?.find(({ type }) => type === condition.type);
    return !deepEqual(before && withoutNulls(before), condition);
  });
  if (changed.length === 0 && conditions.length === 0) return undefined;
  // conditions are merged: what one no longer says has to be taken away
  const whole = conditions.map((condition) => ({ reason: null, message: null, ...condition }));
  return { ...Object.fromEntries(changed), ...(whole.length > 0 ? { conditions: whole } : {}) };
}

/** The server writes times that nobody gave as null. */
function withoutNulls(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}

/** Runs the pods of the simulated nodes: a level-triggered step per pod, state kept per pod uid. */
export class Kubelet implements Reconciler {
  readonly #options: KubeletOptions;
  readonly #addresses = new PodAddresses();
  /** Whether the addresses of pods from before this kubelet have been set aside. */
  #adopted = false;
  readonly #sandboxes = new Map<string, { readonly uid: string; readonly sandbox: Sandbox }>();

  constructor(options: KubeletOptions) {
    this.#options = options;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const { key, cache, clock } = context;
    const pod = cache.store(Pod).get(key);
    const name = `${key.namespace}/${key.name}`;
    const known = this.#sandboxes.get(name);
    if (known && known.uid !== pod?.metadata.uid) this.#forget(name);
    const hostIP = pod?.spec?.nodeName === undefined ? undefined : this.#options.nodeAddress(pod.spec.nodeName);
    if (!pod || hostIP === undefined) return undefined;
    if (pod.metadata.deletionTimestamp) return this.#terminate(context, pod, name);
    if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return undefined;
    const sandbox = this.#sandboxes.get(name)?.sandbox ?? (await this.#create(context, pod, name, hostIP));
    if (!sandbox) return { requeueAfter: volumeRetry };
    const now = clock.now();
    const refusals = await missingEnvironment(pod, sandbox.startable(pod, now), context);
    for (const missing of refusals.values()) this.#warn(pod, 'Failed', 'Starting', `Error: ${missing}`);
    const next = sandbox.advance(pod, now, refusals);
    await this.#report(context, pod, podStatus(pod, sandbox, hostIP, now));
    return next === undefined ? undefined : { requeueAfter: Math.max(1, next - now) };
  }

  /** The containers of a pod that runs here, or ran to its end. */
  sandboxOf({ namespace, name, uid }: PodReference): Sandbox | undefined {
    const known = this.#sandboxes.get(`${namespace}/${name}`);
    return known?.uid === uid ? known.sandbox : undefined;
  }

  async #create(context: ReconcileContext, pod: Pod, name: string, hostIP: string): Promise<Sandbox | undefined> {
    const now = context.clock.now();
    const running = pod.status?.podIP;
    const missing = running ? undefined : await missingVolume(pod, context);
    if (missing) {
      this.#warn(pod, 'FailedMount', 'Mounting', missing);
      await this.#report(context, pod, waitingStatus(pod, hostIP, now));
      return undefined;
    }
    this.#adoptAddresses(context);
    const address = running ?? this.#addresses.allocate();
    const { random, behaviour = defaultBehaviour, programs = () => undefined } = this.#options;
    const runs = new ContainerRuns(programs, () => context.clock.now());
    const sandbox = new Sandbox(pod, address, now, { random, behaviour, runs });
    this.#sandboxes.set(name, { uid: pod.metadata.uid ?? '', sandbox });
    return sandbox;
  }

  #warn(pod: Pod, reason: string, action: string, message: string): void {
    this.#options.recorder.event(Pod, pod, { type: 'Warning', reason, action, message });
  }

  /** Before the first address is given out, those of pods that ran already are set aside. */
  #adoptAddresses({ cache }: ReconcileContext): void {
    if (this.#adopted) return;
    this.#adopted = true;
    for (const { status } of cache.store(Pod).list())
      if (status?.podIP && status.phase !== 'Succeeded' && status.phase !== 'Failed')
        this.#addresses.claim(status.podIP);
  }

  #forget(name: string): void {
    const known = this.#sandboxes.get(name);
    if (known) {
      known.sandbox.runs.close();
      this.#addresses.release(known.sandbox.address);
    }
    this.#sandboxes.delete(name);
  }

  async #report({ client, key }: ReconcileContext, pod: Pod, status: NonNullable<Pod['status']>): Promise<void> {
    const difference = statusDifference(pod, status);
    if (!difference) return;
    const metadata = { uid: pod.metadata.uid };
    await client
      .of(Pod)
      .patch(key, strategic({ metadata, status: difference }), { subresource: 'status' })
      .catch(ignoreRace);
  }

  /** Containers stop at once; then the pod may go. */
  async #terminate({ client, clock, key }: ReconcileContext, pod: Pod, name: string): Promise<Result> {
    this.#sandboxes.get(name)?.sandbox.stop(clock.now());
    const uid = pod.metadata.uid;
    if (pod.metadata.deletionGracePeriodSeconds !== 0 || !pod.metadata.finalizers?.length)
      await client
        .of(Pod)
        .delete(key, { gracePeriodSeconds: 0, ...(uid ? { preconditions: { uid } } : {}) })
        .catch(ignoreRace);
    this.#forget(name);
    return undefined;
  }
}
