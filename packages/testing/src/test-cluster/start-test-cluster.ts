import { Namespace } from '@coxswain/k8s';
import { grant, type RbacRules } from '@coxswain/runtime/apply';
import { createClient, type Transport } from '@coxswain/runtime/client';
import { randomSuffix, silentLogger, systemClock, systemRandom, VirtualClock } from '@coxswain/runtime/core';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { type Activity, newActivity } from './activity.ts';
import { embeddedGround } from './embedded-ground.ts';
import { eventually } from './eventually.ts';
import type { Ground } from './ground.ts';
import { checkTestClusterOptions, serverFromEnv } from './options.ts';
import { realGround } from './real-ground.ts';
import { settled } from './settled.ts';
import { Troubles } from './troubles.ts';
import type { ManagerSetup, TestCluster, TestClusterOptions } from './types.ts';
import { until } from './until.ts';

/** Milliseconds a manager gets to stop at the end of a test. */
const stopPatience = 5_000;

/**
 * Starts a world for one test. Its group and namespace are its own, so tests may share a real server.
 * @throws Error when a real server is wanted and its programs are not built, or when it is wanted in virtual time
 */
export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  checkTestClusterOptions(options);
  const ground = await groundFor(options);
  const world = new World(ground, options);
  try {
    await world.open();
    return world;
  } catch (error) {
    await world.stop();
    throw error;
  }
}

async function groundFor(options: TestClusterOptions): Promise<Ground> {
  const virtual = options.clock instanceof VirtualClock;
  const server = options.server ?? (virtual ? 'embedded' : serverFromEnv());
  if (server === 'embedded') return embeddedGround(options);
  if (virtual)
    throw new Error('a real server does not run in virtual time; leave out the clock or take server: embedded');
  return realGround();
}

class World implements TestCluster {
  readonly server: TestCluster['server'];
  readonly clock: TestCluster['clock'];
  readonly group: string;
  readonly namespace: string;
  readonly #ground: Ground;
  readonly #options: TestClusterOptions;
  readonly #activity: Activity = newActivity();
  readonly #troubles = new Troubles();
  readonly #managers: Manager[] = [];
  readonly #transports: Transport[] = [];
  #client: TestCluster['client'] | undefined;
  #stopping: Promise<void> | undefined;

  constructor(ground: Ground, options: TestClusterOptions) {
    const suffix = randomSuffix(options.random ?? systemRandom, 8);
    this.#ground = ground;
    this.#options = options;
    this.server = ground.server;
    this.clock = options.clock ?? systemClock;
    this.group = `g${suffix}.test.dev`;
    this.namespace = `test-${suffix}`;
  }

  /** Makes the namespace. */
  async open(): Promise<void> {
    this.#client = createClient({ transport: await this.transport(), fieldManager: 'test', clock: this.clock });
    await this.client.of(Namespace).create({ metadata: { name: this.namespace } });
  }

  get client(): TestCluster['client'] {
    if (!this.#client) throw new Error('the test cluster is not open');
    return this.#client;
  }

  async transport({ rules }: { readonly rules?: RbacRules } = {}): Promise<Transport> {
    const user = rules ? await this.#userWith(rules) : undefined;
    const transport = await this.#ground.transport(user);
    this.#transports.push(transport);
    return this.#activity.observe(transport);
  }

  /** @returns the name of a new user, who may do what the rules say */
  async #userWith(rules: RbacRules): Promise<string> {
    const name = `user-${randomSuffix(this.#options.random ?? systemRandom, 8)}.${this.group}`;
    await grant(this.client, { name, rules, user: name });
    return name;
  }

  kubeconfig(): string {
    return this.#ground.kubeconfig();
  }

  async manager({ transport, ...setup }: ManagerSetup = {}): Promise<Manager> {
    const { name = 'operator' } = setup;
    const { clock } = this;
    const { random } = this.#options;
    const log = this.#troubles.observe(setup.log ?? this.#options.log ?? silentLogger, { manager: name });
    const wire = transport ? this.#activity.observe(transport) : await this.transport();
    const client = createClient({ transport: wire, fieldManager: name, userAgent: name, clock });
    const defaults = { shutdownTimeout: stopPatience, ...(random ? { random } : {}) };
    const manager = createManager({ ...defaults, clock, ...setup, name, client, log });
    this.#managers.push(manager);
    return manager;
  }

  get troubles(): readonly string[] {
    return this.#troubles.lines;
  }

  settled(options?: Parameters<TestCluster['settled']>[0]): Promise<void> {
    const { client, clock } = this;
    const workers = { client, clock, managers: this.#managers, activity: this.#activity, server: this.#ground };
    return this.#troubles.explain(settled(workers, options));
  }

  eventually: TestCluster['eventually'] = (check, options) =>
    this.#troubles.explain(eventually(this.clock, check, options));

  until: TestCluster['until'] = (kind, key, holds, options) => {
    const { client, clock } = this;
    return this.#troubles.explain(until({ client, clock, kind, key, holds }, options));
  };

  compact(): Promise<void> {
    return this.#ground.compact();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    for (const manager of this.#managers.splice(0).reverse()) await manager.stop();
    for (const transport of this.#transports.splice(0)) await transport.close();
    await this.#ground.stop();
  }
}
