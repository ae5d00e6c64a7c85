import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Pod } from '@coxswain/k8s';
import { type Clock, type Logger, type Random, randomUuid } from '@coxswain/runtime/core';
import type { LogOptions } from '../../apiserver/index.ts';
import { tryAll } from '../../try-all.ts';
import type { PodAttachment } from '../network/index.ts';
import { readLog } from '../read-log.ts';
import {
  type AnyContainer,
  type ContainerStart,
  type PodSandbox,
  type PulledImage,
  type RunningContainer,
  RuntimeRefusal,
  type VolumeContent,
} from '../runtime.ts';
import type { ProcessContainer } from './container/process-container.ts';
import { startContainer } from './container/start-container.ts';
import type { Image, ImageCatalog } from './images/index.ts';
import { LogFile } from './logs/log-file.ts';
import type { LogFolders } from './logs/log-folders.ts';
import type { Machine } from './machine/machine.ts';
import { removeTree } from './machine/remove-tree.ts';
import type { Claims } from './volumes/claims.ts';
import { PodVolumes } from './volumes/pod-volumes.ts';

/** What the places of all pods use. */
export interface Surroundings {
  readonly machine: Machine;
  readonly claims: Claims;
  readonly images: ImageCatalog;
  readonly logs: LogFolders;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly simulateUnknown: boolean;
  /** Folder of the whole runtime; containers do not see it. */
  readonly folder: string;
  /** Folder of what lives as long as this process. */
  readonly run: string;
}

const scheme = 'process://';

/** The id of a run says which one it is, so that its log is found later. */
function newId(random: Random, run: number): string {
  const chance = `${randomUuid(random)}${randomUuid(random)}`.replaceAll('-', '').slice(0, 56);
  return `${scheme}${chance}${run.toString(16).padStart(8, '0')}`;
}

const runOf = (id: string) => Number.parseInt(id.slice(-8), 16);

/** The place of a pod on this machine. */
export class PodPlace implements PodSandbox {
  readonly addresses: readonly [string, ...string[]];
  readonly drain: () => Promise<void>;
  readonly volumeUsage: NonNullable<PodSandbox['volumeUsage']>;
  readonly #pod: Pod;
  readonly #attachment: PodAttachment;
  readonly #around: Surroundings;
  readonly #folder: string;
  readonly #volumes: PodVolumes;
  readonly #images = new Map<string, Image>();
  readonly #running = new Set<ProcessContainer>();
  readonly #outputs = new Map<string, LogFile>();
  readonly #starting = new Set<Promise<unknown>>();
  readonly #gone: () => void;
  /** What runs could not take away when they ended. */
  readonly #untidy = new Set<() => Promise<void>>();
  #going = false;
  #removing: Promise<void> | undefined;

  /** @param gone told when it is removed */
  constructor(pod: Pod, folder: string, attachment: PodAttachment, around: Surroundings, gone: () => void) {
    this.#pod = pod;
    this.#folder = folder;
    this.#attachment = attachment;
    this.#around = around;
    this.#gone = gone;
    this.addresses = attachment.addresses;
    this.drain = () => attachment.drain();
    this.#volumes = new PodVolumes({
      machine: around.machine,
      claims: around.claims,
      pod: pod.metadata.uid ?? '',
      folder: join(folder, 'volumes'),
      fsGroup: pod.spec?.securityContext?.fsGroup,
      stamp: () => randomUuid(around.random),
    });
    this.volumeUsage = () => this.#volumes.usage();
  }

  async setVolume(name: string, content: VolumeContent): Promise<void> {
    await mkdir(join(this.#folder, 'volumes'), { recursive: true });
    await this.#volumes.set(name, content);
  }

  async pullImage({ image = '', imagePullPolicy }: AnyContainer): Promise<PulledImage> {
    const found = await this.#around.images.pull(image, {
      never: imagePullPolicy === 'Never',
      simulate: this.#around.simulateUnknown,
    });
    this.#images.set(found.id, found);
    return { id: found.id, fresh: found.fresh, size: found.size };
  }

  async start(start: ContainerStart): Promise<RunningContainer> {
    if (this.#going) throw new RuntimeRefusal('CreateContainerError', 'the pod is being removed');
    const starting = this.#start(start);
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  async #start(start: ContainerStart): Promise<ProcessContainer> {
    const { logs, clock, random } = this.#around;
    const { name } = start.container;
    const image = this.#images.get(start.image.id);
    if (!image)
      throw new RuntimeRefusal('CreateContainerError', `the image ${start.image.id} was not pulled for this pod`);
    const run = start.attempt;
    const output = await LogFile.create(logs.ofRun(this.#pod, name, run), () => clock.now());
    const id = newId(random, run);
    try {
      const container = await startContainer({
        ...this.#around,
        id,
        start,
        image,
        output,
        podFolder: this.#folder,
        attachment: this.#attachment,
        volumes: this.#volumes,
        onUntidy: (again) => this.#untidy.add(again),
      });
      this.#outputs.set(id, output);
      this.#running.add(container);
      void container.gone.then(() => {
        this.#running.delete(container);
        this.#outputs.delete(id);
      });
      await logs.forget(this.#pod, name, run);
      return container;
    } catch (error) {
      await output.end();
      throw error;
    }
  }

  /** Nothing outlives the process of the cluster. */
  adopt(): undefined {
    return undefined;
  }

  log(container: string, id: string, options: LogOptions, signal: AbortSignal): AsyncIterable<Uint8Array> | undefined {
    const output = this.#outputs.get(id);
    if (output) return readLog(output, options, signal);
    const path = this.#around.logs.ofRun(this.#pod, container, runOf(id));
    if (!id.startsWith(scheme) || !existsSync(path)) return undefined;
    return readKept(path, options, signal);
  }

  dial(port: number, signal: AbortSignal): Promise<Duplex> {
    return this.#attachment.dial(port, signal);
  }

  /** Ends what runs and takes off what is mounted; what a restart needs stays. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#starting);
    for (const container of this.#running) container.kill('SIGKILL');
    await Promise.all([...this.#running].map(({ gone }) => gone));
    const tidy = [...this.#untidy].map((again) => async () => {
      await again();
      this.#untidy.delete(again);
    });
    await tryAll([...tidy, () => this.#volumes.remove(), () => this.#attachment.detach()]);
  }

  remove(): Promise<void> {
    this.#going = true;
    this.#removing ??= this.#remove().finally(() => {
      this.#removing = undefined;
    });
    return this.#removing;
  }

  async #remove(): Promise<void> {
    const { machine, run, logs } = this.#around;
    await this.stop();
    const memory = machine.isolation?.keeper.seen(join(run, 'memory', this.#pod.metadata.uid ?? ''));
    const folders = [this.#folder, logs.ofPod(this.#pod), ...(memory ? [memory] : [])];
    await tryAll(folders.map((folder) => () => removeTree(folder)));
    this.#gone();
  }
}

async function* readKept(path: string, options: LogOptions, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const file = await LogFile.find(path);
  if (file) yield* readLog(file, options, signal);
}
