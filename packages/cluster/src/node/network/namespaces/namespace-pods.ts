import type { Duplex } from 'node:stream';
import type { Clock, Logger } from '@coxswain/runtime/core';
import type { Place } from '../place.ts';
import type { PodNamespaces } from '../types.ts';
import { NetworkNamespace } from './network-namespace.ts';

export interface NamespacePodsOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Brings names and Services into the network of these pods, when there is the first of them. */
  readonly join: (place: Place) => Promise<void>;
  readonly leave: (place: Place) => Promise<void>;
}

/** A pod in a network namespace. */
export interface NamespacePod {
  readonly namespaces: PodNamespaces;
  readonly place: Place;
  dial(port: number, signal: AbortSignal): Promise<Duplex>;
  remove(): Promise<void>;
}

/** The pods whose addresses the machine does not have. The network they share is made with the first of them at the latest. */
export class NamespacePods {
  readonly #options: NamespacePodsOptions;
  readonly #pods = new Map<string, NetworkNamespace>();
  #network: Promise<NetworkNamespace> | undefined;

  constructor(options: NamespacePodsOptions) {
    this.#options = options;
  }

  /**
   * Makes the network that they share, if it is not there.
   * @param user the user namespace that it is to belong to
   * @throws NetworkError when the machine does not allow it
   */
  open(user?: string): Promise<NetworkNamespace> {
    this.#network ??= this.#start(user);
    return this.#network;
  }

  /**
   * @param user the user namespace that the network is to belong to, if it is not there yet
   * @throws NetworkError when the machine does not allow it
   */
  async add(address: string, user?: string): Promise<NamespacePod> {
    const network = await this.open(user);
    const { link, ...namespaces } = await network.addPod(address);
    this.#pods.set(address, network);
    return {
      namespaces,
      place: network,
      dial: (port, signal) => network.dial(address, port, signal),
      remove: async () => {
        // Where the network has ended, that of the pod has with it.
        if (network.alive) await network.removePod(link, address);
        this.#pods.delete(address);
      },
    };
  }

  /** The network that an address is in, if it is that of one of these pods. */
  placeOf(address: string): Place | undefined {
    return this.#pods.get(address);
  }

  /** Connects with one of these pods; `undefined` when it is none of them. */
  dial(address: string, port: number, signal: AbortSignal): Promise<Duplex> | undefined {
    return this.#pods.get(address)?.dial(address, port, signal);
  }

  async close(): Promise<void> {
    const network = await this.#network?.catch(() => undefined);
    await network?.close();
  }

  async #start(user: string | undefined): Promise<NetworkNamespace> {
    const { clock, log, join, leave } = this.#options;
    let network: NetworkNamespace | undefined;
    try {
      const onLost = (why: string) => {
        log.error(
          { why },
          'the network namespace of pods has ended: pods with declared addresses are cut off until they are made anew',
        );
        this.#network = undefined;
        if (network)
          leave(network).catch((error: unknown) => {
            log.warn({ error }, 'names and Services of the network namespace of pods could not be taken away');
          });
      };
      network = await NetworkNamespace.start({ clock, onLost, ...(user === undefined ? {} : { user }) });
      await join(network);
      return network;
    } catch (error) {
      // What the machine does not allow now it may allow later.
      this.#network = undefined;
      await network?.close();
      throw error;
    }
  }
}
