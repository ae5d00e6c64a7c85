import type { Container, ContainerState, ContainerStatus, Pod, VolumeMount, VolumeMountStatus } from '@coxswain/k8s';
import { formatTime } from '@coxswain/runtime/core';
import type { AnyContainer, ContainerExit, RunningContainer } from '../runtime.ts';
import type { Prober } from './prober.ts';
import { RestartDelay } from './restart-delay.ts';
import type { ContainerSort } from './restart-policy.ts';
import type { Stopping } from './stopping.ts';

/** What a container does now. Times are milliseconds since the epoch. */
export type SlotState =
  | {
      readonly kind: 'waiting';
      readonly reason: string;
      readonly message?: string;
      /** Not before; absent: as soon as it may. */
      readonly until?: number;
    }
  | {
      readonly kind: 'running';
      readonly run: RunningContainer;
      /** Absent while the `postStart` hook runs. */
      readonly prober?: Prober;
    }
  | {
      readonly kind: 'ended';
      readonly id: string;
      readonly startedAt: number;
      readonly exit: ContainerExit;
      /** When it starts again; absent: never. */
      readonly again?: number;
    };

/**
 * What a running container took from the pod when it started: its image, and the annotations and labels its environment refers to.
 * (On a real node OpenKruise's daemon restarts a container when the latter change; the kubelet does for the image.)
 */
export function startInputs(pod: Pod, container: AnyContainer): string {
  const fields = (container.env ?? []).map((variable) => {
    const path = variable.valueFrom?.fieldRef?.fieldPath ?? '';
    const match = /^metadata\.(annotations|labels)\['(.+)'\]$/.exec(path);
    if (!match) return '';
    const values = match[1] === 'labels' ? pod.metadata.labels : pod.metadata.annotations;
    return `${variable.name}=${values?.[match[2] ?? ''] ?? ''}`;
  });
  return [container.image, ...fields].join('\n');
}

/** One container of a pod on a node, through all its runs. */
export class ContainerSlot {
  readonly sort: ContainerSort;
  /** As the pod has it now. */
  container: AnyContainer;
  state: SlotState;
  last: ContainerState | undefined;
  restarts = 0;
  /** Whether it has run at all: what comes before it is not waited for again. */
  begun = false;
  /** As `imageID` shows it. */
  imageId = '';
  startedWith = '';
  stopping: Stopping | undefined;
  /** It is stopped to begin anew with other inputs, whatever the policy. */
  replaced = false;
  /** When its image is pulled again. */
  retryAt = 0;
  readonly delay = new RestartDelay();
  readonly pulls = new RestartDelay(10_000);

  constructor(container: AnyContainer, sort: ContainerSort, reason: string) {
    this.container = container;
    this.sort = sort;
    this.state = { kind: 'waiting', reason };
  }

  get name(): string {
    return this.container.name;
  }

  /** As events call it. */
  get fieldPath(): string {
    const list = this.isInit ? 'initContainers' : this.sort === 'ephemeral' ? 'ephemeralContainers' : 'containers';
    return `spec.${list}{${this.name}}`;
  }

  get isInit(): boolean {
    return this.sort === 'init' || this.sort === 'sidecar';
  }

  get started(): boolean {
    return this.state.kind === 'running' && (this.state.prober?.started ?? false);
  }

  get ready(): boolean {
    if (this.sort === 'init') return this.state.kind === 'ended' && this.state.exit.exitCode === 0;
    return this.state.kind === 'running' && (this.state.prober?.ready ?? false);
  }

  /** Whether the containers after this one may begin. */
  get passed(): boolean {
    return this.sort === 'sidecar' ? this.started : this.ready;
  }

  /** It has ended, and does not start again. */
  get over(): boolean {
    return this.state.kind === 'ended' && this.state.again === undefined;
  }

  get stateNow(): ContainerState {
    const { state } = this;
    if (state.kind === 'waiting')
      return { waiting: { reason: state.reason, ...(state.message ? { message: state.message } : {}) } };
    if (state.kind === 'running') return { running: { startedAt: formatTime(state.run.startedAt) } };
    return { terminated: terminatedState(state) };
  }

  /** When it goes on by itself. */
  get due(): number | undefined {
    if (this.state.kind === 'waiting') return this.state.until;
    return this.state.kind === 'ended' ? this.state.again : undefined;
  }

  get status(): ContainerStatus {
    const { container, state } = this;
    const waiting = state.kind === 'waiting';
    const ended = this.last?.terminated?.containerID;
    const id = state.kind === 'running' ? state.run.id : state.kind === 'ended' ? state.id : ended;
    const { resources, volumeMounts = [] } = container as Container;
    return {
      name: this.name,
      image: container.image ?? '',
      imageID: waiting && !ended ? '' : this.imageId,
      ...(id ? { containerID: id } : {}),
      state: this.stateNow,
      lastState: this.last ?? {},
      ready: this.ready,
      restartCount: this.restarts,
      started: this.started,
      ...(resources && Object.keys(resources).length > 0 ? { resources } : {}),
      ...(resources?.requests ? { allocatedResources: resources.requests } : {}),
      ...(volumeMounts.length > 0 ? { volumeMounts: volumeMounts.map(mountStatus) } : {}),
    };
  }

  /** Takes over what a node that ran it before has written, but for the run itself. */
  adopt(status: ContainerStatus): void {
    this.restarts = status.restartCount;
    this.last = status.lastState?.terminated ? status.lastState : undefined;
    this.imageId = status.imageID;
    const finished = Date.parse(status.lastState?.terminated?.finishedAt ?? '');
    if (!Number.isNaN(finished)) this.delay.resume(status.restartCount, finished);
    const { waiting, terminated } = status.state ?? {};
    this.begun = Boolean(status.containerID);
    if (waiting?.reason === 'CrashLoopBackOff') {
      const { reason, message } = waiting;
      this.state = {
        kind: 'waiting',
        reason,
        until: finished + this.delay.after(finished),
        ...(message ? { message } : {}),
      };
    } else if (terminated) {
      const { exitCode, reason, message, startedAt, finishedAt, containerID = '' } = terminated;
      const exit = {
        exitCode,
        at: Date.parse(finishedAt ?? ''),
        ...(reason ? { reason } : {}),
        ...(message ? { message } : {}),
      };
      this.state = { kind: 'ended', id: containerID, startedAt: Date.parse(startedAt ?? ''), exit };
    }
  }

  /** Its run has ended. @param again when it starts anew */
  end(exit: ContainerExit, again: number | undefined): void {
    if (this.state.kind !== 'running') return;
    this.stopping?.ended();
    this.stopping = undefined;
    this.state.prober?.stop();
    const { id, startedAt } = this.state.run;
    this.state = { kind: 'ended', id, startedAt, exit, ...(again === undefined ? {} : { again }) };
  }

  /** What it did last is told beside what it does now. */
  keepEnd(): void {
    if (this.state.kind === 'ended') this.last = { terminated: terminatedState(this.state) };
  }
}

/** A mount that is read-only is so at its root only, unless it was asked for more, which no runtime here does. */
function mountStatus({ name, mountPath, readOnly }: VolumeMount): VolumeMountStatus {
  return { name, mountPath, ...(readOnly ? { readOnly, recursiveReadOnly: 'Disabled' } : {}) };
}

function terminatedState({
  id,
  startedAt,
  exit,
}: Extract<SlotState, { kind: 'ended' }>): NonNullable<ContainerState['terminated']> {
  const { exitCode, signal, at, reason = exitCode === 0 ? 'Completed' : 'Error', message } = exit;
  return {
    exitCode,
    ...(signal === undefined ? {} : { signal }),
    reason,
    ...(message ? { message } : {}),
    startedAt: formatTime(startedAt),
    finishedAt: formatTime(at),
    ...(id ? { containerID: id } : {}),
  };
}
