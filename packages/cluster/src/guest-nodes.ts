import { StorageClass } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import type { Client } from '@coxswain/runtime/client';
import {
  type Clock,
  isAlreadyExists,
  type Logger,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
} from '@coxswain/runtime/core';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { controlPlaneUsers } from './apiserver/authorization/index.ts';
import { storageClass } from './apiserver/bootstrap/index.ts';
import { kruiseControllers, kruiseCrds, storageDriver } from './controllers/index.ts';
import { openNodes } from './open-nodes.ts';
import { scheduler } from './scheduler/index.ts';
import { tryAll } from './try-all.ts';

export interface GuestNodesOptions {
  /** Nodes whose containers are processes; default 1. */
  readonly processNodes?: number;
  /** Nodes whose pods become ready by rule; default none. */
  readonly nodes?: number;
  /** Folders with a folder for each image; earlier ones go first. Default none. */
  readonly images?: readonly string[];
  /**
   * First number of the addresses of nodes, pods and Services. This machine, or the network namespace this process is in, must have all of
   * them by itself (`ip route add local 100.0.0.0/8 dev lo`). Not 127, where a real API server takes no endpoints, nor 10, where simulated
   * pods are.
   */
  readonly net: number;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
}

/** Nodes of this process for a control plane that is not ours. */
export interface GuestNodes {
  /** Where the control plane has to have its Services. */
  readonly serviceRange: string;
  /** Where the API server has to listen, so that pods reach it. */
  readonly serverAddress: string;
  /**
   * Has the nodes join, with what a control plane leaves to others: a scheduler, a storage driver, and OpenKruise with its CRDs.
   * @param connect a client for a component of that name, who may do everything
   */
  join(connect: (component: string) => Client): Promise<void>;
  /** Ends everything that runs on the nodes. May be called twice. */
  close(): Promise<void>;
}

/** @throws NetworkError when the machine does not have the addresses */
export async function guestNodes(options: GuestNodesOptions): Promise<GuestNodes> {
  const { clock = systemClock, random = systemRandom, log = silentLogger, net } = options;
  const { processNodes = 1, nodes: count = 0, images = [] } = options;
  const nodes = await openNodes({ clock, random, log, net, options: { processNodes, nodes: count, images } });
  const managers: Manager[] = [];
  const { serviceRange = '' } = (await nodes.claim?.(undefined)) ?? {};
  return {
    serviceRange,
    serverAddress: `${net}.0.0.1`,
    async join(connect) {
      const manager = (name: string) => {
        const one = createManager({ client: connect(name), name, clock, random, log: log.child({ component: name }) });
        managers.push(one);
        return one;
      };
      await prepare(connect('installer'), clock);
      kruiseControllers(manager('kruise-manager'));
      storageDriver(manager('storage-driver'));
      scheduler(manager('kube-scheduler'));
      nodes.run(({ name }) => manager(name === controlPlaneUsers.nodes.name ? 'kubelet' : 'kube-proxy'));
      await Promise.all(managers.map((one) => one.start()));
    },
    async close() {
      const ending = managers.splice(0).reverse();
      await tryAll([...ending.map((one) => () => one.stop()), () => nodes.close()]);
    },
  };
}

/** What a cluster of ours has from the start, and that one has not. */
async function prepare(client: Client, clock: Clock): Promise<void> {
  await installCrds(client, kruiseCrds(), { clock });
  await client
    .of(StorageClass)
    .create(storageClass)
    .catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
}
