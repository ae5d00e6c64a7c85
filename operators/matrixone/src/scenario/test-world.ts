import { readFileSync } from 'node:fs';
// What the server runs the rules of CRDs with, and loads when it meets one: no virtual time passes while files are read.
import '@coxswain/schema/cel';
import { type Cluster, type ClusterOptions, type FaultRule, startCluster } from '@coxswain/cluster';
import {
  ConfigMap,
  type CustomResourceDefinition,
  type DynamicObject,
  type Kind,
  type KubeObject,
  Pod,
  type PolicyRule,
  Secret,
  Service,
} from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { grant, installCrds } from '@coxswain/runtime/apply';
import type { Cache } from '@coxswain/runtime/cache';
import { type Client, createClient, type Transport, type TransportRequest } from '@coxswain/runtime/client';
import { ApiError, type Logger, seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { parseAllDocuments } from 'yaml';
import { CNSet, DNSet, LogSet, MatrixOneCluster, ProxySet } from '../api/index.ts';
import { matrixoneOperator } from '../operator.ts';
import type { MatrixOneOptions } from '../options.ts';
import { unreliable } from './test-unreliable.ts';

const example = new URL('../../../../examples/matrixone/cluster.yaml', import.meta.url);

export interface WorldOptions extends MatrixOneOptions {
  readonly log?: Logger;
  /** What the operator may do; default what it declares. */
  readonly allowed?: readonly PolicyRule[];
  /** Seed of a network that loses one in five of the operator's requests, before or after the server has acted. */
  readonly faults?: number;
  /** CRDs as operators before this one installed them, which refuse nothing but what has the wrong form; default false. */
  readonly plainCrds?: boolean;
  /** Rules by which the server fails for the operator and for all of the control plane, but not for the test. */
  readonly rules?: readonly FaultRule[];
  /** Its nodes, and what containers do on them; default one, on which all run. */
  readonly cluster?: Pick<ClusterOptions, 'nodes' | 'behaviour' | 'stages'>;
  /** Is told of everything that the operator asks for, watches aside. */
  readonly onRequest?: (request: TransportRequest) => void;
}

/** Tells of everything that is refused with 403. */
function noting(inner: Transport, note: (refusal: string) => void): Transport {
  const told = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof ApiError && error.code === 403) note(error.message);
      throw error;
    }
  };
  return {
    send: (request) => told(inner.send(request)),
    watch: (request) => told(inner.watch(request)),
    close: () => inner.close(),
  };
}

/** Tells of every request. */
function told(inner: Transport, tell: (request: TransportRequest) => void): Transport {
  return {
    send(request) {
      tell(request);
      return inner.send(request);
    },
    watch: (request) => inner.watch(request),
    close: () => inner.close(),
  };
}

/** A CRD that refuses nothing but what has the wrong form. */
export function withoutRules(crd: CustomResourceDefinition): CustomResourceDefinition {
  return JSON.parse(JSON.stringify(crd, (name, value) => (name === 'x-kubernetes-validations' ? undefined : value)));
}

const operatorUser = 'matrixone-operator';

/** An embedded cluster with the operator on it, in virtual time. */
export class World implements AsyncDisposable {
  readonly clock = new VirtualClock();
  /** What the operator tried and was not allowed to do. */
  readonly refusals = new Set<string>();
  readonly #stops: (() => Promise<void>)[] = [];
  #cluster: Cluster | undefined;
  readonly #managers: Manager[] = [];
  readonly #notes: { readonly version: number; readonly line: string }[] = [];

  static async start(options: WorldOptions = {}): Promise<World> {
    const world = new World();
    const { clock } = world;
    const log = options.log ?? silentLogger;
    // As strict as clusters get: who makes an object may not block the deletion of an owner that is not its to change.
    const admissionPlugins = ['OwnerReferencesPermissionEnforcement'] as const;
    const cluster = await world.drive(
      startCluster({ ...options.cluster, clock, random: seededRandom(1), log, admissionPlugins }),
    );
    world.#stops.push(() => cluster.stop());
    world.#cluster = cluster;
    const crds = matrixoneOperator.crds();
    await world.drive(installCrds(cluster.client, options.plainCrds ? crds.map(withoutRules) : crds, { clock }));
    const rules = options.allowed ?? matrixoneOperator.rules();
    await world.drive(grant(cluster.client, { name: operatorUser, rules, user: operatorUser }));
    const user = [operatorUser, 'system:kube-*', 'system:kubelet'];
    for (const rule of options.rules ?? []) cluster.faults.add({ ...rule, match: { ...rule.match, user } });
    await world.startOperator(options);
    return world;
  }

  get embedded(): Cluster {
    if (!this.#cluster) throw new Error('the world has not started');
    return this.#cluster;
  }

  get client(): Client {
    return this.embedded.client;
  }

  /** What the operator knows that was started last. */
  get cache(): Cache {
    const newest = this.#managers.at(-1);
    if (!newest) throw new Error('no operator runs');
    return newest.cache;
  }

  /** Starts an operator with an empty memory, as a new process would; besides one that runs already, too. */
  async startOperator(options: WorldOptions = {}): Promise<void> {
    const { clock } = this;
    const log = options.log ?? silentLogger;
    const client =
      options.faults === undefined ? this.#operatorClient(options) : this.#faultyClient(options, options.faults);
    const manager = createManager({ client, name: 'matrixone-operator', clock, random: seededRandom(2), log });
    matrixoneOperator.setup(manager, options);
    this.#managers.push(manager);
    await this.drive(manager.start());
  }

  #operatorClient({ onRequest }: WorldOptions): Client {
    const { transport } = this.embedded.clientAs({ name: operatorUser });
    const noted = noting(transport, (refusal) => this.refusals.add(refusal));
    const watched = onRequest ? told(noted, onRequest) : noted;
    return createClient({ transport: watched, fieldManager: operatorUser, userAgent: operatorUser, clock: this.clock });
  }

  #faultyClient(options: WorldOptions, seed: number): Client {
    const transport = unreliable(this.#operatorClient(options).transport, seededRandom(seed));
    return createClient({ transport, fieldManager: 'matrixone-operator', clock: this.clock });
  }

  /** What the operator has decided, without what differs from run to run. */
  async decided(): Promise<Readonly<Record<string, unknown>>> {
    const kinds: readonly Kind[] = [LogSet, DNSet, CNSet, ProxySet, KruiseStatefulSet, CloneSet, ConfigMap];
    const found: Record<string, unknown> = {};
    for (const kind of kinds) {
      for (const object of (await this.drive(this.client.of(kind).list({ namespace: 'default' }))).items) {
        if (!object.metadata.name.startsWith('mo')) continue;
        const { spec, data } = object as DynamicObject;
        const owners = object.metadata.ownerReferences?.map(({ kind: owner, name }) => `${owner} ${name}`);
        found[`${kind.kind} ${object.metadata.name}`] = { spec, data, owners };
      }
    }
    return found;
  }

  /** Stops the operator; all of them, when there are more. */
  async stopOperator(): Promise<void> {
    for (const manager of this.#managers.splice(0)) await this.drive(manager.stop());
  }

  /** Notes what happens to the objects of a kind from now on; `note` gives a line, or nothing. */
  async record<T extends KubeObject>(
    kind: Kind<T>,
    note: (object: T, type: string) => string | undefined,
  ): Promise<void> {
    const stream = await this.drive(this.client.of(kind).watch({ namespace: 'default' }));
    const read = async () => {
      for await (const batch of stream) {
        for (const event of batch) {
          if (event.type === 'ERROR') continue;
          const line = note(event.object, event.type);
          if (line !== undefined) this.#notes.push({ version: Number(event.object.metadata.resourceVersion), line });
        }
      }
    };
    void read();
  }

  /** The notes in the order in which things happened, each line once. */
  get history(): readonly string[] {
    return [...new Set(this.#notes.toSorted((a, b) => a.version - b.version).map(({ line }) => line))];
  }

  /** Version of every object that the operator writes, to see whether anything is written. */
  async versions(): Promise<Readonly<Record<string, string | undefined>>> {
    const kinds: readonly Kind[] = [
      MatrixOneCluster,
      LogSet,
      DNSet,
      CNSet,
      ProxySet,
      KruiseStatefulSet,
      CloneSet,
      Pod,
      ConfigMap,
      Service,
      Secret,
    ];
    const versions: Record<string, string | undefined> = {};
    for (const kind of kinds) {
      for (const { metadata } of (await this.drive(this.client.of(kind).list({ namespace: 'default' }))).items) {
        versions[`${kind.kind} ${metadata.name}`] = metadata.resourceVersion;
      }
    }
    return versions;
  }

  /** Lets time go on until a promise is settled. */
  drive<T>(promise: Promise<T>): Promise<T> {
    return this.clock.drive(promise);
  }

  /** Lets time go on, half a second at a time, until `holds`. Answers the seconds it took. */
  async until(what: string, holds: () => Promise<boolean>, limit = 600): Promise<number> {
    const start = this.clock.now();
    while (!(await this.drive(holds()))) {
      const seconds = (this.clock.now() - start) / 1000;
      if (seconds > limit) throw new Error(`${what} does not hold after ${limit}s: ${await this.describe()}`);
      await this.clock.advance(500);
    }
    return (this.clock.now() - start) / 1000;
  }

  /** Applies the example: a Secret and the cluster `mo`. */
  async applyExample(
    change: (cluster: MatrixOneCluster) => MatrixOneCluster = (same) => same,
    namespace = 'default',
  ): Promise<void> {
    const documents = parseAllDocuments(readFileSync(example, 'utf8')).map((document) => document.toJS() as KubeObject);
    for (const document of documents) {
      const object = { ...document, metadata: { ...document.metadata, namespace } };
      if (object.kind === 'Secret') await this.drive(this.client.of(Secret).create(object));
      else await this.drive(this.client.of(MatrixOneCluster).create(change(object as MatrixOneCluster)));
    }
  }

  async cluster(): Promise<MatrixOneCluster | undefined> {
    return this.client.of(MatrixOneCluster).find({ namespace: 'default', name: 'mo' });
  }

  /** Whether the cluster is Ready and Synced at its newest generation. */
  async settled(): Promise<boolean> {
    const cluster = await this.cluster();
    const conditions = cluster?.status?.conditions ?? [];
    const current = conditions.filter(({ observedGeneration }) => observedGeneration === cluster?.metadata.generation);
    return ['Ready', 'Synced'].every((type) => current.some((c) => c.type === type && c.status === 'True'));
  }

  async describe(): Promise<string> {
    const cluster = await this.drive(this.cluster());
    return JSON.stringify(cluster?.status?.conditions ?? 'no cluster');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopOperator();
    for (const stop of this.#stops.splice(0).reverse()) await this.drive(stop());
  }
}
