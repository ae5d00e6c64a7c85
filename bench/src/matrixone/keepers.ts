import type { Pod } from '@coxswain/k8s';
import {
  errorCode,
  type LogServiceRequest,
  logMethods,
  logService,
  queryService,
} from '@coxswain/operator-matrixone/mo';
import { type ByteStream, type Listening, listenTcp, MorpcServer } from '@coxswain/operator-matrixone/morpc';
import { systemClock } from '@coxswain/runtime/core';

const logPort = 32_001;
/** Blocks of addresses, `127.32` and on, of which each process that measures takes one; embedded clusters use those from 64. */
const [firstBlock, blocks] = [32, 32];
/** Where the HAKeeper of the cluster with that number is. */
const hostOf = (block: string, index: number) => `${block}.${index >> 8}.${index & 255}`;

/** Name of a cluster in a measurement. */
export const clusterName = (index: number): string => `mo-${index}`;
/** The number of the cluster to which something with this name belongs. */
export const indexIn = (name: string): number => Number(/^mo-(\d+)(-|$)/.exec(name)?.[1] ?? -1);

interface Node {
  workState: number;
  labels: ReadonlyMap<string, { readonly labels: readonly string[] }>;
}

/** The HAKeeper of one cluster: one replica that knows compute nodes, and does as it is told. */
class Keeper {
  readonly nodes = new Map<string, Node>();
  readonly #address: string;
  readonly #queryAddress: string;

  constructor(address: string, queryAddress: string) {
    this.#address = address;
    this.#queryAddress = queryAddress;
  }

  answer({ method = 0, cnStateLabel, deleteCnStore }: LogServiceRequest) {
    switch (method) {
      case logMethods.CHECK_HAKEEPER:
        return { method, isHaKeeper: true };
      case logMethods.GET_SHARD_INFO:
        return { method, shardInfo: { leaderId: 1n, replicas: new Map([[1n, { serviceAddress: this.#address }]]) } };
      case logMethods.GET_CLUSTER_DETAILS:
        return { method, clusterDetails: { cnStores: this.#nodes() } };
      case logMethods.DELETE_CN_STORE:
        this.nodes.delete(deleteCnStore?.storeId ?? '');
        return { method };
      case logMethods.PATCH_CN_STORE: {
        const node = this.nodes.get(cnStateLabel?.uuid ?? '');
        if (!node) return { method, errorCode: errorCode.internal, errorMessage: 'the CN does not exist' };
        node.workState = cnStateLabel?.state || 1;
        if (cnStateLabel?.labels?.size) node.labels = cnStateLabel.labels as Node['labels'];
        return { method };
      }
      default:
        return { method, errorCode: errorCode.notSupported };
    }
  }

  #nodes() {
    return [...this.nodes].map(([uuid, node]) => ({ uuid, queryAddress: this.#queryAddress, tick: 1n, ...node }));
  }
}

/**
 * In the place of MatrixOne, which there is none of on simulated nodes: a HAKeeper for each cluster, and the query service of all compute
 * nodes, which have no sessions. They speak MatrixOne's own protocol, so that the operator asks and tells as much as it would.
 */
export class Keepers {
  readonly #all = new Map<number, Keeper>();
  readonly #ports: Listening[] = [];
  readonly #block: string;

  private constructor(block: string) {
    this.#block = block;
  }

  /** @throws Error when others have taken all blocks of addresses */
  static async start(count: number): Promise<Keepers> {
    for (let tried = 0; tried < blocks; tried++) {
      const keepers = new Keepers(`127.${firstBlock + ((process.pid + tried) % blocks)}`);
      try {
        await keepers.#listen(count);
        return keepers;
      } catch (error) {
        await keepers.stop();
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      }
    }
    throw new Error(`port ${logPort} is taken in all of 127.${firstBlock} to 127.${firstBlock + blocks - 1}`);
  }

  async #listen(count: number): Promise<void> {
    const clock = systemClock;
    const queryHost = `${this.#block}.255.1`;
    const query = new MorpcServer({
      clock,
      protocol: queryService,
      handle: ({ method }) => ({ method, showProcessList: {}, getPipelineInfo: {}, getReplicaCount: {} }),
    });
    // The first says whether the block is free: whoever has it listens there too.
    this.#ports.push(await listenTcp(queryHost, logPort, (stream) => query.accept(stream)));
    for (let index = 0; index < count; index++) {
      const host = hostOf(this.#block, index);
      const keeper = new Keeper(`${host}:${logPort}`, `${queryHost}:${logPort}`);
      this.#all.set(index, keeper);
      const server = new MorpcServer({ clock, protocol: logService, handle: (request) => keeper.answer(request) });
      this.#ports.push(await listenTcp(host, logPort, (stream: ByteStream) => server.accept(stream)));
    }
  }

  /**
   * What is loaded into the operator's process before it: the names of log services lead to the HAKeepers here. Pods of simulated nodes
   * have no addresses that anybody could connect to.
   */
  get nodeOptions(): string {
    return `--import=data:text/javascript,${encodeURIComponent(`
import dns from 'node:dns';
const real = dns.lookup;
dns.lookup = (name, ...rest) => {
  const index = /^mo-(\\d+)-log-discovery\\./.exec(name)?.[1];
  return real(index === undefined ? name : '${this.#block}.' + (index >> 8) + '.' + (index & 255), ...rest);
};`)}`;
  }

  /** A compute node reports itself to its HAKeeper when it runs. */
  see({ metadata, status }: Pod): void {
    const uuid = metadata.labels?.['matrixone.cloud/cn-uuid'];
    if (uuid === undefined || status?.phase !== 'Running' || metadata.deletionTimestamp) return;
    const nodes = this.#all.get(indexIn(metadata.name))?.nodes;
    if (nodes && !nodes.has(uuid)) nodes.set(uuid, { workState: 1, labels: new Map() });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#ports.map((port) => port.close()));
  }
}
