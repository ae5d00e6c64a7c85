import type { Pod } from '@coxswain/k8s';
import { logStoreUuid } from '@coxswain/operator-matrixone';
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
  /** UUIDs of log stores that run; each has a replica of HAKeeper and of the log, and the first leads both. */
  readonly logStores = new Set<string>();
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
        return { method, clusterDetails: { cnStores: this.#nodes(), logStores: this.#logStores() } };
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

  #logStores() {
    const uuids = [...this.logStores].sort();
    const replicas = new Map(uuids.map((uuid, at) => [BigInt(at + 1), uuid]));
    const shards = [0n, 1n].map((shardId) => ({ shardId, replicas, epoch: 1n, leaderId: 1n, term: 1n }));
    return uuids.map((uuid, at) => ({
      uuid,
      tick: this.#tick,
      replicas: shards.map((shard) => ({ shard, replicaId: BigInt(at + 1) })),
    }));
  }

  /** HAKeeper counts ten ticks a second. */
  get #tick(): bigint {
    return BigInt(Math.floor(systemClock.monotonic() / 100));
  }

  #nodes() {
    return [...this.nodes].map(([uuid, node]) => ({
      uuid,
      queryAddress: this.#queryAddress,
      tick: this.#tick,
      ...node,
    }));
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

  /** Compute nodes and log stores report themselves to their HAKeeper while they run. */
  see({ metadata, status }: Pod): void {
    const keeper = this.#all.get(indexIn(metadata.name));
    const runs = status?.phase === 'Running' && !metadata.deletionTimestamp;
    const ordinal = /-log-(\d+)$/.exec(metadata.name)?.[1];
    if (ordinal !== undefined) {
      const uuid = logStoreUuid(Number(ordinal));
      if (runs && status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'))
        keeper?.logStores.add(uuid);
      else keeper?.logStores.delete(uuid);
    }
    const uuid = metadata.labels?.['matrixone.cloud/cn-uuid'];
    if (uuid === undefined || !runs) return;
    if (keeper && !keeper.nodes.has(uuid)) keeper.nodes.set(uuid, { workState: 1, labels: new Map() });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#ports.map((port) => port.close()));
  }
}
