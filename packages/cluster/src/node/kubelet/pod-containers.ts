import type { Container, ContainerStatus, Pod } from '@coxswain/k8s';
import type { ContainerExit, PodSandbox } from '../runtime.ts';
import { ContainerSlot, startInputs } from './container-slot.ts';
import { longestDelay } from './restart-delay.ts';
import { restarts, sortOf } from './restart-policy.ts';
import { showPullBackOff, startSlot, watchRun } from './start-slot.ts';
import { Stopping } from './stopping.ts';
import type { PodSurroundings } from './surroundings.ts';

/** `NAME_NAMESPACE(UID)`, as the kubelet calls a pod. */
function formatPod({ metadata: { name, namespace, uid } }: Pod): string {
  return `${name}_${namespace}(${uid})`;
}

/** No wait is longer than five minutes: one that seems to be was begun before the clock was put back, and is over. */
function waits(until: number, now: number): boolean {
  return until > now && until - now <= longestDelay;
}

/** Milliseconds that a container of a pod has to end by itself. */
function graceOf(pod: Pod): number {
  return (pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000;
}

/** The containers of one pod: which of them may begin, which begin again, and in what order they end. */
export class PodContainers {
  #pod: Pod;
  readonly #around: PodSurroundings;
  readonly #slots: ContainerSlot[] = [];
  /** A sidecar has just begun, which is to be written before the others begin. */
  #paused = false;

  constructor(pod: Pod, around: PodSurroundings) {
    this.#pod = pod;
    this.#around = around;
    this.update(pod);
  }

  get all(): readonly ContainerSlot[] {
    return this.#slots;
  }

  get inits(): ContainerSlot[] {
    return this.#slots.filter((slot) => slot.isInit);
  }

  get mains(): ContainerSlot[] {
    return this.#slots.filter(({ sort }) => sort === 'main');
  }

  /** When something goes on by itself; milliseconds since the epoch. */
  get due(): number | undefined {
    let due = this.#paused ? this.#around.clock.now() : undefined;
    for (const slot of this.#slots) if (slot.due !== undefined) due = Math.min(due ?? slot.due, slot.due);
    return due;
  }

  get running(): boolean {
    return this.#slots.some(({ state }) => state.kind === 'running');
  }

  find(name: string): ContainerSlot | undefined {
    return this.#slots.find((slot) => slot.name === name);
  }

  /** Takes the pod as it is now: other images, more ephemeral containers. */
  update(pod: Pod): void {
    this.#pod = pod;
    const { initContainers = [], containers = [], ephemeralContainers = [] } = pod.spec ?? {};
    const reason = initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating';
    const take = (container: Container, sort: ContainerSlot['sort']) => {
      const slot = this.find(container.name);
      if (slot) slot.container = container;
      else this.#slots.push(new ContainerSlot(container, sort, reason));
    };
    for (const container of initContainers) take(container, sortOf(container, true));
    for (const container of containers) take(container, 'main');
    for (const container of ephemeralContainers) take(container as Container, 'ephemeral');
  }

  /** Goes on with what an earlier start of the node has left: runs that the sandbox still has, and the memory of those it has not. */
  adopt(sandbox: Pick<PodSandbox, 'adopt'>): void {
    const {
      initContainerStatuses = [],
      containerStatuses = [],
      ephemeralContainerStatuses = [],
    } = this.#pod.status ?? {};
    for (const status of [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses]) {
      const slot = this.find(status.name);
      if (slot) this.#adoptOne(slot, status, sandbox);
    }
  }

  #adoptOne(slot: ContainerSlot, status: ContainerStatus, sandbox: Pick<PodSandbox, 'adopt'>): void {
    slot.adopt(status);
    slot.startedWith = startInputs(this.#pod, slot.container);
    const { containerID: id = '', state } = status;
    if (!state?.running) return;
    const start = {
      pod: this.#pod,
      container: slot.container,
      attempt: slot.restarts,
      onExit: () => this.#around.touched(this.#pod),
    };
    const run = sandbox.adopt(id, start);
    if (run) {
      watchRun(this.#pod, slot, run, this.#around);
      return;
    }
    const now = this.#around.clock.now();
    const exit: ContainerExit = { exitCode: 255, at: now, reason: 'Unknown' };
    const again = this.#again(slot, exit);
    const startedAt = Date.parse(state.running.startedAt ?? '');
    slot.state = { kind: 'ended', id, startedAt, exit, ...(again === undefined ? {} : { again }) };
  }

  /** Takes note of runs that have ended; answers whether there were any. @param ending none of them begins again */
  observe(ending: boolean): boolean {
    let any = false;
    for (const slot of this.#slots) {
      const exit = slot.state.kind === 'running' ? slot.state.run.exit : undefined;
      if (!exit) continue;
      // what is exchanged goes on in the same pass
      any ||= !slot.replaced || ending;
      slot.end(exit, ending ? undefined : this.#again(slot, exit));
    }
    return any;
  }

  #again(slot: ContainerSlot, exit: ContainerExit): number | undefined {
    const replaced = slot.replaced;
    slot.replaced = false;
    if (replaced) return exit.at;
    // Sidecars are there for the others.
    if (slot.sort === 'sidecar' && this.mains.every(({ over }) => over)) return undefined;
    return restarts(this.#pod, slot.container, slot.sort, exit) ? exit.at + slot.delay.after(exit.at) : undefined;
  }

  /** Moves every container on that may: those of which something is due, and those whose turn it is. */
  async advance(sandbox: PodSandbox): Promise<void> {
    this.#paused = false;
    let open = true;
    for (const slot of this.inits) {
      const ran = slot.state.kind === 'running';
      if (open || slot.begun) await this.#move(slot, sandbox);
      if (!slot.passed) open = false;
      this.#paused ||= this.#around.stepwise && slot.sort === 'sidecar' && !ran && slot.state.kind === 'running';
    }
    if (this.#paused) return;
    for (const slot of this.mains) if (open || slot.begun) await this.#move(slot, sandbox);
    for (const slot of this.#slots) if (slot.sort === 'ephemeral') await this.#move(slot, sandbox);
    if (this.mains.every(({ over }) => over)) this.#stopSidecars(graceOf(this.#pod));
  }

  async #move(slot: ContainerSlot, sandbox: PodSandbox): Promise<void> {
    const { state } = slot;
    const now = this.#around.clock.now();
    if (state.kind === 'running') return this.#check(slot);
    if (state.kind === 'waiting') {
      if (waits(state.until ?? 0, now)) return;
      if (waits(slot.retryAt, now)) return showPullBackOff(this.#pod, slot, this.#around);
      return startSlot(this.#pod, slot, sandbox, this.#around);
    }
    if (state.again === undefined) return;
    if (!waits(state.again, now)) return startSlot(this.#pod, slot, sandbox, this.#around);
    this.#waitAgain(slot, state.again, state.again - state.exit.at);
  }

  #waitAgain(slot: ContainerSlot, until: number, wait: number): void {
    const pod = formatPod(this.#pod);
    const { name } = slot;
    const text = `Back-off restarting failed container ${name} in pod ${pod}`;
    this.#around.tell(this.#pod, 'Warning', 'BackOff', text, slot.fieldPath);
    slot.keepEnd();
    const message = `back-off ${delayText(wait)} restarting failed container=${name} pod=${pod}`;
    slot.state = { kind: 'waiting', reason: 'CrashLoopBackOff', message, until };
  }

  /** Whether what runs is still what is wanted, and is well. */
  #check(slot: ContainerSlot): void {
    if (slot.state.kind !== 'running' || slot.stopping) return;
    const unhealthy = slot.state.prober?.unhealthy;
    const changed = slot.sort !== 'ephemeral' && slot.startedWith !== startInputs(this.#pod, slot.container);
    if (changed) {
      slot.replaced = true;
      this.#stop(slot, graceOf(this.#pod), `Container ${slot.name} definition changed, will be restarted`);
    } else if (unhealthy) {
      const { probe, sort } = unhealthy;
      const grace = probe.terminationGracePeriodSeconds;
      const again = restarts(this.#pod, slot.container, slot.sort, { exitCode: 137, at: 0 });
      const what = `Container ${slot.name} failed ${sort.toLowerCase()} probe`;
      this.#stop(
        slot,
        grace === undefined ? graceOf(this.#pod) : grace * 1000,
        again ? `${what}, will be restarted` : what,
      );
    }
  }

  #stop(slot: ContainerSlot, grace: number, message: string): void {
    if (slot.state.kind !== 'running') return;
    if (slot.stopping) {
      slot.stopping.hurry(grace);
      return;
    }
    const { lifecycle } = slot.container as Container;
    const { clock, tell } = this.#around;
    tell(this.#pod, 'Normal', 'Killing', message, slot.fieldPath);
    slot.state.prober?.stop();
    slot.stopping = new Stopping(slot.state.run, {
      clock,
      grace,
      preStop: lifecycle?.preStop,
      ...(lifecycle?.stopSignal ? { signal: lifecycle.stopSignal as NodeJS.Signals } : {}),
      onHookFailure: () => tell(this.#pod, 'Warning', 'FailedPreStopHook', 'PreStopHook failed', slot.fieldPath),
    });
  }

  /** Sidecars end when all others have, the last one first. */
  #stopSidecars(grace: number): void {
    const last = this.#slots.filter(({ sort, state }) => sort === 'sidecar' && state.kind === 'running').at(-1);
    if (last) this.#stop(last, grace, `Stopping container ${last.name}`);
  }

  /** Has all containers end, sidecars after the others. To be called again as they do. @param grace milliseconds from now */
  stop(grace: number): void {
    const others = this.#slots.filter(({ sort, state }) => sort !== 'sidecar' && state.kind === 'running');
    for (const slot of others) this.#stop(slot, grace, `Stopping container ${slot.name}`);
    if (others.length === 0) this.#stopSidecars(grace);
  }

  /** Those that have never run will not any more. */
  giveUp(): void {
    const at = this.#around.clock.now();
    const message = 'The container could not be located when the pod was terminated';
    for (const slot of this.mains)
      if (!slot.begun && slot.state.kind === 'waiting')
        slot.state = {
          kind: 'ended',
          id: '',
          startedAt: at,
          exit: { exitCode: 137, at, reason: 'ContainerStatusUnknown', message },
        };
  }

  /** Nobody looks after them any more. */
  abandon(): void {
    for (const slot of this.#slots) {
      slot.stopping?.ended();
      if (slot.state.kind === 'running') slot.state.prober?.stop();
    }
  }
}

/** `10s`, `1m20s`, as Go writes durations. */
function delayText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
