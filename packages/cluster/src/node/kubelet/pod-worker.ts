import type { Pod, PodStatus } from '@coxswain/k8s';
import { type ContainerRuntime, type PodSandbox, RuntimeRefusal, type VolumeContent } from '../runtime.ts';
import { sameContent } from '../volumes/index.ts';
import { claimOf, type PodClaim } from './admission.ts';
import { PodContainers } from './pod-containers.ts';
import { type Phase, phaseOf, stoppedPhase } from './pod-phase.ts';
import { podStatus } from './pod-status.ts';
import type { PodSurroundings } from './surroundings.ts';

/** Milliseconds until another look at what a pod needs and is not there. */
const retry = 2_000;
/** Milliseconds between looks at what volumes with a limit hold. */
const volumeLook = 10_000;

/** What a pass over a pod comes to. */
export interface Step {
  readonly status: PodStatus;
  /** When to look again, in milliseconds since the epoch, if nothing happens sooner. */
  readonly next?: number;
  /** All its containers have ended, and the pod is going. */
  readonly stopped?: boolean;
}

interface Stop {
  readonly reason?: string;
  readonly message?: string;
}

/** One pod on one node, from when it is taken on until it is gone. */
export class PodWorker {
  readonly containers: PodContainers;
  readonly claim: PodClaim;
  readonly #around: PodSurroundings;
  readonly #startTime: number;
  readonly #contents = new Map<string, VolumeContent>();
  #pod: Pod;
  #sandbox: PodSandbox | undefined;
  #stop: Stop | undefined;
  #drained: Promise<void> | undefined;
  #volumesSeen = 0;

  constructor(pod: Pod, around: PodSurroundings) {
    this.#pod = pod;
    this.#around = around;
    this.claim = claimOf(pod);
    this.containers = new PodContainers(pod, around);
    this.#startTime = pod.status?.startTime ? Date.parse(pod.status.startTime) : around.clock.now();
  }

  get pod(): Pod {
    return this.#pod;
  }

  get sandbox(): PodSandbox | undefined {
    return this.#sandbox;
  }

  get runtime(): ContainerRuntime {
    return this.#around.runtime;
  }

  /** Whether nothing of it will run any more. */
  get ended(): boolean {
    const { phase } = this.#view();
    return phase === 'Succeeded' || phase === 'Failed';
  }

  /** Moves a pod that is to live on. */
  async advance(pod: Pod): Promise<Step> {
    this.#pod = pod;
    this.containers.update(pod);
    if (this.containers.observe(this.#stop !== undefined)) return this.#step(this.#now);
    await this.#checkLimits();
    if (this.#stop) return this.#continueStop(this.#graceOfPod);
    if (this.ended) return this.#step(undefined);
    if (this.#around.stepwise && pod.status?.startTime === undefined) return this.#step(this.#now);
    if (!(await this.#prepare())) return this.#step(this.#now + retry);
    const renewAt = await this.#updateVolumes();
    if (renewAt === 'missing' || !this.#sandbox) return this.#step(this.#now + retry);
    await this.containers.advance(this.#sandbox);
    return this.#step(earliest(this.containers.due, renewAt, this.#deadline, this.#nextVolumeLook));
  }

  /** Ends a pod that is to go. To be called again until it says `stopped`. @param grace milliseconds */
  async terminate(pod: Pod, grace: number): Promise<Step> {
    this.#pod = pod;
    if (!this.#stop && !this.#sandbox) this.containers.adopt({ adopt: () => undefined });
    this.#stop ??= {};
    this.containers.observe(true);
    return this.#continueStop(grace);
  }

  /** Nothing of it stays here, whatever it was doing. */
  async remove(): Promise<void> {
    this.containers.abandon();
    this.#around.volumes.forget(this.#pod.metadata.uid ?? '');
    await this.#sandbox?.remove();
    this.#sandbox = undefined;
  }

  get #now(): number {
    return this.#around.clock.now();
  }

  get #graceOfPod(): number {
    return (this.#pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000;
  }

  get #deadline(): number | undefined {
    const seconds = this.#pod.spec?.activeDeadlineSeconds;
    return seconds === undefined ? undefined : this.#startTime + seconds * 1000;
  }

  get #nextVolumeLook(): number | undefined {
    return this.#sandbox?.volumeUsage && this.#hasLimits ? this.#volumesSeen + volumeLook : undefined;
  }

  get #hasLimits(): boolean {
    return [...this.#contents.values()].some((content) => content.kind === 'empty' && content.sizeLimit !== undefined);
  }

  async #continueStop(grace: number): Promise<Step> {
    const going = this.#pod.metadata.deletionTimestamp !== undefined;
    if (this.containers.running) this.#drained ??= this.#sandbox?.drain?.();
    await this.#drained;
    this.containers.stop(grace);
    // What ends at once is seen at once.
    if (this.containers.observe(true)) this.containers.stop(grace);
    this.containers.observe(true);
    if (going && this.#around.stepwise) this.containers.giveUp();
    return { ...this.#step(undefined), ...(going && !this.containers.running ? { stopped: true } : {}) };
  }

  /** A place for the pod. Answers whether there is one. */
  async #prepare(): Promise<boolean> {
    if (this.#sandbox) return true;
    const { runtime, volumes, tell } = this.#around;
    const known = this.#pod.status?.podIP !== undefined;
    const problems = known ? [] : await volumes.problems(this.#pod);
    for (const { message } of problems) tell(this.#pod, 'Warning', 'FailedMount', message);
    if (problems.length > 0) return false;
    try {
      this.#sandbox = await runtime.createSandbox(this.#pod);
      this.containers.adopt(this.#sandbox);
      return true;
    } catch (error) {
      if (!(error instanceof RuntimeRefusal)) throw error;
      tell(this.#pod, 'Warning', error.reason, `Failed to create pod sandbox: ${error.message}`);
      return false;
    }
  }

  /** Answers when contents run out; `missing` when there is something without which the pod cannot start. */
  async #updateVolumes(): Promise<number | undefined | 'missing'> {
    const { runtime, volumes, tell } = this.#around;
    if (runtime.blind || !this.#sandbox) return undefined;
    const { contents, problems, renewAt } = await volumes.resolve(this.#pod);
    const begun = this.containers.all.some((slot) => slot.begun);
    if (!begun) for (const { message } of problems) tell(this.#pod, 'Warning', 'FailedMount', message);
    for (const [name, content] of contents)
      if (!(await this.#setVolume(this.#sandbox, name, content)) && !begun) return 'missing';
    // What is gone stays as it was in the containers that run.
    return problems.length > 0 && !begun ? 'missing' : renewAt;
  }

  async #setVolume(sandbox: PodSandbox, name: string, content: VolumeContent): Promise<boolean> {
    const before = this.#contents.get(name);
    if (before && sameContent(before, content)) return true;
    try {
      await sandbox.setVolume(name, content);
      this.#contents.set(name, content);
      return true;
    } catch (error) {
      if (!(error instanceof RuntimeRefusal)) throw error;
      const message = `MountVolume.SetUp failed for volume "${name}" : ${error.message}`;
      this.#around.tell(this.#pod, 'Warning', 'FailedMount', message);
      return false;
    }
  }

  /** Time and space that the pod may not pass. */
  async #checkLimits(): Promise<void> {
    if (this.#stop || this.ended) return;
    if (this.#deadline !== undefined && this.#deadline <= this.#now) {
      const message = 'Pod was active on the node longer than the specified deadline';
      this.#fail('DeadlineExceeded', message);
      return;
    }
    const look = this.#nextVolumeLook;
    if (look === undefined || look > this.#now) return;
    this.#volumesSeen = this.#now;
    for (const [name, { used }] of (await this.#sandbox?.volumeUsage?.()) ?? []) {
      const content = this.#contents.get(name);
      if (content?.kind !== 'empty' || content.sizeLimit === undefined || used <= content.sizeLimit) continue;
      const limit = this.#pod.spec?.volumes?.find((volume) => volume.name === name)?.emptyDir?.sizeLimit ?? '';
      this.#fail('Evicted', `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}". `);
      return;
    }
  }

  #fail(reason: string, message: string): void {
    this.#stop = { reason, message };
    this.#around.tell(this.#pod, reason === 'Evicted' ? 'Warning' : 'Normal', reason, message);
  }

  #step(next: number | undefined): Step {
    const { hostIP } = this.#around;
    const addresses = this.#sandbox?.addresses ?? this.#pod.status?.podIPs?.map(({ ip }) => ip) ?? [];
    const { phase, reason, message } = this.#view();
    const status = podStatus(
      this.#pod,
      {
        containers: this.containers,
        phase,
        ...(reason ? { reason } : {}),
        ...(message ? { message } : {}),
        hostIP,
        addresses,
        // A pod without running containers has given its place up when it ends.
        placed: this.#sandbox !== undefined && !(this.#isOver(phase) && !this.containers.running),
        startTime: this.#startTime,
      },
      this.#now,
    );
    return { status, ...(next === undefined ? {} : { next }) };
  }

  #isOver(phase: Phase): boolean {
    return phase === 'Succeeded' || phase === 'Failed';
  }

  #view(): { readonly phase: Phase } & Stop {
    const before = this.#pod.status?.phase;
    if (before === 'Succeeded' || before === 'Failed') {
      const { reason, message } = this.#pod.status ?? {};
      return { phase: before, ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
    }
    if (!this.#stop) return { phase: phaseOf(this.containers) };
    const live = before === 'Running' ? 'Running' : 'Pending';
    if (this.containers.running) return { phase: live };
    if (this.#stop.reason) return { phase: 'Failed', ...this.#stop };
    return { phase: stoppedPhase(this.containers, this.#pod) as Phase };
  }
}

function earliest(...times: readonly (number | undefined)[]): number | undefined {
  let first: number | undefined;
  for (const time of times) if (time !== undefined && (first === undefined || time < first)) first = time;
  return first;
}
