// What the server runs the rules of CRDs with, and loads when it meets one: no virtual time passes while files are read.
import '@coxswain/schema/cel';
import { type Cluster, startCluster } from '@coxswain/cluster';
import { Pod, type Writable } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import { merge, strategic } from '@coxswain/runtime/client';
import { formatTime, seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { eventKind } from '@coxswain/runtime/events';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { type CNLabel, CNSet, LogSet, MatrixOneCluster } from '../api/index.ts';
import { UnregisteredNodeError } from './errors.ts';
import type { CnStore, CnStoreService, LockHandover, StoreLoad } from './service.ts';
import { setupCnStores } from './setup.ts';

const namespace = 'default';
/** Milliseconds that a call may take. */
const patience = { limit: 60_000 };
const lifecycle = 'lifecycle.apps.kruise.io/state';

/** Compute nodes as their cluster would see them, with switches. */
export class TestStores implements CnStoreService {
  readonly refreshAfter = 20_000;
  /** What was said to whom, in order. */
  readonly told: string[] = [];
  /** The nodes the cluster knows, and whether they serve. */
  readonly nodes = new Map<string, 'serving' | 'draining'>();
  now: StoreLoad = { sessions: 0, pipelines: 0, replicas: 0 };
  /** Open transactions that hold locks. */
  transactions = 0;
  /** Thrown by all that is asked. */
  trouble: Error | undefined;
  /** Thrown by the node when its load is asked for. */
  silence: Error | undefined;
  readonly #restarting = new Set<string>();

  async serve(
    { podName }: CnStore,
    _labels: readonly CNLabel[],
    _signal: AbortSignal,
    takingBack?: () => Promise<void>,
  ): Promise<void> {
    this.#note('serve', podName);
    if (!this.nodes.has(podName)) throw new UnregisteredNodeError(podName);
    if (this.nodes.get(podName) === 'draining') await takingBack?.();
    this.nodes.set(podName, 'serving');
  }
  async drain({ podName }: CnStore): Promise<void> {
    this.#note('drain', podName);
    if (this.nodes.has(podName)) this.nodes.set(podName, 'draining');
  }
  async load({ podName }: CnStore): Promise<StoreLoad | undefined> {
    if (this.trouble) throw this.trouble;
    if (this.silence) throw this.silence;
    return this.nodes.has(podName) ? this.now : undefined;
  }
  async handOverLocks({ podName }: CnStore, asked: boolean): Promise<LockHandover> {
    if (this.#restarting.has(podName) && this.transactions === 0) return { released: true, asked };
    if (!asked) {
      this.#note('set restart', podName);
      this.#restarting.add(podName);
    }
    return { released: false, asked: true, transactions: this.transactions };
  }
  async forget({ podName }: CnStore): Promise<void> {
    this.#note('forget', podName);
    this.nodes.delete(podName);
  }
  #note(what: string, podName: string): void {
    if (this.trouble) throw this.trouble;
    const line = `${what} ${podName}`;
    if (this.told.at(-1) !== line) this.told.push(line);
  }
}

/** Pods of the CNSet `tp`, and nothing but the controller that looks after them: what OpenKruise and kubelets do is done by the test. */
export class NodeWorld implements AsyncDisposable {
  readonly clock: VirtualClock;
  readonly cluster: Cluster;
  readonly #service: CnStoreService;
  #manager: Manager | undefined;

  private constructor(clock: VirtualClock, cluster: Cluster, service: CnStoreService) {
    this.clock = clock;
    this.cluster = cluster;
    this.#service = service;
  }

  static async start(
    service: CnStoreService,
    { spec, deps, clock = new VirtualClock() }: { spec?: object; deps?: object; clock?: VirtualClock } = {},
  ): Promise<NodeWorld> {
    const [random, log] = [seededRandom(1), silentLogger];
    const cluster = await clock.drive(startCluster({ clock, random, log, controlPlane: false }), patience);
    const { client } = cluster;
    await clock.drive(
      installCrds(
        client,
        [CNSet, LogSet, MatrixOneCluster].map((kind) => kind.crd()),
        { clock },
      ),
      patience,
    );
    const world = new NodeWorld(clock, cluster, service);
    await world.startOperator();
    const volume = { size: '1Gi' };
    const sharedStorage = { fileSystem: { path: '/x' } };
    const logSet = { metadata: { name: 'mo', namespace }, spec: { replicas: 1, volume, sharedStorage } };
    await world.drive(client.of(LogSet).create(logSet as LogSet));
    const set = {
      metadata: { name: 'tp', namespace, finalizers: ['test/kept'] },
      spec: { replicas: 1, image: 'mo:1', serviceType: 'ClusterIP', ...spec },
      deps: deps ?? { logSet: { metadata: { name: 'mo' } } },
    };
    await world.drive(client.of(CNSet).create(set as CNSet));
    return world;
  }

  drive<T>(promise: Promise<T>): Promise<T> {
    return this.clock.drive(promise, patience);
  }

  async startOperator(): Promise<void> {
    const { clock } = this;
    const { client } = this.cluster;
    const manager = createManager({ client, name: 'test', clock, random: seededRandom(1), log: silentLogger });
    setupCnStores(manager, this.#service);
    this.#manager = manager;
    await this.drive(manager.start());
  }

  async stopOperator(): Promise<void> {
    const manager = this.#manager;
    this.#manager = undefined;
    if (manager) await this.drive(manager.stop());
  }

  /** Makes a pod of the set, in which MatrixOne runs unless told otherwise. */
  async add(name: string, metadata: Partial<Writable<Pod['metadata']>> = {}, runs = true): Promise<void> {
    const { labels, ...more } = metadata;
    const own = { 'matrixorigin.io/component': 'CNSet', 'matrixorigin.io/instance': 'tp' };
    const pod: Pod = {
      metadata: { name, namespace, ...more, labels: { ...own, ...labels } },
      spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'mo:1' }] },
    };
    await this.drive(this.cluster.client.of(Pod).create(pod));
    if (runs) await this.runs(name, true);
    else await this.clock.advance(0);
  }

  async runs(name: string, does: boolean): Promise<void> {
    const at = formatTime(this.clock.now());
    const state = does ? { running: { startedAt: at } } : { terminated: { exitCode: 0, finishedAt: at } };
    const main = { name: 'main', ready: does, restartCount: 0, image: 'mo:1', imageID: 'x', state };
    const body = strategic({ status: { containerStatuses: [main] } });
    const options = { subresource: 'status' } as const;
    await this.drive(this.cluster.client.of(Pod).patch({ namespace, name }, body, options));
    await this.clock.advance(0);
  }

  /** Does what OpenKruise does to a pod: changes the state of its life. */
  async asks(name: string, state: string): Promise<void> {
    await this.change(name, { labels: { [lifecycle]: state } });
  }

  async change(name: string, metadata: object): Promise<void> {
    await this.drive(this.cluster.client.of(Pod).patch({ namespace, name }, merge({ metadata })));
    await this.clock.advance(0);
  }

  /** @param grace seconds */
  async delete(name: string, grace = 30): Promise<void> {
    await this.drive(this.cluster.client.of(Pod).delete({ namespace, name }, { gracePeriodSeconds: grace }));
    await this.clock.advance(0);
  }

  pod(name: string): Promise<Pod | undefined> {
    return this.drive(this.cluster.client.of(Pod).find({ namespace, name }));
  }

  /** The readiness gate as `status reason: message`. */
  async gate(name: string): Promise<string | undefined> {
    const gate = (await this.pod(name))?.status?.conditions?.find(({ type }) => type === 'matrixorigin.io/cn-store');
    return gate && `${gate.status} ${gate.reason}${gate.message ? `: ${gate.message}` : ''}`;
  }

  /** Whether OpenKruise is held up by the pod. */
  async isHeld(name: string): Promise<boolean> {
    return (await this.pod(name))?.metadata.finalizers?.includes('matrixorigin.io/cn-draining') ?? false;
  }

  /** `Kind reason: message` of all events so far, in order. */
  async events(): Promise<readonly string[]> {
    const { items } = await this.drive(this.cluster.client.of(eventKind).list({ namespace }));
    const at = (event: { readonly eventTime?: unknown }) => String(event.eventTime);
    return items
      .toSorted((a, b) => (at(a) < at(b) ? -1 : 1))
      .map(({ regarding, reason, note }) => `${regarding?.kind} ${reason}: ${note}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopOperator();
    await this.drive(this.cluster.stop());
  }
}
