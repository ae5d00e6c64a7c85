import type { Duplex } from 'node:stream';
import type { Pod } from '@coxswain/k8s';
import type { Clock, Random } from '@coxswain/runtime/core';
import type { LogOptions } from '../../apiserver/index.ts';
import { connectTo } from '../kubelet/index.ts';
import { readLog } from '../read-log.ts';
import {
  type AnyContainer,
  type ContainerRuntime,
  type ContainerStart,
  type PodSandbox,
  type PulledImage,
  type RunningContainer,
  RuntimeRefusal,
} from '../runtime.ts';
import type { PodAddresses } from './address.ts';
import type { PodBehaviour } from './behaviour.ts';
import type { SimulatedPrograms } from './programs.ts';
import { SimulatedContainer } from './simulated-container.ts';

export interface SimulatedRuntimeOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly behaviour: PodBehaviour;
  readonly programs: SimulatedPrograms;
  readonly addresses: PodAddresses;
  /** Address of a node by its name. */
  readonly nodeAddress: (node: string) => string | undefined;
}

/** Waits without anything else to do. */
function pause(clock: Clock, milliseconds: number): Promise<void> | undefined {
  return milliseconds > 0 ? new Promise((resolve) => clock.after(milliseconds, resolve)) : undefined;
}

class SimulatedSandbox implements PodSandbox {
  readonly addresses: readonly [string, ...string[]];
  readonly #pod: Pod;
  readonly #options: SimulatedRuntimeOptions;
  /** Of each container the last run, and the one before it. */
  readonly #runs = new Map<string, readonly [SimulatedContainer, SimulatedContainer?]>();
  /** How often the image of each container was asked for. */
  readonly #pulls = new Map<string, number>();

  constructor(pod: Pod, address: string, options: SimulatedRuntimeOptions) {
    this.addresses = [address];
    this.#pod = pod;
    this.#options = options;
  }

  async setVolume(): Promise<void> {}

  async pullImage(container: AnyContainer): Promise<PulledImage> {
    const { image = '', imagePullPolicy } = container;
    const { clock, behaviour } = this.#options;
    const before = this.#pulls.get(container.name) ?? 0;
    this.#pulls.set(container.name, before + 1);
    const { kind, pull } = behaviour(this.#pod, container, before);
    if (kind === 'unpullable' && imagePullPolicy === 'Never')
      throw new RuntimeRefusal(
        'ErrImageNeverPull',
        `Container image ${JSON.stringify(image)} is not present with pull policy of Never`,
      );
    await pause(clock, pull?.delay ?? 0);
    if (kind === 'unpullable')
      throw new RuntimeRefusal(
        'ErrImagePull',
        pull?.error ?? `image ${JSON.stringify(image)} cannot be pulled: a rule of the simulated node says so`,
      );
    return { id: `simulated://${image}`, fresh: !pull?.there, size: 0 };
  }

  async start(start: ContainerStart): Promise<RunningContainer> {
    const behaviour = this.#options.behaviour(this.#pod, start.container, start.attempt);
    await pause(this.#options.clock, behaviour.startDelay ?? 0);
    if (behaviour.startError) throw new RuntimeRefusal('RunContainerError', behaviour.startError);
    return this.#keep(start, behaviour, undefined);
  }

  adopt(id: string, start: Omit<ContainerStart, 'image' | 'env'>): RunningContainer {
    const { container, pod, attempt } = start;
    const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
    const all = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
    const since = all.find(({ name }) => name === container.name)?.state?.running?.startedAt;
    const startedAt = Date.parse(since ?? '') || this.#options.clock.now();
    return this.#keep(start, this.#options.behaviour(pod, container, attempt), { id, startedAt });
  }

  log(container: string, id: string, options: LogOptions, signal: AbortSignal): AsyncIterable<Uint8Array> | undefined {
    const run = this.#runs.get(container)?.find((one) => one?.id === id);
    return run && readLog(run.log, options, signal);
  }

  async dial(port: number): Promise<Duplex> {
    for (const [{ exit, program }] of this.#runs.values()) {
      const listen = exit ? undefined : program?.ports?.[port];
      if (listen) return connectTo(listen);
    }
    const why = `connect: connection refused (node ${this.#pod.spec?.nodeName} is simulated)`;
    throw new Error(`dial tcp ${this.addresses[0]}:${port}: ${why}`);
  }

  async remove(): Promise<void> {
    for (const [run] of this.#runs.values()) run.abandon();
    this.#runs.clear();
    if (!this.#pod.spec?.hostNetwork) this.#options.addresses.release(this.addresses[0]);
  }

  #keep(
    start: Omit<ContainerStart, 'image' | 'env'>,
    behaviour: ReturnType<PodBehaviour>,
    known: { readonly id: string; readonly startedAt: number } | undefined,
  ): SimulatedContainer {
    const { clock, random, programs } = this.#options;
    const program = programs(this.#pod, start.container);
    const run = new SimulatedContainer(start, { clock, random, behaviour, program, ...(known ? { known } : {}) });
    const { name } = start.container;
    const before = this.#runs.get(name)?.[0];
    this.#runs.set(name, before ? [run, before] : [run]);
    return run;
  }
}

/** Runs containers by rule: at once, unless a rule says otherwise. */
export class SimulatedRuntime implements ContainerRuntime {
  readonly version = 'simulated://1';
  readonly blind = true;
  readonly #options: SimulatedRuntimeOptions;

  constructor(options: SimulatedRuntimeOptions) {
    this.#options = options;
  }

  async createSandbox(pod: Pod): Promise<PodSandbox> {
    const { addresses, nodeAddress } = this.#options;
    const known = pod.status?.podIP;
    if (pod.spec?.hostNetwork) {
      const address = known ?? nodeAddress(pod.spec.nodeName ?? '') ?? '';
      return new SimulatedSandbox(pod, address, this.#options);
    }
    if (known) addresses.claim(known);
    return new SimulatedSandbox(pod, known ?? addresses.allocate(), this.#options);
  }

  async close(): Promise<void> {}
}
