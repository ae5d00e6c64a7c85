import { guestNodes } from '@coxswain/cluster';
import { type Client, createClient, httpTransport, loadKubeconfig, type Transport } from '@coxswain/runtime/client';
import type { Logger } from '@coxswain/runtime/core';
import { type RefusedRequest, startControlPlane } from '../control-plane/index.ts';
import { strictAdmission } from '../test-cluster/index.ts';
import { net } from './own-network.ts';

/** What such a cluster consists of beside the node whose containers are processes. */
export interface MixedClusterOptions {
  /** Nodes whose pods become ready by rule, beside the one whose containers are processes; default none. */
  readonly nodes?: number;
  /** Folders of images that go before the usual ones. */
  readonly images?: readonly string[];
  readonly log?: Logger;
}

/** A real etcd, kube-apiserver and kube-controller-manager, with nodes, a scheduler, volumes and OpenKruise of ours. */
export interface MixedCluster {
  /** As an administrator (`system:masters`). */
  readonly client: Client;
  /** A kubeconfig (YAML) for the administrator. Holds a secret. */
  kubeconfig(): string;
  /** What the API server refused so far, and to whom. */
  refused(): Promise<readonly RefusedRequest[]>;
  /** Ends kube-apiserver as a power cut does, and starts it again. Resolves when it is ready. */
  crashApiserver(): Promise<void>;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts one, with admission as strict as clusters get. It needs a network as `inOwnNetwork` makes it. `kubectl logs` and `exec`
 * reach no node.
 * @throws Error naming the programs that are not built, or the addresses that this network does not have
 */
export async function startMixedCluster(options: MixedClusterOptions = {}): Promise<MixedCluster> {
  const nodes = await guestNodes({ net, ...options });
  const closers: (() => Promise<void>)[] = [() => nodes.close()];
  const stop = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const plane = await startControlPlane({
      serviceRange: nodes.serviceRange,
      address: nodes.serverAddress,
      controllers: true,
      audit: true,
      admissionPlugins: strictAdmission,
    });
    // nodes leave while there is still somebody to be told
    closers.unshift(() => plane.stop());
    const connection = await loadKubeconfig({ text: plane.kubeconfig() });
    const transports: Transport[] = [];
    closers.unshift(async () => {
      for (const transport of transports) await transport.close();
    });
    await nodes.join((component) => {
      const transport = httpTransport(connection);
      transports.push(transport);
      return createClient({ transport, fieldManager: component, userAgent: component });
    });
    return {
      client: plane.client,
      kubeconfig: () => plane.kubeconfig(),
      refused: () => plane.refused(),
      crashApiserver: () => plane.crashApiserver(),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
