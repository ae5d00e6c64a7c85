import { readFileSync } from 'node:fs';
// What the server runs the rules of CRDs with, and loads when it meets one: no virtual time passes while files are read.
import '@coxswain/schema/cel';
import { type Cluster, startCluster } from '@coxswain/cluster';
import {
  ConfigMap,
  type DynamicObject,
  type Kind,
  type KubeObject,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
} from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { installCrds } from '@coxswain/runtime/apply';
import { createClient, merge } from '@coxswain/runtime/client';
import { type Logger, seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { type Cut, type CutTransport, cutTransport } from '@coxswain/testing';
import { parseAllDocuments } from 'yaml';
import { CNSet, DNSet, LogSet, MatrixOneCluster, matrixoneOperator, ProxySet } from '../index.ts';

const example = new URL('../../../../examples/matrixone/cluster.yaml', import.meta.url);
const key = { namespace: 'default', name: 'mo' };
const sets: readonly Kind[] = [LogSet, DNSet, CNSet, ProxySet, KruiseStatefulSet, CloneSet];
const parts: readonly Kind[] = [ConfigMap, Service, Secret, Pod, PersistentVolumeClaim];
const cnGroup = { name: 'tp', cacheVolume: { size: '1Gi' }, serviceType: 'ClusterIP' };

/**
 * One MatrixOneCluster, created, scaled and deleted in virtual time, by an operator that is cut off once and followed by another
 * one. Everything logged as an error by what was not cut off is collected.
 */
export class Life implements AsyncDisposable {
  readonly errors: string[] = [];
  readonly #clock = new VirtualClock();
  readonly #onWrite: ((writes: number) => Promise<void>) | undefined;
  #cluster: Cluster | undefined;
  #manager: Manager | undefined;
  #process: CutTransport | undefined;

  private constructor(onWrite?: (writes: number) => Promise<void>) {
    this.#onWrite = onWrite;
  }

  /** @param deleteAt the write of the operator right after which the user deletes the cluster */
  static async start({ cut, deleteAt }: { readonly cut?: Cut; readonly deleteAt?: number } = {}): Promise<Life> {
    let isAsked = deleteAt === undefined;
    const life: Life = new Life(async (writes) => {
      // Writes overlap, so the count may have gone past it.
      if (isAsked || writes < (deleteAt ?? 0) || !(await life.#clusters.find(key)) || isAsked) return;
      isAsked = true;
      await life.#clusters.delete(key);
    });
    const log = life.#collector();
    life.#cluster = await life.#drive(startCluster({ clock: life.#clock, random: seededRandom(1), log }));
    await life.#drive(installCrds(life.#cluster.client, matrixoneOperator.crds(), { clock: life.#clock }));
    await life.#launch(cut);
    return life;
  }

  /** Writes of the operator that runs now. */
  get writes(): number {
    return this.#process?.writes ?? 0;
  }

  async create(): Promise<void> {
    for (const document of parseAllDocuments(readFileSync(example, 'utf8'))) {
      const object = document.toJS() as KubeObject;
      const placed = { ...object, metadata: { ...object.metadata, namespace: key.namespace } };
      if (object.kind === 'Secret') await this.#drive(this.#client.of(Secret).create(placed));
      else await this.#drive(this.#clusters.create(placed as MatrixOneCluster));
    }
  }

  async scale(replicas: number): Promise<void> {
    await this.#drive(this.#clusters.patch(key, merge({ spec: { cnGroups: [{ ...cnGroup, replicas }] } })));
    const labels = 'matrixorigin.io/component=CNSet';
    const pods = async () => (await this.#client.of(Pod).list({ namespace: key.namespace, labels })).items;
    await this.#until(`${replicas} nodes`, async () => (await this.#isSettled()) && (await pods()).length === replicas);
  }

  async settled(): Promise<void> {
    await this.#until('the cluster is settled', () => this.#isSettled());
  }

  async delete(): Promise<void> {
    await this.#drive(this.#clusters.delete(key));
    await this.gone();
  }

  async gone(): Promise<void> {
    await this.#until('the cluster is gone', async () => (await this.#clusters.find(key)) === undefined);
    await this.#rest(60_000);
  }

  /** All that belongs to the cluster: of the sets what they say, of the rest what there is. Without generated names. */
  async state(): Promise<Readonly<Record<string, unknown>>> {
    await this.#rest(60_000);
    const state: Record<string, unknown> = {};
    for (const kind of [...sets, ...parts]) {
      for (const object of (await this.#drive(this.#client.of(kind).list({ namespace: key.namespace }))).items) {
        const { name } = object.metadata;
        if (!name.startsWith('mo-') && name !== key.name) continue;
        const told = `${kind.kind} ${name.replace(/(proxy|cn)-[a-z0-9]{5}$/, '$1-*')}`;
        const { spec, data } = object as DynamicObject;
        const known = typeof state[told] === 'number' ? state[told] : 0;
        state[told] = sets.includes(kind) || kind === ConfigMap ? { spec, data } : known + 1;
      }
    }
    return state;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#manager) await this.#drive(this.#manager.stop());
    if (this.#cluster) await this.#drive(this.#cluster.stop());
  }

  get #client() {
    if (!this.#cluster) throw new Error('the cluster has not started');
    return this.#cluster.client;
  }

  get #clusters() {
    return this.#client.of(MatrixOneCluster);
  }

  async #isSettled(): Promise<boolean> {
    const cluster = await this.#clusters.find(key);
    const conditions = cluster?.status?.conditions ?? [];
    const holds = (type: string) =>
      conditions.some(
        (one) => one.type === type && one.status === 'True' && one.observedGeneration === cluster?.metadata.generation,
      );
    return holds('Ready') && holds('Synced');
  }

  async #launch(cut?: Cut): Promise<void> {
    const clock = this.#clock;
    const process = cutTransport(this.#client.transport, cut);
    this.#process = process;
    const transport = {
      ...process.transport,
      send: async (request: Parameters<typeof process.transport.send>[0]) => {
        const answer = await process.transport.send(request);
        if (request.method !== 'GET') await this.#onWrite?.(process.writes);
        return answer;
      },
    };
    const client = createClient({ transport, clock, random: seededRandom(3), fieldManager: 'matrixone-operator' });
    // What a process that is cut off complains of is no error of its.
    const log = this.#collector(() => !process.isCut);
    this.#manager = createManager({ client, name: 'matrixone-operator', clock, random: seededRandom(2), log });
    matrixoneOperator.setup(this.#manager);
    await this.#drive(this.#manager.start());
  }

  /** Follows a process that was cut off by the next one, a few seconds later. */
  async #follow(): Promise<void> {
    if (!this.#process?.isCut) return;
    if (this.#manager) await this.#drive(this.#manager.stop());
    await this.#clock.advance(5_000);
    await this.#launch();
  }

  async #rest(milliseconds: number): Promise<void> {
    await this.#clock.advance(milliseconds);
    if (!this.#process?.isCut) return;
    await this.#follow();
    await this.#clock.advance(milliseconds);
  }

  async #until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 2_400; tries++) {
      await this.#follow();
      if (await this.#drive(holds())) return;
      await this.#clock.advance(250);
    }
    const cluster = await this.#drive(this.#clusters.find(key));
    throw new Error(`not after ten minutes: ${what} (${JSON.stringify(cluster?.status?.conditions ?? 'no cluster')})`);
  }

  #drive<T>(promise: Promise<T>): Promise<T> {
    return this.#clock.drive(promise);
  }

  #collector(counts: () => boolean = () => true): Logger {
    const collect = (fields: object, message: string) => {
      if (counts()) this.errors.push(`${message} ${Object.values(fields).map(String).join(' ')}`);
    };
    const log: Logger = { ...silentLogger, error: collect, warn: collect, child: () => log };
    return log;
  }
}
