import { ConfigMap, PersistentVolumeClaim, Pod, Secret } from '@coxswain/k8s';
import { strategic } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { deepEqual, isConflict, isNotFound, type Random } from '@coxswain/runtime/core';
import { PodAddresses } from './address.ts';
import { defaultBehaviour, type PodBehaviour } from './behaviour.ts';
import { podStatus } from './pod-status.ts';
import { Sandbox } from './sandbox.ts';

export interface KubeletOptions {
  readonly random: Random;
  readonly behaviour?: PodBehaviour;
  /** Address of a node by name; `undefined` when the node is not one of ours. */
  readonly nodeAddress: (node: string) => string | undefined;
}

const volumeRetry = 2_000;

/** What a pod mounts that is not there (yet), in words. */
async function missingVolume(pod: Pod, { client }: ReconcileContext): Promise<string | undefined> {
  const namespace = pod.metadata.namespace ?? '';
  for (const volume of pod.spec?.volumes ?? []) {
    const { configMap, secret, persistentVolumeClaim } = volume;
    if (
      configMap?.name &&
      !configMap.optional &&
      !(await client.of(ConfigMap).find({ namespace, name: configMap.name }))
    )
      return `MountVolume.SetUp failed for volume "${volume.name}" : configmap "${configMap.name}" not found`;
    if (
      secret?.secretName &&
      !secret.optional &&
      !(await client.of(Secret).find({ namespace, name: secret.secretName }))
    )
      return `MountVolume.SetUp failed for volume "${volume.name}" : secret "${secret.secretName}" not found`;
    const claim =
      persistentVolumeClaim &&
      (await client.of(PersistentVolumeClaim).find({ namespace, name: persistentVolumeClaim.claimName }));
    if (persistentVolumeClaim && claim?.status?.phase !== 'Bound')
      return `persistentvolumeclaim "${persistentVolumeClaim.claimName}" is not bound`;
  }
  return undefined;
}

/** The fields of `wanted` that the pod's status does not have yet; conditions only those that differ. */
function statusDifference(pod: Pod, wanted: NonNullable<Pod['status']>): object | undefined {
  const have: Readonly<Record<string, unknown>> = { ...pod.status };
  const changed = Object.entries(wanted).filter(
    ([field, value]) => field !== 'conditions' && !deepEqual(have[field], value),
  );
  const conditions = (wanted.conditions ?? []).filter((condition) => {
    const before = pod.status?.conditions?.find(({ type }) => type === condition.type);
    return !deepEqual(before, condition);
  });
  if (changed.length === 0 && conditions.length === 0) return undefined;
  return { ...Object.fromEntries(changed), ...(conditions.length > 0 ? { conditions } : {}) };
}

/** Runs the pods of the simulated nodes: a level-triggered step per pod, state kept per pod uid. */
export class Kubelet implements Reconciler {
  readonly #options: KubeletOptions;
  readonly #addresses = new PodAddresses();
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
    const sandbox = this.#sandboxes.get(name)?.sandbox ?? (await this.#create(context, pod, name));
    if (!sandbox) return { requeueAfter: volumeRetry };
    const now = clock.now();
    const next = sandbox.advance(pod, now);
    await this.#report(context, pod, sandbox, hostIP);
    return next === undefined ? undefined : { requeueAfter: Math.max(1, next - now) };
  }

  async #create(context: ReconcileContext, pod: Pod, name: string): Promise<Sandbox | undefined> {
    const running = pod.status?.podIP;
    const missing = running ? undefined : await missingVolume(pod, context);
    if (missing) {
      context.log.debug({ pod: name, missing }, 'pod waits for a volume');
      return undefined;
    }
    if (running) this.#addresses.claim(running);
    const address = running ?? this.#addresses.allocate();
    const sandbox = new Sandbox(
      pod,
      address,
      context.clock.now(),
      this.#options.random,
      this.#options.behaviour ?? defaultBehaviour,
    );
    this.#sandboxes.set(name, { uid: pod.metadata.uid ?? '', sandbox });
    return sandbox;
  }

  #forget(name: string): void {
    const known = this.#sandboxes.get(name);
    if (known) this.#addresses.release(known.sandbox.address);
    this.#sandboxes.delete(name);
  }

  async #report({ client, clock, key }: ReconcileContext, pod: Pod, sandbox: Sandbox, hostIP: string): Promise<void> {
    const difference = statusDifference(pod, podStatus(pod, sandbox, hostIP, clock.now()));
    if (!difference) return;
    const metadata = { uid: pod.metadata.uid };
    await client
      .of(Pod)
      .patch(key, strategic({ metadata, status: difference }), { subresource: 'status' })
      .catch(ignoreGone);
  }

  /** Containers stop at once; then the pod may go. */
  async #terminate({ client, clock, key }: ReconcileContext, pod: Pod, name: string): Promise<Result> {
    this.#sandboxes.get(name)?.sandbox.stop(clock.now());
    const uid = pod.metadata.uid;
    if (pod.metadata.deletionGracePeriodSeconds !== 0 || !pod.metadata.finalizers?.length)
      await client
        .of(Pod)
        .delete(key, { gracePeriodSeconds: 0, ...(uid ? { preconditions: { uid } } : {}) })
        .catch(ignoreGone);
    this.#forget(name);
    return undefined;
  }
}

/** The pod is gone, or another took its name: nothing to report to. */
function ignoreGone(error: unknown): undefined {
  if (isNotFound(error) || isConflict(error)) return undefined;
  throw error;
}
