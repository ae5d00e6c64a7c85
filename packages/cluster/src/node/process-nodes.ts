import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { Node } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import type { Clock, Logger, Random } from '@coxswain/runtime/core';
import { type NodeSpec, removeNode } from './kubelet/index.ts';
import { dialTcp, ProcessNetwork } from './network/index.ts';
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
}

/** The process-backed nodes of a cluster with their network, from the claim of their addresses to the end. All share one runtime. */
export class ProcessNodes {
  readonly network: ProcessNetwork;
  readonly #options: ProcessNodesOptions;
  readonly #addresses = new Map<string, string>();
  #scratch: string | undefined;

  constructor(options: ProcessNodesOptions) {
    this.#options = options;
    const { clock, random, log, net } = options;
    this.network = new ProcessNetwork({ clock, random, log, ...(net === undefined ? {} : { net }) });
  }

  /** Those that the cluster starts with. Others of this sort that it has are removed with their pods. */
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
    const specs = await processNodes({ names, network, runtime, dataDir });
    for (const { name, address } of specs) this.#addresses.set(name, address);
    return specs;
  }

  async dialNode(node: string, port: number, signal: AbortSignal): Promise<Duplex> {
    return dialTcp(this.#addresses.get(node) ?? '', port, signal);
  }

  /** To be called when nothing runs on the nodes any more. */
  async close(): Promise<void> {
    await this.network.close();
    if (this.#scratch) await removeTree(this.#scratch);
  }

  async #folder(): Promise<string> {
    if (this.#options.dataDir) return join(this.#options.dataDir, 'nodes');
    this.#scratch ??= await scratchFolder();
    return this.#scratch;
  }
}
