import type { Container, ContainerState, ContainerStatus, Pod } from '@coxswain/k8s';
import { formatTime, type Random, randomUuid } from '@coxswain/runtime/core';
import type { ContainerBehaviour, PodBehaviour } from './behaviour.ts';
import type { ContainerRuns } from './container-runs.ts';

/** One container as the node sees it. Times are milliseconds since the epoch. */
type ContainerRun =
  | { readonly state: 'waiting'; readonly reason: string; readonly message?: string; readonly until?: number }
  | {
      readonly state: 'running';
      readonly id: string;
      readonly since: number;
      readonly endsAt?: number;
      readonly exitCode: number;
    }
  | {
      readonly state: 'terminated';
      readonly id: string;
      readonly since: number;
      readonly at: number;
      readonly exitCode: number;
    };

interface Slot {
  readonly container: Container;
  readonly init: boolean;
  run: ContainerRun;
  last: ContainerState | undefined;
  restarts: number;
  /** What the running container was started with; a difference restarts it in place. */
  startedWith: string;
}

const backoffBase = 10_000;
const backoffLimit = 300_000;
/** Milliseconds until another look at what an environment is made of. */
const configRetry = 2_000;

/** Milliseconds before a container that has been restarted so often starts once more. */
function restartDelay(restarts: number): number {
  return Math.min(backoffLimit, backoffBase * 2 ** restarts);
}

/**
 * What a running container took from the pod when it started: its image, and the annotations and labels its environment refers to.
 * (On a real node OpenKruise's daemon restarts a container when the latter change; the kubelet does for the image.)
 */
function startInputs(pod: Pod, container: Container): string {
  const fields = (container.env ?? []).map((variable) => {
    const path = variable.valueFrom?.fieldRef?.fieldPath ?? '';
    const match = /^metadata\.(annotations|labels)\['(.+)'\]$/.exec(path);
    if (!match) return '';
    const values = match[1] === 'labels' ? pod.metadata.labels : pod.metadata.annotations;
    return `${variable.name}=${values?.[match[2] ?? ''] ?? ''}`;
  });
  return [container.image, ...fields].join('\n');
}

/** What a container's status says it was doing; `undefined` when it had not come to anything. */
function runOf(
  { containerID: id, state, lastState, restartCount }: ContainerStatus,
  behaviour: ContainerBehaviour,
): ContainerRun | undefined {
  const { running, terminated, waiting } = state ?? {};
  if (waiting && restartCount > 0) {
    const { reason = 'CrashLoopBackOff', message } = waiting;
    const ended = Date.parse(lastState?.terminated?.finishedAt ?? '') || 0;
    const until = ended + restartDelay(restartCount - 1);
    return { state: 'waiting', reason, until, ...(message ? { message } : {}) };
  }
  if (!id) return undefined;
  if (running) {
    const since = Date.parse(running.startedAt ?? '');
    const ends =
      behaviour.kind === 'ends' ? { endsAt: since + behaviour.after, exitCode: behaviour.exitCode } : { exitCode: 0 };
    return { state: 'running', id, since, ...ends };
  }
  if (!terminated) return undefined;
  const since = Date.parse(terminated.startedAt ?? '');
  return { state: 'terminated', id, since, at: Date.parse(terminated.finishedAt ?? ''), exitCode: terminated.exitCode };
}

/** An init container that goes on running beside the others. */
function isSidecar(slot: Slot): boolean {
  return slot.init && slot.container.restartPolicy === 'Always';
}

/** The containers of one pod on a simulated node, and how they move on as time passes. */
export class Sandbox {
  readonly startTime: number;
  address: string;
  readonly #slots: Slot[];
  /** Why containers may not start, by their names. */
  #refusals: ReadonlyMap<string, string> = new Map();
  readonly #random: Random;
  readonly #behaviour: PodBehaviour;
  readonly runs: ContainerRuns;
  #pod: Pod;

  constructor(
    pod: Pod,
    address: string,
    now: number,
    {
      random,
      behaviour,
      runs,
    }: { readonly random: Random; readonly behaviour: PodBehaviour; readonly runs: ContainerRuns },
  ) {
    this.runs = runs;
    this.#pod = pod;
    this.#random = random;
    this.#behaviour = behaviour;
    this.address = address;
    this.startTime = pod.status?.startTime ? Date.parse(pod.status.startTime) : now;
    const slot = (container: Container, init: boolean): Slot => ({
      container,
      init,
      run: { state: 'waiting', reason: pod.spec?.initContainers?.length ? 'PodInitializing' : 'ContainerCreating' },
      last: undefined,
      restarts: 0,
      startedWith: '',
    });
    this.#slots = [
      ...(pod.spec?.initContainers ?? []).map((c) => slot(c, true)),
      ...(pod.spec?.containers ?? []).map((c) => slot(c, false)),
    ];
    this.#adopt(pod);
  }

  /** Takes over what a node that ran this pod before has written. */
  #adopt(pod: Pod): void {
    const known = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
    for (const slot of this.#slots) {
      const status = known.find(({ name }) => name === slot.container.name);
      if (!status) continue;
      slot.restarts = status.restartCount;
      slot.last = status.lastState;
      slot.startedWith = startInputs(pod, slot.container);
      const run = runOf(status, this.#behaviour(pod, slot.container));
      if (run) slot.run = run;
      if (run?.state === 'running') this.runs.started(pod, slot.container, run.id);
    }
  }

  /** Moves all containers on to `now`. Answers when something will happen next by itself. */
  advance(pod: Pod, now: number, refusals: ReadonlyMap<string, string> = new Map()): number | undefined {
    this.#pod = pod;
    this.#refusals = refusals;
    const wanted = this.#wanted(pod);
    let next: number | undefined;
    for (const [i, slot] of this.#slots.entries()) {
      this.#advanceSlot(slot, wanted[i] ?? slot.container, now);
      const due =
        slot.run.state === 'running' ? slot.run.endsAt : slot.run.state === 'waiting' ? slot.run.until : undefined;
      if (due !== undefined && (next === undefined || due < next)) next = due;
      if (slot.init && !this.#passed(slot)) break;
    }
    return next;
  }

  #wanted(pod: Pod): Container[] {
    return [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  }

  /** The containers that `advance` may start now. */
  startable(pod: Pod, now: number): Container[] {
    const wanted = this.#wanted(pod);
    const startable: Container[] = [];
    for (const [i, slot] of this.#slots.entries()) {
      const container = wanted[i] ?? slot.container;
      const { run } = slot;
      const due = run.state === 'waiting' && (run.until ?? 0) <= now;
      const outdated = run.state === 'running' && slot.startedWith !== startInputs(pod, container);
      if (due || outdated) startable.push(container);
      if (slot.init && !this.#passed(slot)) break;
    }
    return startable;
  }

  #advanceSlot(slot: Slot, container: Container, now: number): void {
    const inputs = startInputs(this.#pod, container);
    if (slot.run.state === 'running' && slot.startedWith !== inputs) {
      this.#end(slot, { ...slot.run, exitCode: 0 }, now);
      this.#start(slot, container, inputs, now);
      slot.restarts++;
      return;
    }
    if (slot.run.state === 'running' && slot.run.endsAt !== undefined && slot.run.endsAt <= now)
      this.#finish(slot, slot.run, now);
    if (slot.run.state === 'waiting' && (slot.run.until ?? 0) <= now) this.#start(slot, container, inputs, now);
  }

  #start(slot: Slot, container: Container, inputs: string, now: number): void {
    const refusal = this.#refusals.get(container.name);
    if (refusal !== undefined) {
      slot.run = {
        state: 'waiting',
        reason: 'CreateContainerConfigError',
        message: refusal,
        until: now + configRetry,
      };
      return;
    }
    const behaviour: ContainerBehaviour = this.#behaviour(this.#pod, container);
    if (behaviour.kind === 'unpullable') {
      slot.run = {
        state: 'waiting',
        reason: 'ImagePullBackOff',
        message: `Back-off pulling image "${container.image ?? ''}"`,
        until: now + backoffLimit,
      };
      return;
    }
    const id = `simulated://${randomUuid(this.#random).replaceAll('-', '')}`;
    slot.startedWith = inputs;
    slot.run = { state: 'running', id, since: now, exitCode: 0 };
    this.runs.started(this.#pod, container, id);
    if (behaviour.kind !== 'ends') return;
    slot.run = { ...slot.run, endsAt: now + behaviour.after, exitCode: behaviour.exitCode };
    if (behaviour.after === 0) this.#finish(slot, slot.run, now);
  }

  #end(slot: Slot, run: Extract<ContainerRun, { state: 'running' }>, now: number): void {
    slot.run = { state: 'terminated', id: run.id, since: run.since, at: now, exitCode: run.exitCode };
    this.runs.ended(slot.container.name);
    slot.last = this.#stateOf(slot);
  }

  #finish(slot: Slot, run: Extract<ContainerRun, { state: 'running' }>, now: number): void {
    this.#end(slot, run, run.endsAt ?? now);
    const policy = this.#pod.spec?.restartPolicy ?? 'Always';
    const again =
      slot.init && !isSidecar(slot)
        ? run.exitCode !== 0 && policy !== 'Never'
        : isSidecar(slot) || policy === 'Always' || (policy === 'OnFailure' && run.exitCode !== 0);
    if (!again) return;
    const delay = restartDelay(slot.restarts);
    slot.restarts++;
    const message = `back-off ${delay / 1000}s restarting failed container=${slot.container.name} pod=${this.#pod.metadata.name}`;
    slot.run = { state: 'waiting', reason: 'CrashLoopBackOff', message, until: now + delay };
  }

  /** Stops everything, as on deletion. */
  stop(now: number): void {
    for (const slot of this.#slots)
      if (slot.run.state === 'running') this.#end(slot, { ...slot.run, exitCode: 0 }, now);
  }

  #passed(slot: Slot): boolean {
    if (isSidecar(slot)) return slot.run.state === 'running';
    return slot.run.state === 'terminated' && slot.run.exitCode === 0;
  }

  get initialized(): boolean {
    return this.#slots.every((slot) => !slot.init || this.#passed(slot));
  }

  get containersReady(): boolean {
    return (
      this.initialized && this.#slots.every((slot) => slot.run.state === 'running' || (slot.init && this.#passed(slot)))
    );
  }

  /** `Succeeded` or `Failed` once no container will run again; `Pending` before the first started. */
  get phase(): 'Pending' | 'Running' | 'Succeeded' | 'Failed' {
    const failedInit = this.#slots.some(
      (slot) => slot.init && !isSidecar(slot) && slot.run.state === 'terminated' && slot.run.exitCode !== 0,
    );
    if (failedInit) return 'Failed';
    const main = this.#slots.filter((slot) => !slot.init);
    const ended = main.flatMap((slot) => (slot.run.state === 'terminated' ? [slot.run.exitCode] : []));
    if (main.length > 0 && ended.length === main.length)
      return ended.every((code) => code === 0) ? 'Succeeded' : 'Failed';
    return main.some((slot) => slot.run.state !== 'waiting' || slot.restarts > 0) ? 'Running' : 'Pending';
  }

  #stateOf(slot: Slot): ContainerState {
    const { run } = slot;
    if (run.state === 'waiting')
      return { waiting: { reason: run.reason, ...(run.message ? { message: run.message } : {}) } };
    if (run.state === 'running') return { running: { startedAt: formatTime(run.since) } };
    const reason = run.exitCode === 0 ? 'Completed' : 'Error';
    return {
      terminated: {
        exitCode: run.exitCode,
        reason,
        startedAt: formatTime(run.since),
        finishedAt: formatTime(run.at),
        containerID: run.id,
      },
    };
  }

  /** Container statuses in the order of the spec. */
  statuses(init: boolean): ContainerStatus[] {
    const wanted = init ? this.#pod.spec?.initContainers : this.#pod.spec?.containers;
    return this.#slots
      .filter((slot) => slot.init === init)
      .map((slot, i) => {
        const running = slot.run.state === 'running';
        const image = wanted?.[i]?.image ?? slot.container.image ?? '';
        return {
          name: slot.container.name,
          image,
          imageID: slot.run.state === 'waiting' ? '' : `simulated://${image}`,
          ...(slot.run.state === 'waiting' ? {} : { containerID: slot.run.id }),
          state: this.#stateOf(slot),
          lastState: slot.last ?? {},
          ready: init ? this.#passed(slot) : running,
          restartCount: slot.restarts,
          started: running,
        };
      });
  }
}
