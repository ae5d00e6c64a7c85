import type { Duplex } from 'node:stream';
import type { Container, EphemeralContainer, LifecycleHandler, Pod, Probe } from '@coxswain/k8s';
import type { CommandStreams, LogOptions } from '../apiserver/index.ts';

/** A container of any sort: init, ordinary, ephemeral. */
export type AnyContainer = Container | EphemeralContainer;

/** One file of a volume that is made of objects. */
export interface VolumeFile {
  readonly bytes: Uint8Array;
  /** Permission bits, such as 0o644. */
  readonly mode: number;
}

/** What a volume of a pod is, as far as its node is concerned. */
export type VolumeContent =
  /** ConfigMap, Secret, projected, downward API: files by their path inside the volume. All of them change at once. */
  | { readonly kind: 'files'; readonly files: ReadonlyMap<string, VolumeFile> }
  /** Empty at first, and gone with the pod. `sizeLimit` in bytes. */
  | { readonly kind: 'empty'; readonly memory: boolean; readonly sizeLimit?: number }
  | { readonly kind: 'host'; readonly path: string; readonly type: string }
  /** A bound claim: the volume outlives the pod. `capacity` in bytes; it grows when the claim does. */
  | { readonly kind: 'claim'; readonly volume: string; readonly capacity: number; readonly readOnly: boolean }
  /** Something this node cannot give; `message` says what, and what to use instead. */
  | { readonly kind: 'unsupported'; readonly message: string };

/** How a run of a container ended. */
export interface ContainerExit {
  readonly exitCode: number;
  /** Number of the signal that ended it. */
  readonly signal?: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Instead of `Completed` or `Error`: `OOMKilled`, `ContainerCannotRun`, … */
  readonly reason?: string;
  /** What the program left in its termination message file (or the end of its log, as the container asks), 4096 bytes at most. */
  readonly message?: string;
}

export interface PulledImage {
  /** As `imageID` shows it. */
  readonly id: string;
  /** Whether it had to be brought, which is worth other events than being there. */
  readonly fresh: boolean;
  /** Bytes. */
  readonly size: number;
}

export interface ProbeResult {
  readonly ok: boolean;
  /** What was answered, for the event. */
  readonly output: string;
  /** `warning`: well, but told about. `error`: the container could not even be asked. The words of the event are others then. */
  readonly note?: 'warning' | 'error';
}

/** What a volume holds, and may hold at most. Bytes. */
export interface VolumeUsage {
  readonly used: number;
  readonly limit: number;
}

/** What a container has used. */
export interface ContainerUsage {
  /** Seconds of CPU since its start. */
  readonly cpu: number;
  /** Bytes of memory now. */
  readonly memory: number;
}

export interface ContainerStart {
  readonly pod: Pod;
  readonly container: AnyContainer;
  readonly image: PulledImage;
  /** Complete: of the pod's spec, services, and the downward API. The image's own variables are below these. */
  readonly env: Readonly<Record<string, string>>;
  /** `command` and `args` of the container with `$(VAR)` replaced; absent: those of the image. */
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  /** Runs of this container before this one. */
  readonly attempt: number;
  /** Told once, when the run has ended, whoever ended it. */
  readonly onExit: (exit: ContainerExit) => void;
}

/** One run of a container, from its start to its end. */
export interface RunningContainer {
  /** As the status shows it, such as `process://0f…`. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** How it ended; `undefined` while it runs. */
  readonly exit: ContainerExit | undefined;
  /** Sends a signal to the program: `SIGTERM` asks, `SIGKILL` ends it and everything it has started. */
  kill(signal: NodeJS.Signals): void;
  /** Runs a command in the container; resolves with its exit code. It ends with `streams.signal`. */
  exec(command: readonly string[], tty: boolean, streams: CommandStreams): Promise<number>;
  /** Joins the container's own program, until it ends or the client leaves. */
  attach(tty: boolean, streams: CommandStreams): Promise<void>;
  /** Asks the container how it is. Absent: containers here are not asked, and are taken for well. Aborting `signal` is a time-out. */
  readonly probe?: (probe: Probe, signal: AbortSignal) => Promise<ProbeResult>;
  /** What it uses; `undefined` when it has ended. Absent: nobody measures it here. */
  readonly usage?: () => ContainerUsage | undefined;
  /** Runs a `postStart` or `preStop` hook; rejects with what went wrong. Absent: hooks are not run here. */
  readonly hook?: (handler: LifecycleHandler, signal: AbortSignal) => Promise<void>;
}

/** The place of one pod on a node: its address, its volumes, its containers. */
export interface PodSandbox {
  /** The first is `podIP`. */
  readonly addresses: readonly [string, ...string[]];
  /** Sets what a volume is, before the first container starts and whenever it changes. @throws RuntimeRefusal */
  setVolume(name: string, content: VolumeContent): Promise<void>;
  /** @throws RuntimeRefusal with `ErrImagePull`, `ErrImageNeverPull`, `InvalidImageName` */
  pullImage(container: AnyContainer): Promise<PulledImage>;
  /** @throws RuntimeRefusal with `CreateContainerError`, `CreateContainerConfigError`, `RunContainerError` */
  start(start: ContainerStart): Promise<RunningContainer>;
  /** A run that still goes on from before the node started again; its exit is told. `undefined`: it is lost. */
  adopt(id: string, start: Omit<ContainerStart, 'image' | 'env'>): RunningContainer | undefined;
  /** The log of a run, also of one that has ended; `undefined` when it is not kept any more. */
  log(container: string, id: string, options: LogOptions, signal: AbortSignal): AsyncIterable<Uint8Array> | undefined;
  /** Connects with a port of the pod. Rejects with an Error whose message says why. */
  dial(port: number, signal: AbortSignal): Promise<Duplex>;
  /**
   * To be awaited before the containers of a pod that goes away are asked to stop: Services give it no new connections from the call on;
   * resolves when those just begun are with its programs (200 ms at most). Absent: nobody connects here.
   */
  readonly drain?: () => Promise<void>;
  /** What those of its volumes hold that have a limit, by name. An `empty` one above its limit is not stopped: the pod is to be evicted. */
  readonly volumeUsage?: () => Promise<ReadonlyMap<string, VolumeUsage>>;
  /** Everything of the pod goes: what still runs, mounts, folders, address. What outlives pods stays. To be called again when it fails. */
  remove(): Promise<void>;
}

/**
 * What the cluster has of that which runtimes keep something for. It is asked after a look at what is kept, never before: objects come before
 * what is made for them, so what has none by then is left over.
 */
export interface Living {
  /** Uids of all pods. */
  pods(): Promise<ReadonlySet<string>>;
  /** Whether there is a persistent volume with a name. */
  hasVolume(name: string): Promise<boolean>;
}

/** What runs the pods of nodes: by rule, or as processes. The kubelet decides what happens when; a runtime does it. */
export interface ContainerRuntime {
  /** As `nodeInfo.containerRuntimeVersion` shows it: `simulated://1`, `process://1`. */
  readonly version: string;
  /** Containers here read no files and no variables: what these are made of is looked for, but neither made nor handed over. */
  readonly blind?: boolean;
  /**
   * Makes the place of a pod. A pod that has addresses already (of before the node started again) gets the same.
   * @throws RuntimeRefusal with `FailedCreatePodSandBox`
   */
  createSandbox(pod: Pod): Promise<PodSandbox>;
  /**
   * Removes what pods and persistent volumes that are gone have left. To be called when nodes start, and when a pod or a volume is gone; one
   * call at a time; again when it fails. What has a place here stays in any case. Absent: nothing is left here.
   */
  readonly sweep?: (living: Living) => Promise<void>;
  /** Ends everything and waits for it. */
  close(): Promise<void>;
}

/** A runtime cannot do what was asked. `reason` is the reason of the waiting container or of the event, `message` is for the user. */
export class RuntimeRefusal extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.name = 'RuntimeRefusal';
    this.reason = reason;
  }
}
