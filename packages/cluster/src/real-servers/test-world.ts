import { readFileSync } from 'node:fs';
import { type Kind, type KubeObject, Pod, Service, StatefulSet } from '@coxswain/k8s';
import { sleep, systemClock } from '@coxswain/runtime/core';
import { parseAllDocuments } from 'yaml';
import { startCluster } from '../start-cluster.ts';
import type { Cluster, ClusterOptions } from '../types.ts';

export const namespace = 'default';

/** A cluster with one process-backed node, in real time. */
export class ServerWorld implements AsyncDisposable {
  readonly cluster: Cluster;

  private constructor(cluster: Cluster) {
    this.cluster = cluster;
  }

  static async start(options: ClusterOptions = {}): Promise<ServerWorld> {
    return new ServerWorld(await startCluster({ port: 0, processNodes: 1, ...options }));
  }

  /** Creates what a manifest of the examples says. @param change made to its text before */
  async apply(example: string, change = (text: string) => text): Promise<void> {
    const text = change(readFileSync(new URL(`../../../../examples/${example}`, import.meta.url), 'utf8'));
    const kinds: Readonly<Record<string, Kind>> = { Service, StatefulSet };
    for (const document of parseAllDocuments(text)) {
      const object = document.toJS() as KubeObject & { readonly kind: string };
      const kind = kinds[object.kind];
      if (!kind) throw new Error(`${example} has a ${object.kind}, which this test does not know`);
      await this.create(kind, object);
    }
  }

  async create<T extends KubeObject>(kind: Kind<T>, object: T): Promise<T> {
    return this.cluster.client.of(kind).create({ ...object, metadata: { namespace, ...object.metadata } });
  }

  async get<T extends KubeObject>(kind: Kind<T>, name: string): Promise<T> {
    return this.cluster.client.of(kind).get({ namespace, name });
  }

  async addressOf(pod: string): Promise<string> {
    const { status } = await this.get(Pod, pod);
    if (!status?.podIP) throw new Error(`pod ${pod} has no address`);
    return status.podIP;
  }

  /** Asks until there is an answer; the last error is told when the time is up. */
  async until<T>(what: string, ask: () => Promise<T | undefined>, seconds = 60): Promise<T> {
    const deadline = systemClock.monotonic() + seconds * 1000;
    for (;;) {
      let problem = 'no answer';
      const answer = await ask().catch((error: unknown) => {
        problem = String(error);
        return undefined;
      });
      if (answer !== undefined) return answer;
      if (systemClock.monotonic() > deadline) throw new Error(`${what}: not within ${seconds} s: ${problem}`);
      await sleep(systemClock, 20);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.stop();
  }
}
