// What the server runs the rules of CRDs with, and loads when it meets one: no virtual time passes while files are read.
import '@coxswain/schema/cel';
import { type Cluster, type Stage, startCluster } from '@coxswain/cluster';
import { Job, Namespace, Pod } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { installCrds } from '@coxswain/runtime/apply';
import { createClient, type Transport } from '@coxswain/runtime/client';
import { isNotFound, type Logger, type Random, seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { BucketClaim, LogSet, type S3Storage } from '../api/index.ts';
import { matrixoneOperator } from '../operator.ts';
import { phaseOfClaim } from './index.ts';

export const cleaner = 'amazon/aws-cli';

export interface BucketWorldOptions {
  /** How the cleaning Job fares; default: it is done after 5 s. */
  readonly stages?: readonly Stage[];
  readonly seed?: number;
}

export interface OperatorOptions {
  /** Whether paths have owners; default true. */
  readonly gate?: boolean;
  /** Where the operator lives; default: nowhere. */
  readonly operatorNamespace?: string;
  readonly log?: Logger;
  /** What is between the operator and the server. */
  readonly through?: (inner: Transport) => Transport;
}

/** A log service of one store at an S3 path. */
export interface LogSetOptions {
  readonly namespace?: string;
  readonly name: string;
  readonly s3: S3Storage;
}

/** An embedded cluster with operators that keep to bucket claims, in virtual time. */
export class BucketWorld implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly random: Random;
  #cluster: Cluster | undefined;
  readonly #managers = new Set<Manager>();

  private constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  static async start({ stages, seed = 1 }: BucketWorldOptions = {}): Promise<BucketWorld> {
    const world = new BucketWorld(seed);
    const exit: Stage = { match: { image: cleaner }, exit: { delay: 5_000 } };
    const options = { clock: world.clock, random: world.random, log: silentLogger, stages: stages ?? [exit] };
    world.#cluster = await world.drive(startCluster(options));
    await world.drive(installCrds(world.client, matrixoneOperator.crds(), { clock: world.clock }));
    return world;
  }

  get client() {
    if (!this.#cluster) throw new Error('the world has not started');
    return this.#cluster.client;
  }

  /** Starts one more operator, with an empty memory. */
  async startOperator(options: OperatorOptions = {}): Promise<Manager> {
    const { clock, random } = this;
    const { gate = true, operatorNamespace, through = (inner) => inner } = options;
    const transport = through(this.client.transport);
    const client = createClient({ transport, clock, random, fieldManager: 'matrixone-operator' });
    const manager = createManager({
      client,
      name: 'matrixone-operator',
      clock,
      random,
      log: options.log ?? silentLogger,
    });
    const buckets = operatorNamespace ? { operatorNamespace } : {};
    matrixoneOperator.setup(manager, gate ? { buckets } : {});
    this.#managers.add(manager);
    await this.drive(manager.start());
    return manager;
  }

  async stopOperator(manager: Manager): Promise<void> {
    this.#managers.delete(manager);
    await this.drive(manager.stop());
  }

  async createNamespace(name: string): Promise<void> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await this.drive(this.client.of(Namespace).create(namespace as Namespace));
  }

  async createLogSet(options: LogSetOptions): Promise<void> {
    await this.createLogSets([options]);
  }

  /** Creates all of them at one moment. */
  async createLogSets(all: readonly LogSetOptions[]): Promise<void> {
    const logSets = all.map(({ namespace = 'default', name, s3 }) => {
      const spec = {
        replicas: 1,
        image: 'matrixorigin/matrixone:2.1.0',
        volume: { size: '1Gi' },
        sharedStorage: { s3 },
        initialConfig: { logShards: 1, dnShards: 1, logShardReplicas: 1 },
      };
      return { metadata: { namespace, name }, spec } as LogSet;
    });
    await this.drive(Promise.all(logSets.map((logSet) => this.client.of(LogSet).create(logSet))));
  }

  logSet(name: string, namespace = 'default'): Promise<LogSet | undefined> {
    return this.drive(this.client.of(LogSet).find({ namespace, name }));
  }

  async deleteLogSet(name: string, namespace = 'default'): Promise<void> {
    await this.drive(this.client.of(LogSet).delete({ namespace, name }));
  }

  /** All claims, as `namespace/owner: phase`, in order. */
  async phases(): Promise<readonly string[]> {
    const told = (await this.claims()).map((claim) => `${claim.status?.bindTo || '-'}: ${phaseOfClaim(claim)}`);
    return told.sort();
  }

  async claims(): Promise<readonly BucketClaim[]> {
    return (await this.drive(this.client.of(BucketClaim).list())).items;
  }

  /** Deletes a claim, if it is there. */
  async forget({ metadata: { namespace = '', name } }: BucketClaim): Promise<void> {
    const gone = this.client.of(BucketClaim).delete({ namespace, name });
    await this.drive(
      gone.catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      }),
    );
  }

  async jobs(): Promise<readonly Job[]> {
    return (await this.drive(this.client.of(Job).list())).items;
  }

  async pods(): Promise<readonly Pod[]> {
    return (await this.drive(this.client.of(Pod).list())).items;
  }

  /** Names of the log services of which anything has started. */
  async started(): Promise<readonly string[]> {
    const sets = (await this.drive(this.client.of(KruiseStatefulSet).list())).items;
    return sets.map(({ metadata }) => `${metadata.namespace}/${metadata.name.replace(/-log$/, '')}`).sort();
  }

  async isReady(name: string, namespace = 'default'): Promise<boolean> {
    const conditions = (await this.logSet(name, namespace))?.status?.conditions ?? [];
    return ['Ready', 'Synced'].every((type) => conditions.some((one) => one.type === type && one.status === 'True'));
  }

  /** Lets time go on until a promise is settled. */
  drive<T>(promise: Promise<T>): Promise<T> {
    return this.clock.drive(promise);
  }

  /** Lets time go on, half a second at a time (ten, when it may take long), until `holds`. */
  async until(what: string, holds: () => Promise<boolean>, seconds = 600): Promise<void> {
    const start = this.clock.now();
    while (!(await holds())) {
      if (this.clock.now() - start > seconds * 1000) {
        const sets = (await this.drive(this.client.of(LogSet).list())).items;
        const told = sets.map(({ metadata, status }) => `${metadata.name} ${JSON.stringify(status?.conditions)}`);
        throw new Error(
          `${what} does not hold after ${seconds}s: ${(await this.phases()).join(', ')}; ${told.join('; ')}`,
        );
      }
      await this.clock.advance(seconds > 600 ? 10_000 : 500);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const manager of this.#managers) await this.stopOperator(manager);
    const cluster = this.#cluster;
    if (cluster) await this.drive(cluster.stop());
  }
}
