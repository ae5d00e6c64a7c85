// What the server runs the rules of CRDs with, and loads when it meets one: no virtual time passes while files are read.
import '@coxswain/schema/cel';
import { type Cluster, startCluster } from '@coxswain/cluster';
import { Pod } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import { createClient, strategic, type TransportRequest } from '@coxswain/runtime/client';
import { formatTime, seededRandom, silentLogger } from '@coxswain/runtime/core';
import { createManager } from '@coxswain/runtime/manager';
import { expect, test } from 'vitest';
import { CNSet, cnSetNames, LogSet, MatrixOneCluster } from '../api/index.ts';
import { type HaKeeperCnStores, haKeeperOf, hakeeperCnStores, setupCnStores } from '../cnstore/index.ts';
import { cnStoreUuid, logStoreUuid } from '../identity/index.ts';
import { TestLogService } from '../mo/test-log-service.ts';
import { LogKeeper } from './log-keeper.ts';
import { setupLogStores } from './setup.ts';

const namespace = 'default';
const leads = 'matrixorigin.io/leads-shards';
const labels = { 'matrixorigin.io/namespace': namespace, 'matrixorigin.io/instance': 'mo' };
const minute = 60_000;
const patience = { limit: minute };

/** Three log stores whose pods the test makes, a HAKeeper on a network in memory, and the controller that notes who leads. */
class LogWorld implements AsyncDisposable {
  readonly log = new TestLogService();
  readonly clock = this.log.clock;
  readonly #stores: HaKeeperCnStores;
  readonly #cluster: Cluster;
  readonly #stops: (() => Promise<void>)[] = [];
  readonly writes: string[] = [];
  /** LogSets that were told of, as HAKeeper is silent for long, or is no more. */
  readonly woken: string[] = [];
  readonly keeper: LogKeeper;

  private constructor(cluster: Cluster, log: TestLogService) {
    this.log = log;
    this.clock = log.clock;
    this.#cluster = cluster;
    const { clock, network } = log;
    this.#stores = hakeeperCnStores({ clock, dial: network.dial, random: seededRandom(1) });
    const { logStores = () => Promise.resolve([]) } = this.#stores;
    this.keeper = new LogKeeper(logStores.bind(this.#stores), clock);
  }

  static async start(): Promise<LogWorld> {
    const service = new TestLogService();
    const { clock } = service;
    service.start('mo-log-discovery.default.svc:32001');
    for (const id of [1n, 2n, 3n]) service.start(`log-${id - 1n}:32001`, id);
    service.leader = 1n;
    const [random, log] = [seededRandom(1), silentLogger];
    const cluster = await clock.drive(startCluster({ clock, random, log, controlPlane: false }), patience);
    const world = new LogWorld(cluster, service);
    await world.drive(
      installCrds(
        cluster.client,
        [CNSet, LogSet, MatrixOneCluster].map((kind) => kind.crd()),
        { clock },
      ),
    );
    await world.makeLogSet();
    await world.#startOperator();
    for (const ordinal of [0, 1, 2]) await world.add(`mo-log-${ordinal}`, 'LogSet');
    return world;
  }

  async #startOperator(): Promise<void> {
    const { clock } = this;
    const inner = this.#cluster.client.transport;
    const send = (request: TransportRequest) => {
      if (request.method !== 'GET') this.writes.push(`${request.method} ${request.path}`);
      return inner.send(request);
    };
    const transport = { send, watch: inner.watch.bind(inner), close: () => inner.close() };
    const client = createClient({ transport, fieldManager: 'test', clock });
    const manager = createManager({ client, name: 'test', clock, random: seededRandom(1), log: silentLogger });
    setupCnStores(manager, this.#stores);
    setupLogStores(manager, this.keeper, ({ name }) => this.woken.push(name));
    await this.drive(manager.start());
    this.#stops.push(() => manager.stop());
  }

  drive<T>(promise: Promise<T>): Promise<T> {
    return this.clock.drive(promise, patience);
  }

  async makeLogSet(): Promise<void> {
    const spec = { replicas: 3, volume: { size: '1Gi' }, sharedStorage: { fileSystem: { path: '/x' } } };
    await this.drive(this.#cluster.client.of(LogSet).create({ metadata: { name: 'mo', namespace }, spec } as LogSet));
  }

  async deleteLogSet(): Promise<void> {
    await this.drive(this.#cluster.client.of(LogSet).delete({ namespace, name: 'mo' }));
  }

  async add(name: string, component: string, annotations = {}): Promise<void> {
    const metadata = {
      name,
      namespace,
      labels: { ...labels, 'matrixorigin.io/component': component },
      annotations,
    };
    const spec = { nodeName: 'n1', containers: [{ name: 'main', image: 'mo:1' }] };
    await this.drive(this.#cluster.client.of(Pod).create({ metadata, spec }));
    await this.runs(name, true);
  }

  /** Another pod of the same name, which runs at once. */
  async replace(name: string, component: string): Promise<void> {
    await this.drive(this.#cluster.client.of(Pod).delete({ namespace, name }, { gracePeriodSeconds: 0 }));
    await this.add(name, component);
  }

  async runs(name: string, does: boolean): Promise<void> {
    const at = formatTime(this.clock.now());
    const ready = { type: 'Ready', status: does ? 'True' : 'False', lastTransitionTime: at };
    const state = does ? { running: { startedAt: at } } : { terminated: { exitCode: 137, finishedAt: at } };
    const main = { name: 'main', ready: does, restartCount: 0, image: 'mo:1', imageID: 'x', state };
    const body = strategic({ status: { conditions: [ready], containerStatuses: [main] } });
    await this.drive(this.#cluster.client.of(Pod).patch({ namespace, name }, body, { subresource: 'status' }));
    await this.clock.advance(0);
  }

  /** A compute node that HAKeeper knows and that serves. */
  async addNode(): Promise<void> {
    const spec = { replicas: 1, image: 'mo:1', serviceType: 'ClusterIP' };
    const deps = { logSet: { metadata: { name: 'mo' } } };
    await this.drive(
      this.#cluster.client.of(CNSet).create({ metadata: { name: 'mo', namespace }, spec, deps } as CNSet),
    );
    this.log.nodes.set(cnStoreUuid('a', cnSetNames('mo').headless, namespace), { state: 1, labels: {} });
    await this.add('a', 'CNSet');
  }

  /** Store by store, which replica it says leads HAKeeper and which the log, and in which term. */
  say(...stores: readonly (readonly [keeper: bigint, log: bigint, term: bigint])[]): void {
    const replicas = new Map([1n, 2n, 3n].map((id) => [id, logStoreUuid(Number(id) - 1)]));
    this.log.logStores = stores.map((said, at) => ({
      uuid: logStoreUuid(at),
      replicas: [0n, 1n].map((shardId) => {
        const leaderId = said[Number(shardId)] as bigint;
        return { replicaId: BigInt(at + 1), shard: { shardId, replicas, leaderId, term: said[2] } };
      }),
    }));
  }

  /** What each log pod says of the shards it leads. */
  async notes(): Promise<readonly (string | undefined)[]> {
    const { items } = await this.drive(
      this.#cluster.client.of(Pod).list({ namespace, labels: { ...labels, 'matrixorigin.io/component': 'LogSet' } }),
    );
    return items.map(({ metadata }) => metadata.annotations?.[leads]);
  }

  /** How often HAKeeper was asked since the last time. */
  questions(): number {
    return this.log.asked.splice(0).filter((line) => line.startsWith('GET_CLUSTER_DETAILS')).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stops) await this.drive(stop());
    this.#stores.close();
    await this.drive(this.#cluster.stop());
  }
}

test('who leads is noted on the pods; as long as it stays so nothing is written, and another leader costs two writes', async () => {
  await using world = await LogWorld.start();
  const { clock, writes } = world;
  world.say([1n, 1n, 3n], [1n, 1n, 3n], [1n, 1n, 3n]);
  await clock.advance(6_000);
  expect(await world.notes()).toEqual(['0,1', undefined, undefined]);
  expect(writes.splice(0)).toHaveLength(1);
  world.questions();
  await clock.advance(60 * minute);
  expect(writes).toEqual([]);
  expect(world.questions()).toBe(180);

  // The leader’s process dies: HAKeeper is led by another at once, and the log by the third.
  await world.runs('mo-log-0', false);
  world.say([1n, 1n, 3n], [2n, 3n, 4n], [2n, 3n, 4n]);
  await clock.advance(6_000);
  expect(await world.notes()).toEqual([undefined, '0', '1']);
  expect(writes.splice(0)).toHaveLength(3);
  await world.runs('mo-log-0', true);
  world.say([2n, 3n, 4n], [2n, 3n, 4n], [2n, 3n, 4n]);
  await clock.advance(minute);
  expect(writes).toEqual([]);

  // One that goes on running gives its shard away.
  world.say([2n, 2n, 5n], [2n, 2n, 5n], [2n, 2n, 5n]);
  await clock.advance(40_000);
  expect(await world.notes()).toEqual([undefined, '0,1', undefined]);
  expect(writes.splice(0)).toHaveLength(2);
});

test('what is still said of the store that ran before in a new pod is not noted of it', async () => {
  await using world = await LogWorld.start();
  const { clock, writes } = world;
  world.say([1n, 1n, 3n], [1n, 1n, 3n], [1n, 1n, 3n]);
  await clock.advance(6_000);
  await world.replace('mo-log-0', 'LogSet');
  await clock.advance(2_000);
  expect(await world.notes()).toEqual([undefined, undefined, undefined]);
  writes.splice(0);
  world.say([2n, 2n, 4n], [2n, 2n, 4n], [2n, 2n, 4n]);
  await clock.advance(6_000);
  expect(await world.notes()).toEqual([undefined, '0,1', undefined]);
  expect(writes).toHaveLength(1);
});

test('where compute nodes are looked at, the log service is not asked once more', async () => {
  await using world = await LogWorld.start();
  const { clock } = world;
  world.say([1n, 1n, 3n], [1n, 1n, 3n], [1n, 1n, 3n]);
  await clock.advance(6_000);
  await world.addNode();
  await clock.advance(minute);
  world.questions();
  await clock.advance(60 * minute);
  expect(world.questions()).toBe(180);
});

test('a HAKeeper that does not answer: nothing is written, what is noted stays, and it is asked again', async () => {
  await using world = await LogWorld.start();
  const { clock, log, writes } = world;
  world.say([2n, 2n, 3n], [2n, 2n, 3n], [2n, 2n, 3n]);
  await clock.advance(6_000);
  writes.splice(0);
  for (const id of [0, 1, 2]) log.faults.set(`log-${id}:32001`, 'hang');
  await world.runs('mo-log-1', false);
  await clock.advance(minute);
  expect(world.woken).toEqual([]);
  await clock.advance(10 * minute);
  expect(writes).toEqual([]);
  expect(await world.notes()).toEqual([undefined, '0,1', undefined]);
  expect(world.woken).toContain('mo');
  log.faults.clear();
  world.say([1n, 1n, 4n], [2n, 2n, 3n], [1n, 1n, 4n]);
  await clock.advance(20_000);
  expect(await world.notes()).toEqual(['0,1', undefined, undefined]);
});

test('of a LogSet that takes the name of one before while that one’s HAKeeper is asked nothing is known', async () => {
  await using world = await LogWorld.start();
  const { clock, keeper, log } = world;
  const address = haKeeperOf({ namespace, name: 'mo' });
  world.say([1n, 1n, 3n], [1n, 1n, 3n], [1n, 1n, 3n]);
  await clock.advance(6_000);
  for (const id of [0, 1, 2]) log.faults.set(`log-${id}:32001`, 'hang');
  await clock.advance(5 * minute);
  expect(keeper.said(address)).toHaveLength(3);
  expect(keeper.silentFor(address)).toBeGreaterThan(minute);
  await world.runs('mo-log-1', false);
  await clock.advance(1_000);
  await world.deleteLogSet();
  await world.makeLogSet();
  await clock.advance(30_000);
  expect(keeper.said(address)).toBeUndefined();
  expect(keeper.silentFor(address)).toBeLessThan(minute);
});
