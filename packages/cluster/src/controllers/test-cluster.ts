import { Event, type Kind, type KubeObject, Pod, type PodSpec, type PodTemplateSpec } from '@coxswain/k8s';
import { type Client, merge } from '@coxswain/runtime/client';
import { type Logger, seededRandom, VirtualClock } from '@coxswain/runtime/core';
import { startCluster } from '../start-cluster.ts';
import type { Cluster, ClusterOptions } from '../types.ts';

/** Keeps what is logged as an error, to be looked at when a test ends. */
function errorCollector(errors: object[]): Logger {
  const none = () => {};
  const make = (context: object): Logger => ({
    debug: none,
    info: none,
    warn: none,
    error: (fields, message) => errors.push({ ...context, ...fields, message }),
    child: (fields) => make({ ...context, ...fields }),
  });
  return make({});
}

/** The whole embedded cluster in virtual time, with short words for what the controllers' tests do to it. Ends with an error when one was logged. */
export class TestCluster implements AsyncDisposable {
  readonly clock: VirtualClock;
  readonly errors: object[] = [];
  readonly namespace = 'default';
  readonly #writesFiles: boolean;
  #cluster: Cluster | undefined;

  private constructor(clock: VirtualClock, writesFiles: boolean) {
    this.clock = clock;
    this.#writesFiles = writesFiles;
  }

  static async start(options: ClusterOptions = {}): Promise<TestCluster> {
    const clock = options.clock instanceof VirtualClock ? options.clock : new VirtualClock();
    const test = new TestCluster(clock, options.dataDir !== undefined);
    test.#cluster = await test.drive(
      startCluster({ random: seededRandom(1), log: errorCollector(test.errors), ...options, clock }),
    );
    await test.settle();
    return test;
  }

  get cluster(): Cluster {
    if (!this.#cluster) throw new Error('the cluster has not started');
    return this.#cluster;
  }

  get client(): Client {
    return this.cluster.client;
  }

  /** Lets time go on until a promise is settled. With a data directory files are written meanwhile, which takes no virtual time. */
  async drive<T>(promise: Promise<T>): Promise<T> {
    if (this.#writesFiles) return promise;
    return this.clock.drive(promise);
  }

  /** Lets everything happen that can happen without time going on. */
  async settle(): Promise<void> {
    await this.clock.settle();
    if (this.#writesFiles)
      for (let quiet = 0; quiet < 20; quiet = this.cluster.idle ? quiet + 1 : 0) await this.clock.settle();
  }

  async advance(seconds: number): Promise<void> {
    const step = this.#writesFiles ? 1_000 : seconds * 1000;
    for (let passed = 0; passed < seconds * 1000; passed += step) {
      await this.clock.advance(step);
      await this.settle();
    }
  }

  async create<T extends KubeObject>(kind: Kind<T>, object: T): Promise<T> {
    const { metadata } = object;
    const namespaced =
      kind.scope === 'Namespaced'
        ? { ...object, metadata: { ...metadata, namespace: metadata.namespace ?? this.namespace } }
        : object;
    const created = await this.client.of(kind).create(namespaced);
    await this.settle();
    return created;
  }

  async get<T extends KubeObject>(kind: Kind<T>, name: string): Promise<T> {
    return this.client.of(kind).get(this.#key(kind, name));
  }

  async find<T extends KubeObject>(kind: Kind<T>, name: string): Promise<T | undefined> {
    return this.client.of(kind).find(this.#key(kind, name));
  }

  async patch<T extends KubeObject>(kind: Kind<T>, name: string, body: object, subresource?: string): Promise<T> {
    const patched = await this.client
      .of(kind)
      .patch(this.#key(kind, name), merge(body), subresource ? { subresource } : {});
    await this.settle();
    return patched;
  }

  async delete(kind: Kind, name: string, propagation?: 'Background' | 'Foreground' | 'Orphan'): Promise<void> {
    await this.client.of(kind).delete(this.#key(kind, name), propagation ? { propagation } : {});
    await this.settle();
  }

  /** In the order of their names, numbers as numbers. */
  async list<T extends KubeObject>(kind: Kind<T>, labels?: string): Promise<readonly T[]> {
    const scope = kind.scope === 'Namespaced' ? { namespace: this.namespace } : {};
    const { items } = await this.client.of(kind).list({ ...scope, ...(labels ? { labels } : {}) });
    return [...items].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name, 'en', { numeric: true }));
  }

  async names(kind: Kind, labels?: string): Promise<readonly string[]> {
    return (await this.list(kind, labels)).map(({ metadata }) => metadata.name);
  }

  /** Events of the test's namespace, as `Reason: message`. */
  async events(reason?: string): Promise<readonly string[]> {
    const events = (await this.list(Event)).filter((event) => reason === undefined || event.reason === reason);
    return events.map((event) => `${event.reason}: ${event.note}`);
  }

  /** Sets (or with `null` removes) conditions of a pod, as an outside controller would. */
  async setCondition(pod: string, type: string, status: 'True' | 'False'): Promise<void> {
    const { status: before } = await this.get(Pod, pod);
    const conditions = (before?.conditions ?? []).filter((condition) => condition.type !== type);
    await this.patch(Pod, pod, { status: { conditions: [...conditions, { type, status }] } }, 'status');
  }

  #key(kind: Kind, name: string) {
    return kind.scope === 'Namespaced' ? { namespace: this.namespace, name } : { name };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drive(this.cluster.stop());
    if (this.errors.length > 0)
      throw new Error(`errors were logged: ${this.errors.map((error) => describe(error)).join('\n')}`);
  }
}

function describe(error: object): string {
  return JSON.stringify(error, (_key, value: unknown) => (value instanceof Error ? value.stack : value));
}

/** A pod template with one container. */
export function template(
  labels: Readonly<Record<string, string>>,
  image = 'app:1',
  spec: object = {},
): PodTemplateSpec {
  return { metadata: { labels }, spec: { containers: [{ name: 'main', image }], ...spec } as PodSpec };
}

interface AnyCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

/** A condition's `status/reason`; `undefined` when there is none. */
export function conditionText(object: { readonly status?: unknown }, type: string): string | undefined {
  const { conditions = [] } = (object.status ?? {}) as { readonly conditions?: readonly AnyCondition[] };
  const condition = conditions.find((candidate) => candidate.type === type);
  return condition && `${condition.status}${condition.reason ? `/${condition.reason}` : ''}`;
}
