import type { Clock, Logger, Random } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import type { NodeConnections } from '../../apiserver/index.ts';
import { controllerRecorder } from '../../controllers/workload/recorder.ts';
import type { ServiceNetwork } from '../../embedded-server.ts';
import { tryAll } from '../../try-all.ts';
import { type AddressBlock, claimBlock } from './addresses/block.ts';
import { type PodRange, parsePodRange } from './addresses/pod-range.ts';
import { NetworkError } from './errors.ts';
import { machine } from './place.ts';
import { RunningNetwork } from './running-network.ts';
import { ServiceDirectory } from './service-directory.ts';
import type { NodePlace, PodAttachment, PodNetwork } from './types.ts';

export interface ProcessNetworkOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** First number of all addresses, each of which the machine has by itself; default 127. */
  readonly net?: number;
  /** Where pods have their addresses, each in a network namespace of its own; absent: they share the machine's network. */
  readonly podCIDR?: string;
}

/**
 * The network of one cluster's process-backed pods, from the claim of its addresses, which goes before everything else, to the end. Who
 * asks it for something before it runs waits.
 */
export class ProcessNetwork implements PodNetwork {
  readonly #options: ProcessNetworkOptions;
  readonly #range: PodRange | undefined;
  readonly #running = Promise.withResolvers<RunningNetwork>();
  #block: AddressBlock | undefined;
  #closed = false;

  /** @throws NetworkError for a `podCIDR` that is not one for pods */
  constructor(options: ProcessNetworkOptions) {
    this.#options = options;
    this.#range = options.podCIDR === undefined ? undefined : parsePodRange(options.podCIDR);
    // Who waits for it is told; when nobody does, nobody needs to know.
    this.#running.promise.catch(() => {});
  }

  /**
   * Takes a part of 127.0.0.0/8 (or of `net`), and answers where Services are in it.
   * @param stored the range of an earlier start
   * @throws NetworkError
   */
  async claim(stored: string | undefined): Promise<ServiceNetwork> {
    const block = await claimBlock(this.#options.random, stored, this.#options.net);
    this.#block = block;
    const { serviceRange } = block;
    return (await lowPorts(block)) ? { serviceRange } : { serviceRange, serverPort: 6443 };
  }

  /** Adds the network to a manager, with which it starts. @param connections how pods of other nodes are reached */
  run(manager: Manager, connections: NodeConnections): void {
    const directory = new ServiceDirectory(manager.cache);
    const recorder = controllerRecorder(manager, 'kube-proxy');
    manager.add({
      name: 'pod-network',
      start: async (signal) => {
        const block = this.#block;
        if (!block) throw new Error('the addresses of the network were not claimed before its start');
        await manager.cache.synced(signal);
        const range = this.#range ? { range: this.#range } : {};
        const running = await RunningNetwork.start({ manager, block, directory, recorder, connections, ...range });
        if (this.#closed) await running.close();
        else this.#running.resolve(running);
      },
    });
  }

  async joinNode(node: string): Promise<NodePlace> {
    return (await this.#network()).joinNode(node);
  }

  leaveNode(node: string): void {
    void this.#running.promise.then((running) => running.leaveNode(node)).catch(() => {});
  }

  async prepare(user?: string): Promise<void> {
    await (await this.#network()).prepare(user);
  }

  async attach(...pod: Parameters<PodNetwork['attach']>): Promise<PodAttachment> {
    return (await this.#network()).attach(...pod);
  }

  /** Ends listeners and connections, and lets other clusters have the addresses. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#running.reject(closed());
    // That it never ran, or was closed before, is no matter.
    const running = await this.#running.promise.catch(() => undefined);
    const block = this.#block;
    this.#block = undefined;
    await tryAll([async () => running?.close(), async () => block?.release()]);
  }

  async #network(): Promise<RunningNetwork> {
    const network = await this.#running.promise;
    if (this.#closed) throw closed();
    return network;
  }
}

/** Whether this user may listen at ports below 1024. */
async function lowPorts(block: AddressBlock): Promise<boolean> {
  try {
    const server = await machine.listen(block.serviceAddress(1), 443);
    server.close();
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EACCES';
  }
}

const closed = () => new NetworkError('the network of the cluster was closed');
