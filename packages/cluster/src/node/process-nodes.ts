import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { Node } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import type { Clock, Logger, Random } from '@coxswain/runtime/core';
import { tryAll } from '../try-all.ts';
import { type NodeSpec, removeNode } from './kubelet/index.ts';
import { dialTcp, NetworkError, ProcessNetwork } from './network/index.ts';
import { ProcessRuntime, processNodes, removeTree, scratchFolder } from './process/index.ts';

export interface ProcessNodesOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** How many; named `process-1` … */
  readonly count: number;
  /** Folders of images. */
  readonly images: readonly string[];
  /** Where the cluster keeps its state. Default: pods, logs and volumes are in a temporary folder, which goes with the cluster. */
  readonly dataDir?: string;
  /** First number of the addresses of nodes, pods and Services; default 127. */
  readonly net?: number;
  /** Where pods have their addresses, each in a network namespace; absent: in 127.0.0.0/8 (or that of `net`), in the machine's network. */
  readonly podCIDR?: string;
}

/** The addresses of a node's pods stay as they are for as long as there is the node. @throws NetworkError */
async function refuseOtherAddresses(client: Client, { name, podCIDR }: NodeSpec): Promise<void> {
  const before = (await client.of(Node).find({ name }))?.spec?.podCIDR;
  if (before === undefined || before === podCIDR) return;
  throw new NetworkError(
    `the pods of node ${name} have addresses of ${before} in this data directory, and not of ${podCIDR}: start with the pod network that it had, or with a new data directory`,
  );
}

/** The process-backed nodes of a cluster with their network, from the claim of their addresses to the end. All share one runtime. */
export class ProcessNodes {
  readonly network: ProcessNetwork;
  readonly #options: ProcessNodesOptions;
  readonly #addresses = new Map<string, string>();
  #scratch: string | undefined;

  constructor(options: ProcessNodesOptions) {
    this.#options = options;
    const { clock, random, log, net, podCIDR } = options;
    this.network = new ProcessNetwork({
      clock,
      random,
      log,
      ...(net === undefined ? {} : { net }),
      ...(podCIDR === undefined ? {} : { podCIDR }),
    });
  }

  /**
   * Those that the cluster starts with. Others of this sort that it has are removed with their pods.
   * @throws NetworkError when pods are to have namespaces and this machine does not allow it, or other addresses than at an earlier start
   */
  async initial(client: Client): Promise<readonly NodeSpec[]> {
    const { clock, random, log, images, count } = this.#options;
    const dataDir = await this.#folder();
    const { network } = this;
    const runtime = new ProcessRuntime({ dataDir, images, network, clock, random, log });
    const names = Array.from({ length: count }, (_, i) => `process-${i + 1}`);
    for await (const { metadata, status } of client.of(Node).listAll())
      if (status?.nodeInfo?.containerRuntimeVersion === runtime.version && !names.includes(metadata.name)) {
        await removeNode(client, metadata.name);
        network.leaveNode(metadata.name);
      }
    try {
      if (this.#options.podCIDR !== undefined) await this.#prepare(runtime);
      const specs = await processNodes({ names, network, runtime, dataDir });
      // Guests of another control plane take whatever there is each time.
      if (this.#options.net === undefined) for (const spec of specs) await refuseOtherAddresses(client, spec);
      for (const { name, address } of specs) this.#addresses.set(name, address);
      return specs;
    } catch (error) {
      await runtime.close();
      throw error;
    }
  }

  async dialNode(node: string, port: number, signal: AbortSignal): Promise<Duplex> {
    return dialTcp(this.#addresses.get(node) ?? '', port, signal);
  }

  /** To be called when nothing runs on the nodes any more. */
  async close(): Promise<void> {
    const scratch = this.#scratch;
    await tryAll([() => this.network.close(), async () => scratch && removeTree(scratch)]);
  }

  /** Pods that could not have their network are worse than no cluster. */
  async #prepare(runtime: ProcessRuntime): Promise<void> {
    try {
      await this.network.prepare(await runtime.userNamespace());
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new NetworkError(
        `pods cannot have network namespaces: ${why}. It takes unshare, nsenter and ip, and root (CAP_SYS_ADMIN and CAP_NET_ADMIN) or user namespaces; ` +
          'without them pods have addresses of 127.0.0.0/8 (the pod network `loopback`)',
        { cause: error },
      );
    }
  }

  async #folder(): Promise<string> {
    if (this.#options.dataDir) return join(this.#options.dataDir, 'nodes');
    this.#scratch ??= await scratchFolder();
    return this.#scratch;
  }
}
