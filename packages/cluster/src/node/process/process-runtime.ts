import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '@coxswain/k8s';
import type { Clock, Logger, Random } from '@coxswain/runtime/core';
import { tryAll } from '../../try-all.ts';
import type { PodAttachment, PodNetwork } from '../network/index.ts';
import { type ContainerRuntime, type Living, type PodSandbox, RuntimeRefusal } from '../runtime.ts';
import { ImageCatalog, ownImages } from './images/index.ts';
import { LogFolders } from './logs/log-folders.ts';
import { type Machine, openMachine } from './machine/machine.ts';
import { removeTree } from './machine/remove-tree.ts';
import { PodPlace, type Surroundings } from './pod-place.ts';
import { Claims } from './volumes/claims.ts';

export interface ProcessRuntimeOptions {
  /** Where pods, volumes, logs and layers of images are kept. One runtime at a time uses it. */
  readonly dataDir: string;
  /** Folders with a folder for each image, before that of the images that come along; earlier ones go first. */
  readonly images: readonly string[];
  readonly network: PodNetwork;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Whether images that nobody knows are taken for programs that do nothing, rather than refused; default false. */
  readonly simulateUnknown?: boolean;
  /** `none`: containers are plain processes, whatever the machine allows. Default `best`. */
  readonly isolation?: 'best' | 'none';
}

/** Runs containers as processes of this machine. */
export class ProcessRuntime implements ContainerRuntime {
  readonly version = 'process://1';
  readonly #options: ProcessRuntimeOptions;
  readonly #places = new Map<string, PodPlace>();
  #around: Promise<Surroundings> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ProcessRuntimeOptions) {
    this.#options = options;
  }

  /** The user namespace that containers live in; `undefined`: that of this process. @throws Error when containers have no namespaces */
  async userNamespace(): Promise<string | undefined> {
    const { machine } = await this.#surroundings();
    if (!machine.isolation) throw new Error(`containers have no namespaces on this machine: ${machine.lacks}`);
    return machine.isolation.keeper.userNamespace;
  }

  async createSandbox(pod: Pod): Promise<PodSandbox> {
    const { uid = '', name } = pod.metadata;
    const around = await this.#surroundings();
    if (this.#closing) throw new RuntimeRefusal('FailedCreatePodSandBox', `the node of pod ${name} is being stopped`);
    await this.#places.get(uid)?.remove();
    const folder = join(this.#options.dataDir, 'pods', uid);
    // What containers of an earlier start of the cluster have left.
    await removeTree(join(folder, 'containers'));
    await mkdir(join(folder, 'network'), { recursive: true });
    const attachment = await this.#attach(pod, join(folder, 'network'), around);
    const place = new PodPlace(pod, folder, attachment, around, () => this.#places.delete(uid));
    this.#places.set(uid, place);
    return place;
  }

  async #attach(pod: Pod, directory: string, { machine }: Surroundings): Promise<PodAttachment> {
    const { network } = this.#options;
    const attachment = await network.attach(pod, directory, machine.isolation?.keeper.userNamespace);
    if (!attachment.namespaces || machine.isolation) return attachment;
    await attachment.detach();
    throw new RuntimeRefusal(
      'FailedCreatePodSandBox',
      `address ${attachment.addresses[0]} is not one of 127.0.0.0/8, and so takes namespaces; containers have none on this machine: ${machine.lacks}`,
    );
  }

  readonly sweep = async ({ pods, hasVolume }: Living): Promise<void> => {
    const { logs, claims } = await this.#surroundings();
    const folder = join(this.#options.dataDir, 'pods');
    const uids = await readdir(folder).catch(() => []);
    const kept = new Map([...(await logs.all()), ...uids.map((uid) => [join(folder, uid), uid] as const)]);
    const living = await pods();
    const left = [...kept].filter(([, uid]) => !living.has(uid) && !this.#places.has(uid));
    await tryAll([
      ...left.map(
        ([path]) =>
          () =>
            removeTree(path),
      ),
      () => claims.sweep(hasVolume),
    ]);
  };

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const around = await this.#around?.catch(() => undefined);
    const stopped = await Promise.allSettled([...this.#places.values()].map((place) => place.stop()));
    this.#places.clear();
    // Mounts and networks that are left end with the processes that keep them.
    for (const one of stopped)
      if (one.status === 'rejected')
        this.#options.log.warn({ error: one.reason }, 'a pod could not be stopped in full');
    await around?.machine.close();
  }

  #surroundings(): Promise<Surroundings> {
    this.#around ??= this.#open();
    return this.#around;
  }

  async #open(): Promise<Surroundings> {
    const { dataDir, images, clock, random, log, simulateUnknown = false, isolation = 'best' } = this.#options;
    const run = join(dataDir, 'run');
    await mkdir(run, { recursive: true, mode: 0o711 });
    const machine: Machine = await openMachine(run, { clock, log, isolate: isolation === 'best' });
    return {
      machine,
      claims: new Claims(machine, join(dataDir, 'volumes')),
      images: new ImageCatalog({ folders: [...images, ownImages], cache: join(dataDir, 'images') }),
      logs: new LogFolders(join(dataDir, 'logs')),
      clock,
      random,
      log,
      simulateUnknown,
      folder: dataDir,
      run,
    };
  }
}
